"""More replicas as requests wait, by KEDA; or by GPU utilisation, where somebody insists.

Requests that wait say that a replica is missing. Utilisation does not: an engine that decodes for one user keeps its
GPUs busy, and one that is full looks the same as one that is not. A start takes longer than a burst lasts, so it grows
by one at a time, waits for that one, and shrinks late. https://keda.sh/docs/latest/reference/scaledobject-spec/
"""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest

_WAITING = {"vllm": "vllm:num_requests_waiting", "sglang": "sglang:num_queue_reqs"}
_PROMETHEUS = "http://prometheus-operated.monitoring.svc:9090"
_TARGET_WAITING, _TARGET_PERCENT = "4", "80"
_LONGEST_PERIOD = 1800  # that an autoscaler's policy takes. kubernetes/api:autoscaling/v2/types.go
_UP_SECONDS, _DOWN_SECONDS = 60, 1800


def render(ground: Ground) -> dict[str, Any] | None:
    if not ground.wish.autoscale:
        return None
    kind = "LeaderWorkerSet" if ground.draft.nodes_per_replica > 1 else "Deployment"
    version = "leaderworkerset.x-k8s.io/v1" if kind == "LeaderWorkerSet" else "apps/v1"
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": ground.metadata(),
        "spec": {
            "scaleTargetRef": {"apiVersion": version, "kind": kind, "name": ground.name},
            "minReplicaCount": ground.wish.replicas,
            "maxReplicaCount": ground.wish.most_replicas or ground.wish.replicas + 1,
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": _behaviour(ground)}},
            "triggers": [_by_utilisation(ground) if ground.wish.autoscale == "utilisation" else _by_waiting(ground)],
        },
    }


def _behaviour(ground: Ground) -> dict[str, Any]:
    start = min(_LONGEST_PERIOD, ground.budget_seconds)
    return {
        "scaleUp": {"stabilizationWindowSeconds": _UP_SECONDS, "policies": [_one_in(start)]},
        "scaleDown": {"stabilizationWindowSeconds": _DOWN_SECONDS, "policies": [_one_in(600)]},
    }


def _one_in(seconds: int) -> dict[str, Any]:
    return {"type": "Pods", "value": 1, "periodSeconds": seconds}


def _by_waiting(ground: Ground) -> dict[str, Any]:
    """Of all replicas together, and so many for each."""
    where = f'namespace="{ground.namespace}",model_name="{ground.name}"'
    query = f"sum({_WAITING[ground.draft.support.engine]}{{{where}}})"
    return _trigger("AverageValue", query, _TARGET_WAITING)


def _by_utilisation(ground: Ground) -> dict[str, Any]:
    """A mean already: not to be divided by replicas once more."""
    end = "[0-9]+(-[0-9]+)?" if ground.draft.nodes_per_replica > 1 else "[a-z0-9]+-[a-z0-9]{5}"
    where = f'namespace="{ground.namespace}",pod=~"{ground.name}-{end}"'
    return _trigger("Value", f"avg(DCGM_FI_DEV_GPU_UTIL{{{where}}})", _TARGET_PERCENT)


def _trigger(kind: str, query: str, target: str) -> dict[str, Any]:
    told = {"serverAddress": _PROMETHEUS, "query": query, "threshold": target}
    return {"type": "prometheus", "metricType": kind, "metadata": told}


def note(ground: Ground) -> str:
    if ground.wish.autoscale == "utilisation":
        return "GPU utilisation is a poor measure: one user's decoding keeps GPUs as busy as a full engine."
    return (
        f"Its trigger asks {_PROMETHEUS}: change that where your Prometheus is elsewhere."
        if ground.wish.autoscale
        else ""
    )


MANIFEST = Manifest(70, "ScaledObject", render, note, page=__doc__ or "")
