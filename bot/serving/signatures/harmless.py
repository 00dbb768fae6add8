"""Lines that look like trouble and are none: known, so that nobody takes them for the cause."""

from bot.serving.signature import Family, Rank, Remedy, Sense, Signature

_NOTHING = (Remedy("Nothing to do."),)


def _harmless(identity: str, cause: str, source: str, *says: str) -> Signature:
    return Signature(
        id=identity,
        says=says,
        cause=cause,
        remedies=_NOTHING,
        blames=(),
        sense=Sense.NOTICE,
        rank=Rank.WRAPPER,
        restart_helps=False,
        note="Harmless.",
        source=source,
    )


FAMILY = Family(
    "harmless",
    (
        _harmless(
            "harmless-leaked-semaphores",
            "Python counts what a process that was ended did not clean up.",
            "python/cpython:Lib/multiprocessing/resource_tracker.py",
            "resource_tracker: There appear to be",
        ),
        _harmless(
            "harmless-process-group",
            "The process group was not closed in order at the end.",
            "pytorch/pytorch:torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
            "destroy_process_group() was not called before program exit",
        ),
        _harmless(
            "harmless-custom-all-reduce",
            "The fast path between GPUs is off, because they are not linked to each other: slower, nothing fails.",
            "vllm-project/vllm:vllm/distributed/device_communicators/custom_all_reduce.py",
            "Custom allreduce is disabled because",
        ),
        _harmless(
            "harmless-moe-configuration",
            "There is no tuned kernel configuration for this GPU and model: a little slower, nothing fails.",
            "vllm-project/vllm:vllm/model_executor/layers/fused_moe",
            "Using default MoE config. Performance might be sub-optimal",
        ),
        _harmless(
            "harmless-file-limit",
            "The limit of open files is lower than the server likes; it matters with thousands of connections.",
            "vllm-project/vllm:vllm/utils/system_utils.py",
            "Found ulimit of",
        ),
        _harmless(
            "harmless-request-refused",
            "A client sent a request that is longer than the context or wrong in itself; it was answered with 400.",
            "vllm-project/vllm:vllm/entrypoints/openai",
            "This model's maximum context length is",
            "is longer than the maximum model length of",
            "is longer than the model's context length",
        ),
        _harmless(
            "harmless-client-left",
            "A client ended its connection before the answer was complete.",
            "vllm-project/vllm:vllm/v1/engine/async_llm.py",
            "Aborted request",
            "client disconnected",
        ),
        _harmless(
            "harmless-usage-report",
            "The engine could not send or write its usage statistics.",
            "vllm-project/vllm:vllm/usage/usage_lib.py",
            "vllm/usage/usage_lib.py",
            "Failed to send usage data",
        ),
        _harmless(
            "harmless-hub-anonymous",
            "The download runs without a token: slower limits, nothing fails.",
            "huggingface/huggingface_hub",
            "You are sending unauthenticated requests to the HF Hub",
            "Xet Storage is enabled for this repo, but the 'hf_xet' package is not installed",
        ),
    ),
)
