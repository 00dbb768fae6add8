"""/dev/shm is too small, or full of what an earlier crash left there."""

from bot.domain.pattern import Pattern
from bot.serving.actions import SHM
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_DELETE = Remedy(
    "Delete the pod: the files of crashed runs in /dev/shm live as long as the pod, a restart of the container leaves "
    "them.",
    "kubectl -n <namespace> delete pod <pod>",
)
_CLEAN = Remedy("For good: empty it at start (`rm -f /dev/shm/nccl-* /dev/shm/psm_*` before the engine).")

FAMILY = Family(
    "shared memory",
    (
        Signature(
            id="shared-memory-full",
            says=(
                "Error while creating shared memory segment /dev/shm/",
                "No space left on device: '/dev/shm",
                "unable to write to file </torch_",
                "unable to allocate shared memory(shm)",
            ),
            pattern=Pattern(
                r"(?:/dev/shm/(?P<file>[\w-]{1,80})(?: \(size (?P<size>\d{1,15})\))?|</torch_|shared memory\(shm\))"
            ),
            cause="/dev/shm is full or too small[: {file} could not be made there][ ({size} bytes)].",
            remedies=(_DELETE, SHM, _CLEAN),
            blames=(Blame.STORAGE,),
            rank=Rank.ROOT,
            note="Neither the fabric between GPUs nor the GPUs are at fault. The default of 64 MiB is too small for "
            "NCCL; with a mounted volume look for left-over files: `df -h /dev/shm` in the pod.",
            source="NVIDIA/nccl:src/misc/shmutils.cc, llm-d/llm-d#352",
        ),
        Signature(
            id="shared-memory-bus-error",
            says=(
                "Unexpected bus error encountered in worker",
                "Bus error (core dumped)",
                "died unexpectedly (exit code: -7",
                "Fatal Python error: Bus error",
            ),
            cause="A worker hit a bus error: it wrote to shared memory for which /dev/shm has no room.",
            remedies=(SHM, _DELETE),
            blames=(Blame.STORAGE,),
            rank=Rank.ROOT,
            note="Exit code 135 says the same.",
            source="pytorch/pytorch:torch/utils/data/_utils/signal_handling.py",
        ),
        Signature(
            id="shared-memory-ray",
            says=(
                "System memory request exceeds memory available in /dev/shm",
                "The object store is using /tmp instead of /dev/shm",
            ),
            cause="Ray's object store does not fit into /dev/shm.",
            remedies=(SHM,),
            blames=(Blame.STORAGE,),
            rank=Rank.ROOT,
            source="ray-project/ray:python/ray/_private/services.py",
        ),
    ),
)
