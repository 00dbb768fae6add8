"""How starts of an engine fail, and how one ends while it serves: the last words, when they come, the exit code.

Words: vllm-project/vllm (vllm/v1/engine, vllm/v1/worker), pytorch/pytorch (c10/cuda, torch/csrc) and NCCL.
Exit codes: 1 of Python, 2 of argparse, 135 SIGBUS, 137 SIGKILL, of the kernel or of a probe whose patience is over.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.local.engine.arguments import EngineArgs
from bot.local.engine.startup import lines

_ABOVE = (
    "EngineCore failed to start.",
    "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
)


@dataclass(frozen=True, slots=True)
class Ending:
    """`part`: of its start, when it comes; more than 1: while it serves. `wrapped`: other processes complain too."""

    part: float
    says: Callable[[EngineArgs], tuple[str, ...]]
    exit_code: int = 1
    reason: str = "Error"
    wrapped: bool = True


def _loading_out_of_memory(args: EngineArgs) -> tuple[str, ...]:
    del args
    told = "Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 79.18 GiB of which 812.00 MiB is free."
    return (f"torch.OutOfMemoryError: CUDA out of memory. {told}",)


def _weights_missing(args: EngineArgs) -> tuple[str, ...]:
    return (f"RuntimeError: Cannot find any model weights with `{args.model}`",)


def _weights_broken(args: EngineArgs) -> tuple[str, ...]:
    del args
    return ("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge",)


def _driver_too_old(args: EngineArgs) -> tuple[str, ...]:
    del args
    told = "Please update your GPU driver by downloading and installing a new version."
    return (f"RuntimeError: The NVIDIA driver on your system is too old (found version 12080). {told}",)


def _no_cache(args: EngineArgs) -> tuple[str, ...]:
    del args
    told = "Try increasing `gpu_memory_utilization` when initializing the engine."
    return ("Available KV cache memory: -2.10 GiB", f"ValueError: No available memory for the cache blocks. {told}")


def _context_too_long(args: EngineArgs) -> tuple[str, ...]:
    wanted = f"To serve at least one request with the model's max seq len ({args.context_tokens}), (6.58 GiB KV cache"
    room = "is needed, which is larger than the available KV cache memory (4.10 GiB)."
    fits = args.context_tokens * 410 // 658 // 64 * 64
    told = f"Based on the available memory, the estimated maximum model length is {fits}."
    return ("Available KV cache memory: 4.10 GiB", f"ValueError: {wanted} {room} {told}")


def _nccl(args: EngineArgs) -> tuple[str, ...]:
    del args
    where = "/pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94"
    told = "unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.28.3"
    call = "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error."
    return (f"torch.distributed.DistBackendError: NCCL error in: {where}, {told}", call)


def _ready_too_late(args: EngineArgs) -> tuple[str, ...]:
    del args
    return ("TimeoutError: Timed out waiting for engine core processes to start.",)


def _illegal_access(args: EngineArgs) -> tuple[str, ...]:
    del args
    return (
        "EngineCore encountered a fatal error.",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
        "EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.",
    )


def _bus_error(args: EngineArgs) -> tuple[str, ...]:
    del args
    told = "This might be caused by insufficient shared memory (shm)."
    return (f"ERROR: Unexpected bus error encountered in worker. {told}",)


def _silent(args: EngineArgs) -> tuple[str, ...]:
    del args
    return ()


def _terminated(args: EngineArgs) -> tuple[str, ...]:
    del args
    return ("KeyboardInterrupt: terminated",)


ENDINGS = {
    "out-of-memory-loading": Ending(0.30, _loading_out_of_memory),
    "weights-missing": Ending(0.095, _weights_missing),
    "weights-broken": Ending(0.20, _weights_broken),
    "driver-too-old": Ending(0.04, _driver_too_old),
    "no-cache-memory": Ending(0.835, _no_cache),
    "context-too-long": Ending(0.835, _context_too_long),
    "nccl": Ending(0.07, _nccl),
    "shared-memory": Ending(0.09, _bus_error, 135),
    "ready-too-late": Ending(0.55, _ready_too_late, wrapped=False),
    "host-memory": Ending(0.40, _silent, 137, "OOMKilled", wrapped=False),
    "probe-too-short": Ending(0.35, _terminated, 137, wrapped=False),
    "illegal-access": Ending(1.5, _illegal_access, wrapped=False),
}


def last_log(args: EngineArgs, started_at: datetime, seconds: float, name: str, upto: datetime) -> list[str]:
    """What an engine has written that starts and then ends so. seconds: what a whole start takes. KeyError: no such."""
    ending = ENDINGS[name]
    at = started_at + timedelta(seconds=ending.part * seconds)
    told = lines(args, started_at, seconds, min(at, upto))
    return told if upto < at or args.error else [*told, *_words(ending, args, at)]


def _words(ending: Ending, args: EngineArgs, at: datetime) -> Iterator[str]:
    told = ending.says(args)
    wrapped = _ABOVE if ending.wrapped else ()
    for text in (*told, *wrapped):
        process = "APIServer pid=1" if text.startswith("RuntimeError: Engine core") else "EngineCore pid=271"
        if args.engine == "sglang":
            yield f"[{at:%Y-%m-%d %H:%M:%S}] {text}"
        else:
            yield f"({process}) ERROR {at:%m-%d %H:%M:%S} [core.py:936] {text}"
