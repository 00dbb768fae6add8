"""Lines that only repeat that something else failed: never the cause, but they say where to look."""

from bot.domain.pattern import Pattern
from bot.serving.actions import READ_ABOVE
from bot.serving.signature import Family, Rank, Remedy, Sense, Signature

_NO_CAUSE = "This line names no cause."


def _wrapper(identity: str, cause: str, source: str, *says: str, pattern: str = "") -> Signature:
    return Signature(
        id=identity,
        says=says,
        pattern=Pattern(pattern) if pattern else None,
        cause=cause,
        remedies=(READ_ABOVE,),
        blames=(),
        sense=Sense.SYMPTOM,
        rank=Rank.WRAPPER,
        restart_helps=None,
        note=_NO_CAUSE,
        source=source,
    )


FAMILY = Family(
    "wrapper",
    (
        _wrapper(
            "engine-core-failed",
            "The engine's core process failed to start.",
            "vllm-project/vllm:vllm/v1/engine/core.py",
            "Engine core initialization failed",
            "EngineCore failed to start",
            "Engine process failed to start",
            "EngineCore hit an exception",
        ),
        _wrapper(
            "engine-core-died",
            "The engine's core process died while it served; every request fails until the container is restarted.",
            "vllm-project/vllm:vllm/v1/engine/exceptions.py",
            "EngineCore encountered a fatal error",
            "EngineCore encountered an issue",
            "EngineDeadError",
            "AsyncEngineDeadError",
            "MQEngineDeadError",
            "Engine loop is not running",
            "AsyncLLM output_handler failed",
        ),
        _wrapper(
            "worker-failed",
            "A worker process failed.",
            "vllm-project/vllm:vllm/v1/executor/multiproc_executor.py",
            "WorkerProc initialization failed",
            "WorkerProc failed to start",
            "WorkerProc hit an exception",
            "Exception in worker",
            "Exception in execute_model",
        ),
        _wrapper(
            "ray-actor-died",
            "A Ray worker died.",
            "ray-project/ray:python/ray/exceptions.py",
            "ActorDiedError",
            "RayActorError",
            "The actor died unexpectedly before finishing this task",
            "WorkerCrashedError",
            "ActorUnavailableError",
        ),
        _wrapper(
            "sglang-child-failed",
            "A process of SGLang failed, and the server with it.",
            "sgl-project/sglang:python/sglang/srt/entrypoints/engine.py",
            "Scheduler hit an exception",
            "Received sigquit from a child process",
            "Initialization failed. warmup error",
            "Initialization failed. Please see the error messages above",
            "Rank 0 scheduler is dead",
            "DetokenizerManager hit an exception",
            "TpModelWorkerClient hit an exception",
        ),
        _wrapper(
            "tgi-shard-failed",
            "A shard of TGI failed to start.",
            "huggingface/text-generation-inference:launcher/src/main.rs",
            "ShardCannotStart",
            "Shutting down shards",
            "ShardFailed",
            "Shard complete standard error output",
            "Webserver Crashed",
            "WebserverFailed",
            "DownloadError",
            "Download encountered an error",
        ),
        _wrapper(
            "elastic-child-failed",
            "A rank ended with an error, and the launcher with it.",
            "pytorch/pytorch:torch/distributed/elastic/multiprocessing/errors",
            "ChildFailedError",
            "torch.distributed.elastic.multiprocessing.api:failed",
        ),
        Signature(
            id="request-failed",
            says=("Exception in ASGI application",),
            cause="A request failed inside the server.",
            remedies=(
                Remedy(
                    "Read the traceback under it; if all requests fail, delete the pod.",
                    "kubectl -n <namespace> logs <pod> -c <container> --tail=400",
                ),
            ),
            blames=(),
            sense=Sense.SYMPTOM,
            rank=Rank.WRAPPER,
            restart_helps=None,
            note=_NO_CAUSE,
            source="encode/uvicorn",
        ),
    ),
)
