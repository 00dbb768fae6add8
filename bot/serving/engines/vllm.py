"""vLLM: `vllm serve`, ready when `/v1/models` answers.

Flags: vllm-project/vllm:vllm/engine/arg_utils.py; a configuration file has the same names without the dashes before
them. Several nodes without Ray since 0.13: every node knows the first one's address and its own rank, all but the first
are headless. Draining with `--shutdown-timeout` since 0.18. An engine that loads long needs VLLM_ENGINE_READY_TIMEOUT_S
(600 by default), or it ends itself.
"""

from collections.abc import Mapping

from bot.domain.version import Version
from bot.serving.engines.engine import Engine, Start, Value

_DRAINS_SINCE = Version(0, 18)


def arguments(start: Start) -> tuple[str, ...]:
    stages = (f"--pipeline-parallel-size={start.pipeline_parallel}",) if start.pipeline_parallel > 1 else ()
    return (
        start.model,
        f"--served-model-name={start.served_name}",
        f"--tensor-parallel-size={start.tensor_parallel}",
        *stages,
        f"--max-model-len={start.context_tokens}",
        *start.extra,
    )


def settings(start: Start) -> Mapping[str, Value]:
    support = start.support
    told: dict[str, Value] = {"port": ENGINE.port, "gpu-memory-utilization": start.utilisation}
    if start.kv_dtype != "auto":
        told["kv-cache-dtype"] = start.kv_dtype
    if support.tool_parser:
        told |= {"enable-auto-tool-choice": True, "tool-call-parser": support.tool_parser}
    if support.reasoning_parser:
        told["reasoning-parser"] = support.reasoning_parser
    if start.speculative_tokens:
        told["speculative-config"] = f'{{"method": "mtp", "num_speculative_tokens": {start.speculative_tokens}}}'
    if start.version >= _DRAINS_SINCE:
        told["shutdown-timeout"] = start.drain_seconds
    for flag in support.arguments:
        name, _, value = flag.removeprefix("--").partition("=")
        told[name] = value or True
    return told


def environment(start: Start) -> Mapping[str, str]:
    return {"VLLM_ENGINE_READY_TIMEOUT_S": str(start.budget_seconds), "VLLM_NO_USAGE_STATS": "1"}


def joining(start: Start, leads: bool) -> tuple[str, ...]:
    if start.nodes == 1:
        return ()
    own = (f"--nnodes={start.nodes}", "--node-rank=$(LWS_WORKER_INDEX)", "--master-addr=$(LWS_LEADER_ADDRESS)")
    return own if leads else (*own, "--headless")


ENGINE = Engine(
    name="vllm",
    port=8000,
    command=("vllm", "serve"),
    ready_path="/v1/models",
    health_path="/health",
    probe_timeout_seconds=10,
    arguments=arguments,
    settings=settings,
    environment=environment,
    joining=joining,
    page=__doc__ or "",
)
