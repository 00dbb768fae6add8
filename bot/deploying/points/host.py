"""Whether a node of the pool has the CPU and host memory that loading takes, /dev/shm included."""

from bot.deploying.manifests.pod import cpus, memory_gib, shm_gib
from bot.deploying.points.point import Asked, Ground, Told

_GIB = 2**30


def judge(ground: Ground) -> Told:
    manifests, pool = ground.manifests, ground.manifests.draft.pool
    memory, cores = memory_gib(manifests), cpus(manifests)
    if not pool.memory_bytes or not pool.cpu_millis:
        return Told(None, f"whether its nodes have {memory} GiB of host memory and {cores} CPUs")
    if pool.memory_bytes < memory * _GIB:
        return Told(
            False,
            f"loading takes {memory} GiB of host memory ({shm_gib(manifests)} of it shared), and the largest node of "
            f"{pool.title} offers {pool.memory_bytes / _GIB:.0f}",
            "Use a smaller variant, or nodes with more memory",
        )
    if pool.cpu_millis < cores * 1000:
        return Told(False, f"it asks for {cores} CPUs, and the largest node offers {pool.cpu_millis / 1000:.0f}")
    return Told(True, f"{memory} GiB of host memory ({shm_gib(manifests)} shared) and {cores} CPUs are there")


POINT = Asked(80, "host", "Host memory and CPU", judge, page=__doc__ or "")
