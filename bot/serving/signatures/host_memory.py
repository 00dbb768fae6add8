"""A process was killed, or the system gave it no memory, threads or files."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD, READ_ABOVE
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_RAISE = Remedy("Raise the container's memory limit (files in /dev/shm count too), or load with fewer workers.")
_DESCRIBE = Remedy("See whether the container was OOMKilled.", "kubectl -n <namespace> describe pod <pod>")

FAMILY = Family(
    "host memory",
    (
        Signature(
            id="worker-killed",
            says=("died unexpectedly (exit code: -9", "Shard process was signaled to shutdown with signal 9"),
            cause="A worker process was killed with SIGKILL, mostly by the kernel because the container's memory "
            "limit was reached.",
            remedies=(_DESCRIBE, _RAISE),
            blames=(Blame.HOST_MEMORY,),
            restart_helps=None,
            note="This is the container's memory, not the GPU's.",
            source="vllm-project/vllm:vllm/v1/executor/multiproc_executor.py, "
            "huggingface/text-generation-inference:launcher",
        ),
        Signature(
            id="worker-segfault",
            says=(
                "died unexpectedly (exit code: -11",
                "Fatal Python error: Segmentation fault",
                "Segmentation fault (core dumped)",
            ),
            cause="A worker crashed with a segmentation fault in native code.",
            remedies=(
                Remedy(
                    "Take the engine's official image unchanged; libraries added or mixed by hand are the usual reason."
                ),
                DELETE_POD,
            ),
            blames=(Blame.IMAGE, Blame.ENGINE),
            restart_helps=None,
            source="vllm-project/vllm:vllm/v1/executor/multiproc_executor.py",
        ),
        Signature(
            id="worker-died",
            says=(
                "died unexpectedly (exit code:",
                "died unexpectedly, shutting down executor",
                "Shard process was signaled to shutdown",
            ),
            pattern=Pattern(
                r"died unexpectedly \(exit code: (?P<code>-?\d{1,5})|signal (?P<signal>\d{1,3})|died unexpectedly, "
                r"shutting"
            ),
            cause="A worker process ended[ with exit code {code}][ by signal {signal}], and the engine with it.",
            remedies=(READ_ABOVE, _DESCRIBE),
            blames=(),
            rank=Rank.CONSEQUENCE,
            restart_helps=None,
            source="vllm-project/vllm:vllm/v1/executor/multiproc_executor.py",
        ),
        Signature(
            id="ray-node-memory",
            says=("Task was killed due to the node running low on memory",),
            pattern=Pattern(
                r"running low on memory(?:.{0,200}? was (?P<used>[\d.]{1,9}GB) / (?P<total>[\d.]{1,9}GB))?"
            ),
            cause="Ray killed a worker because the node's or container's memory was nearly full[ ({used} of {total})].",
            remedies=(_RAISE, Remedy("Or start fewer Ray workers on this node.")),
            blames=(Blame.HOST_MEMORY,),
            rank=Rank.ROOT,
            restart_helps=None,
            note="This is the container's memory, not the GPU's.",
            source="ray-project/ray:python/ray/exceptions.py (vllm-project/vllm#1765)",
        ),
        Signature(
            id="host-memory-refused",
            says=(
                "[Errno 12] Cannot allocate memory",
                "DefaultCPUAllocator: can't allocate memory",
                "DefaultCPUAllocator: not enough memory",
            ),
            cause="The system refused the engine more host memory.",
            remedies=(
                _RAISE,
                Remedy("With `--swap-space` or CPU offload, lower it: it is taken from the container's memory."),
            ),
            blames=(Blame.HOST_MEMORY,),
            rank=Rank.ROOT,
            restart_helps=None,
            source="pytorch/pytorch:c10/core/impl/alloc_cpu.cpp",
        ),
        Signature(
            id="host-memory-swap-space",
            says=("Too large swap space",),
            pattern=Pattern(r"Too large swap space\. (?P<swap>[\d.]{1,9}) GiB out of the (?P<total>[\d.]{1,9}) GiB"),
            cause="`--swap-space` asks for {swap} GiB of the container's {total} GiB of memory.",
            remedies=(Remedy("Set `--swap-space 0`, or raise the memory limit."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/config/cache.py",
        ),
        Signature(
            id="threads-refused",
            says=("can't start new thread", "pthread_create failed", "blas_thread_init: pthread_create failed"),
            cause="The system let the engine start no more threads: the container's process limit is reached.",
            remedies=(
                Remedy(
                    "Raise the kubelet's `podPidsLimit`, or set `OMP_NUM_THREADS=1`; each rank starts threads for "
                    "every CPU it sees."
                ),
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            restart_helps=None,
            source="OpenMathLib/OpenBLAS:driver/others/blas_server.c",
        ),
        Signature(
            id="files-refused",
            says=("[Errno 24] Too many open files", "Too many open files (os error 24)"),
            cause="The engine reached the limit of open files (sockets count too).",
            remedies=(
                Remedy("Raise the container runtime's `LimitNOFILE`, or `ulimit -n 65536` in the start command."),
                DELETE_POD,
            ),
            blames=(Blame.NODE,),
            rank=Rank.ROOT,
            restart_helps=True,
            source="python/cpython: errno EMFILE",
        ),
    ),
)
