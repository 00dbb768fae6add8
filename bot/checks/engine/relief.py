"""What helps an engine: by the thing that its people would change, the smallest first."""

from bot.checks.engine_scene import EngineScene
from bot.domain.answer import Remedy
from bot.gpu.owners import top_owner
from bot.gpu.stack.commands import delete, quoted

_SCALED = {"Deployment": "deployment", "StatefulSet": "statefulset", "LeaderWorkerSet": "leaderworkerset"}
GROUP = "leaderworkerset.sigs.k8s.io/name"
FULL, ROOMY = 0.9, 0.5  # of the KV cache


def restart(scene: EngineScene) -> Remedy:
    """Of a group of pods the first ends all: they are made anew together."""
    group = ", and its whole group starts anew" if GROUP in scene.pod.labels else ""
    running = scene.last.running if scene.last is not None else None
    cost = f"the {running:,.0f} requests that it has" if running else "what it is answering"
    return Remedy(
        f"Restart it: delete its pod{group}", delete(scene.pod), cost=f"{cost}, and the time to load the model"
    )


def replica(scene: EngineScene) -> Remedy:
    kind, name = top_owner(scene.view, scene.pod)
    if kind not in _SCALED:
        return Remedy("Add a replica of it")
    now = sum(1 for pod in scene.view.pods.values() if _same(scene, pod.namespace, kind, name, pod.key))
    return Remedy(
        f"Add a replica: `/scale {scene.pod.namespace}/{name} to {now + 1}` says where it fits first",
        f"kubectl -n {quoted(scene.pod.namespace)} scale {_SCALED[kind]} {quoted(name)} --replicas={now + 1}",
        cost=f"{scene.gpus:,} more GPUs" if scene.gpus > 1 else "one more GPU" if scene.gpus else "one more pod",
    )


def settings(scene: EngineScene) -> Remedy:
    """Which argument limits it: the KV cache where that is full, else the size of a batch."""
    usage = scene.last.kv_cache_usage if scene.last is not None else None
    sglang = scene.last is not None and scene.last.engine == "sglang"
    if usage is not None and usage >= FULL:
        size = "`--context-length`" if sglang else "`--max-model-len`"
        kind = "`--kv-cache-dtype fp8_e4m3`" if sglang else "`--kv-cache-dtype fp8`"
        return Remedy(f"Make room in its KV cache: a smaller {size}, or {kind} where the model allows it")
    if usage is not None and usage < ROOMY:
        most = "`--max-running-requests`" if sglang else "`--max-num-seqs`"
        return Remedy(f"Let more requests run at once: a larger {most}, its KV cache has room")
    return Remedy("Take fewer requests: a limit in the gateway keeps the others fast")


def _same(scene: EngineScene, namespace: str, kind: str, name: str, key: str) -> bool:
    pod = scene.view.pods[key]
    return namespace == scene.pod.namespace and not pod.finished and top_owner(scene.view, pod) == (kind, name)
