"""SGLang: `python3 -m sglang.launch_server`. Its `/health` makes a token, so a busy engine answers late.

Flags: sgl-project/sglang:python/sglang/srt/server_args.py. Several nodes: `--nnodes`, `--node-rank` and the first one's
address. Its watchdog ends an engine whose forward pass takes longer than `--watchdog-timeout`, compiling included.
"""

from collections.abc import Mapping

from bot.serving.engines.engine import Engine, Start, Value

_WATCHDOG_SECONDS = 3600


def arguments(start: Start) -> tuple[str, ...]:
    stages = (f"--pp-size={start.pipeline_parallel}",) if start.pipeline_parallel > 1 else ()
    return (
        f"--model-path={start.model}",
        f"--served-model-name={start.served_name}",
        f"--tp-size={start.tensor_parallel}",
        *stages,
        f"--context-length={start.context_tokens}",
        *start.extra,
    )


def settings(start: Start) -> Mapping[str, Value]:
    support = start.support
    told: dict[str, Value] = {
        "host": "0.0.0.0",  # inside a pod: its Service has to reach it
        "port": ENGINE.port,
        "mem-fraction-static": start.utilisation,
        "enable-metrics": True,
        "watchdog-timeout": _WATCHDOG_SECONDS,
    }
    if start.kv_dtype != "auto":
        told["kv-cache-dtype"] = start.kv_dtype
    if support.tool_parser:
        told["tool-call-parser"] = support.tool_parser
    if support.reasoning_parser:
        told["reasoning-parser"] = support.reasoning_parser
    if start.speculative_tokens:
        told |= {
            "speculative-algorithm": "EAGLE",
            "speculative-num-steps": start.speculative_tokens,
            "speculative-eagle-topk": 1,
            "speculative-num-draft-tokens": start.speculative_tokens + 1,
        }
    for flag in support.arguments:
        name, _, value = flag.removeprefix("--").partition("=")
        told[name] = value or True
    return told


def environment(start: Start) -> Mapping[str, str]:
    del start
    return {}


def joining(start: Start, leads: bool) -> tuple[str, ...]:
    del leads
    if start.nodes == 1:
        return ()
    address = f"--dist-init-addr=$(LWS_LEADER_ADDRESS):{_RENDEZVOUS}"
    return (f"--nnodes={start.nodes}", "--node-rank=$(LWS_WORKER_INDEX)", address)


_RENDEZVOUS = 20000

ENGINE = Engine(
    name="sglang",
    port=30000,
    command=("python3", "-m", "sglang.launch_server"),
    ready_path="/v1/models",
    health_path="/health",
    probe_timeout_seconds=20,
    arguments=arguments,
    settings=settings,
    environment=environment,
    joining=joining,
    page=__doc__ or "",
)
