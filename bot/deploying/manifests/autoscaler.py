"""More replicas as requests wait, by KEDA; or by GPU utilisation, where somebody insists.

Requests that wait say that a replica is missing. Utilisation does not: an engine that decodes for one user keeps its
GPUs busy, and one that is full looks the same as one that is not.
"""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest

_WAITING = {"vllm": "vllm:num_requests_waiting", "sglang": "sglang:num_queue_reqs"}
_PROMETHEUS = "http://prometheus-operated.monitoring.svc:9090"
_COOL_SECONDS = 600
_TARGET_WAITING, _TARGET_PERCENT = "4", "80"


def render(ground: Ground) -> dict[str, Any] | None:
    if not ground.wish.autoscale:
        return None
    kind = "LeaderWorkerSet" if ground.draft.nodes_per_replica > 1 else "Deployment"
    version = "leaderworkerset.x-k8s.io/v1" if kind == "LeaderWorkerSet" else "apps/v1"
    query, target = _query(ground)
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": ground.metadata(),
        "spec": {
            "scaleTargetRef": {"apiVersion": version, "kind": kind, "name": ground.name},
            "minReplicaCount": ground.wish.replicas,
            "maxReplicaCount": ground.wish.most_replicas or ground.wish.replicas + 1,
            "cooldownPeriod": _COOL_SECONDS,
            "triggers": [
                {
                    "type": "prometheus",
                    "metadata": {"serverAddress": _PROMETHEUS, "query": query, "threshold": target},
                }
            ],
        },
    }


def _query(ground: Ground) -> tuple[str, str]:
    where = f'namespace="{ground.namespace}",pod=~"{ground.name}-.*"'
    if ground.wish.autoscale == "utilisation":
        return f"avg(DCGM_FI_DEV_GPU_UTIL{{{where}}})", _TARGET_PERCENT
    return f"sum({_WAITING[ground.draft.support.engine]}{{{where}}})", _TARGET_WAITING


def note(ground: Ground) -> str:
    if ground.wish.autoscale == "utilisation":
        return "GPU utilisation is a poor measure: one user's decoding keeps GPUs as busy as a full engine."
    return (
        f"Its trigger asks {_PROMETHEUS}: change that where your Prometheus is elsewhere."
        if ground.wish.autoscale
        else ""
    )


MANIFEST = Manifest(70, "ScaledObject", render, note, page=__doc__ or "")
