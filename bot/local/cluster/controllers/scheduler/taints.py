"""Taints and tolerations. Source: kubernetes/kubernetes:staging/src/k8s.io/api/core/v1/toleration.go."""

from collections.abc import Iterable, Mapping
from typing import Any

BLOCKING = ("NoSchedule", "NoExecute")


def first_untolerated(
    tolerations: Iterable[Mapping[str, Any]], taints: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    tolerations = tuple(tolerations)
    return next((t for t in taints if t["effect"] in BLOCKING and not tolerates(tolerations, t)), None)


def tolerates(tolerations: Iterable[Mapping[str, Any]], taint: Mapping[str, Any]) -> bool:
    return any(_matches(toleration, taint) for toleration in tolerations)


def toleration_seconds(tolerations: Iterable[Mapping[str, Any]], taint: Mapping[str, Any]) -> float | None:
    """How long a running pod may stay beside a NoExecute taint: 0 if it is not tolerated, None for ever."""
    matching = [t for t in tolerations if _matches(t, taint)]
    if not matching:
        return 0
    limits = [t["tolerationSeconds"] for t in matching if t.get("tolerationSeconds") is not None]
    return max(0, min(limits)) if limits else None


def _matches(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("key") not in (None, "", taint["key"]):
        return False
    if toleration.get("operator") == "Exists":
        return True
    if toleration.get("operator") not in (None, "", "Equal"):
        return False  # Lt and Gt are alpha
    return bool(toleration.get("key")) and toleration.get("value", "") == (taint.get("value") or "")
