"""Making pods from a template, and picking those that go first."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from bot.local.cluster.controllers.access import Key, Obj
from bot.local.cluster.controllers.conditions import condition
from bot.local.cluster.controllers.owned import owned_by


def pod_from(
    template: Mapping[str, Any], owner: Obj, *, name: str = "", labels: Mapping[str, str] | None = None
) -> Obj:
    """A pod of `owner`. Without `name` the API server makes one from the owner's."""
    meta = template.get("metadata") or {}
    naming = {"name": name} if name else {"generateName": f"{owner['metadata']['name']}-"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **naming,
            "namespace": owner["metadata"]["namespace"],
            "labels": {**(meta.get("labels") or {}), **(labels or {})},
            "annotations": dict(meta.get("annotations") or {}),
            "ownerReferences": owned_by(owner),
        },
        "spec": dict(template["spec"]),
    }


def first_to_go(pods: Mapping[Key, Obj], ready: Iterable[Key]) -> list[Key]:
    """Unbound, then not ready, then the youngest. Source: kubernetes/kubernetes:pkg/controller/controller_utils.go."""
    ready = set(ready)

    def rank(key: Key) -> tuple[bool, bool, float, Key]:
        pod = pods[key]
        age = parse_time(pod["metadata"].get("creationTimestamp")).timestamp()
        return bool(pod["spec"].get("nodeName")), key in ready, -age, key

    return sorted(pods, key=rank)


def available_since(pod: Obj) -> datetime | None:
    """When the pod became ready, or None if it is not."""
    found = condition(pod, "Ready")
    return parse_time(found.get("lastTransitionTime")) if found and found["status"] == "True" else None


def parse_time(text: str | None) -> datetime:
    """An RFC 3339 time; what is missing counts as long ago."""
    if not text:
        return datetime.fromtimestamp(0, UTC)
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
