"""The status of a Deployment, as `kubectl rollout status` and `kubectl wait` read it.

Source: kubernetes/kubernetes:pkg/controller/deployment/progress.go and sync.go.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.local.cluster.clock import rfc3339
from bot.local.cluster.controllers.access import Obj
from bot.local.cluster.controllers.conditions import Condition, condition, with_condition
from bot.local.cluster.controllers.pods import parse_time
from bot.local.cluster.controllers.rollout import limits

STALE_MARGIN_SECONDS = 1.0


def deployment_status(deployment: Obj, new: Obj | None, olds: Sequence[Obj], now: datetime) -> tuple[Obj, float | None]:
    """The new status, and in how many seconds the progress deadline passes, if one runs."""
    old = deployment.get("status") or {}
    status: Obj = {"observedGeneration": deployment["metadata"].get("generation", 1), **_counts(deployment, new, olds)}
    conditions = with_condition(old.get("conditions"), _available(deployment, status), rfc3339(now))
    progress, deadline = _progressing(deployment, new, status, now)
    if progress:
        conditions = with_condition(conditions, progress, rfc3339(now))
    return {**status, "conditions": [_updated(c, old, now) for c in conditions]}, deadline


def without_times(status: Obj) -> Any:
    """A status without the times in it: equal means that there is nothing to write."""
    plain = {k: v for k, v in status.items() if k != "conditions" and v not in (0, None)}
    told = [(c["type"], c["status"], c.get("reason"), c.get("message")) for c in status.get("conditions") or ()]
    return plain, told


def _counts(deployment: Obj, new: Obj | None, olds: Sequence[Obj]) -> Obj:
    everything = [r.get("status") or {} for r in (*olds, *([new] if new else []))]
    total = sum(s.get("replicas", 0) for s in everything)
    available = sum(s.get("availableReplicas", 0) for s in everything)
    counts = {
        "replicas": total,
        "updatedReplicas": ((new or {}).get("status") or {}).get("replicas", 0),
        "readyReplicas": sum(s.get("readyReplicas", 0) for s in everything),
        "availableReplicas": available,
        "unavailableReplicas": max(0, sum(r["spec"]["replicas"] for r in (*olds, *([new] if new else []))) - available),
    }
    return {name: count for name, count in counts.items() if count}


def _available(deployment: Obj, status: Obj) -> Condition:
    replicas = deployment["spec"].get("replicas", 1)
    enough = replicas - limits(deployment["spec"], replicas).unavailable
    if (deployment["spec"].get("strategy") or {}).get("type") == "Recreate":
        enough = replicas
    ok = status.get("availableReplicas", 0) >= enough
    return {
        "type": "Available",
        "status": "True" if ok else "False",
        "reason": "MinimumReplicasAvailable" if ok else "MinimumReplicasUnavailable",
        "message": f"Deployment {'has' if ok else 'does not have'} minimum availability.",
    }


def _progressing(deployment: Obj, new: Obj | None, status: Obj, now: datetime) -> tuple[Condition | None, float | None]:
    before = condition(deployment, "Progressing")
    seconds = deployment["spec"].get("progressDeadlineSeconds", 600)
    name = new["metadata"]["name"] if new else ""
    if deployment["spec"].get("paused"):
        paused = ("Unknown", "DeploymentPaused", "Deployment is paused")
        return (_progress(*paused), None) if (before or {}).get("reason") != "DeploymentPaused" else (None, None)
    if _complete(deployment, status):
        return _progress("True", "NewReplicaSetAvailable", f'ReplicaSet "{name}" has successfully progressed.'), None
    if before is None:
        return _progress("True", "NewReplicaSetCreated", f'Created new replica set "{name}"'), seconds
    if _moved(deployment, status) or before["reason"] in ("NewReplicaSetAvailable", "DeploymentPaused"):
        text = f'ReplicaSet "{name}" is progressing.'
        return {**_progress("True", "ReplicaSetUpdated", text), "lastUpdateTime": rfc3339(now)}, seconds
    since = parse_time(before.get("lastUpdateTime"))
    left = (since + timedelta(seconds=seconds) - now).total_seconds()
    if left > 0:
        return None, left + STALE_MARGIN_SECONDS
    return _progress("False", "ProgressDeadlineExceeded", f'ReplicaSet "{name}" has timed out progressing.'), None


def _progress(status: str, reason: str, message: str) -> Condition:
    return {"type": "Progressing", "status": status, "reason": reason, "message": message}


def _complete(deployment: Obj, status: Obj) -> bool:
    replicas = deployment["spec"].get("replicas", 1)
    counts = ("updatedReplicas", "replicas", "availableReplicas")
    return all(status.get(name, 0) == replicas for name in counts)


def _moved(deployment: Obj, status: Obj) -> bool:
    """A count went the right way since the last status."""
    old = deployment.get("status") or {}
    more = ("updatedReplicas", "readyReplicas", "availableReplicas")
    outdated = [s.get("replicas", 0) - s.get("updatedReplicas", 0) for s in (status, old)]
    return any(status.get(name, 0) > old.get(name, 0) for name in more) or outdated[0] < outdated[1]


def _updated(found: Condition, old: Obj, now: datetime) -> Condition:
    """`lastUpdateTime` moves with any change of the condition, the transition time only with its status."""
    before = condition({"status": old}, found["type"]) or {}
    same = all(found.get(k) == before.get(k) for k in ("status", "reason", "message"))
    if "lastUpdateTime" in found and found.get("lastUpdateTime") != before.get("lastUpdateTime"):
        return found
    return {
        **found,
        "lastUpdateTime": before["lastUpdateTime"] if same and before.get("lastUpdateTime") else rfc3339(now),
    }
