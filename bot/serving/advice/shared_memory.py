"""/dev/shm: 64 MiB unless a volume in memory is mounted there, which is too little for several GPUs.

NCCL and the engine's own processes pass tensors through it; 16 to 32 GiB is usual for eight GPUs.
"""

from collections.abc import Iterator

from bot.serving.advice.advice import Advice, Remark, Setup

_PATH = "/dev/shm"


def judge(setup: Setup) -> Iterator[Remark]:
    ranks = setup.told.gpus_per_pod
    if ranks is None or ranks < 2 or setup.pod.flag("hostIPC"):
        return
    mounts = {one.text("mountPath").rstrip("/"): one.text("name") for one in setup.container.each("volumeMounts")}
    volume = next((one for one in setup.pod.each("volumes") if one.text("name") == mounts.get(_PATH, "-")), None)
    advised, because = "a volume in memory, 16 to 32 GiB", "NCCL and the engine's processes share tensors there"
    if volume is None:
        yield Remark(_PATH, "64 MiB (nothing is mounted)", advised, because)
    elif volume.get("emptyDir") is not None and volume.text("emptyDir", "medium") != "Memory":
        yield Remark(_PATH, "a volume on disk", advised, because)


ADVICE = Advice("shared_memory", judge, __doc__ or "")
