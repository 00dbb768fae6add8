"""Whether arguments that were typed fight with those that probes, Service and nodes go by."""

from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.words import names

# What would be typed instead; empty: nothing would.
_OURS = {
    "tensor-parallel-size": "tp=",
    "tp-size": "tp=",
    "tp": "tp=",
    "max-model-len": "context=",
    "context-length": "context=",
    "served-model-name": "name=",
    **dict.fromkeys(("model", "model-path"), "variant="),
    **dict.fromkeys(("pipeline-parallel-size", "pp-size", "data-parallel-size", "dp-size"), ""),
    **dict.fromkeys(("nnodes", "node-rank", "master-addr", "headless", "dist-init-addr", "config"), ""),
    **dict.fromkeys(("port", "host", "uds", "root-path", "api-key", "ssl-keyfile", "ssl-certfile"), ""),
}
_MEMORY = frozenset({"gpu-memory-utilization", "mem-fraction-static", "kv-cache-dtype", "speculative-config"})


def judge(ground: Ground) -> Told | None:
    typed = [flag.removeprefix("--").partition("=")[0] for flag in ground.manifests.wish.arguments]
    if not typed:
        return None
    for flag in typed:
        name = flag.partition(".")[0]
        if name in _OURS:
            instead = f"type `{_OURS[name]}…` instead" if _OURS[name] else "leave it out"
            return Told(False, f"`--{flag}` is set by gpubot, whose probes and Service go by it", instead)
    counted = [f"`--{flag}`" for flag in typed if flag.partition(".")[0] in _MEMORY]
    if counted:
        return Told(None, f"what {names(counted)} makes of the memory told here: it is counted without")
    return Told(True, f"{names([f'`--{flag}`' for flag in typed])} goes with what gpubot sets")


POINT = Asked(105, "arguments", "Arguments", judge, page=__doc__ or "")
