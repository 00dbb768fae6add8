"""Where a starting engine is, and what it may be waiting for."""

import enum


class Phase(enum.StrEnum):
    """Phases of an engine's start, in the order in which they normally come."""

    START = "start"  # imports, configuration, processes
    DOWNLOAD = "download"
    WAITING = "waiting"  # for something outside its own container, see Wait
    LOAD = "load"  # weights into GPU memory
    COMPILE = "compile"  # torch.compile, DeepGEMM, FlashInfer
    WARM = "warm"  # profiling, KV cache, CUDA graphs
    READY = "ready"  # listens; no request seen yet
    SERVING = "serving"


STARTED = frozenset({Phase.READY, Phase.SERVING})

DOING = {
    Phase.START: "starting up",
    Phase.DOWNLOAD: "downloading the model",
    Phase.WAITING: "waiting",
    Phase.LOAD: "loading the weights",
    Phase.COMPILE: "compiling kernels",
    Phase.WARM: "warming up (memory profile, KV cache, CUDA graphs)",
    Phase.READY: "ready",
    Phase.SERVING: "serving requests",
}


class Wait(enum.StrEnum):
    """What an engine in Phase.WAITING waits for."""

    NCCL = "the other ranks (nothing after NCCL bootstrap)"
    PLACEMENT_GROUP = "GPUs from Ray (placement group)"
    RANKS = "engine processes of other pods"
    RENDEZVOUS = "the other ranks (process group)"
    SHARDS = "its shards"
