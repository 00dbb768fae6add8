"""The text of a pull request that asks for a change where its manager takes it from."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bot.changes.managers.fields import REPLICAS, overlap
from bot.changes.managers.manager import Manager
from bot.domain.text import inert

_USUAL_VALUES = {  # what charts made by `helm create` call them (helm/helm:pkg/chart/v2/util/create.go)
    REPLICAS: "replicaCount",
    ".spec.template.spec.containers.image": "image.tag",
    ".spec.template.spec.containers.resources": "resources",
    ".spec.template.spec.nodeSelector": "nodeSelector",
    ".spec.template.spec.tolerations": "tolerations",
}
_CHARTS = ("Helm release", "Flux HelmRelease", "a Helm release")


def pull_request(manager: Manager, title: str, changes: Mapping[str, tuple[Any, Any]], because: str = "") -> str:
    """`title`: `deployment llm/glm`. changes: field → (before, after). Empty where the manager has no source."""
    if not manager.source:
        return ""
    lines = [f"{inert(title)}: {_summary(changes)}", ""]
    lines += [f"In {manager.source}:"]
    lines += [_line(manager, field, before, after) for field, (before, after) in changes.items()]
    if because:
        lines += ["", f"Because: {inert(because, 1000)}"]
    return "\n".join(lines)


def _summary(changes: Mapping[str, tuple[Any, Any]]) -> str:
    return ", ".join(f"{_last(field)} {_shown(before)} → {_shown(after)}" for field, (before, after) in changes.items())


def _line(manager: Manager, field: str, before: Any, after: Any) -> str:
    return f"- {inert(field)}: {_shown(before)} → {_shown(after)}{_value(manager, field)}"


def _value(manager: Manager, field: str) -> str:
    """Which value a chart usually takes it from."""
    if not manager.name.startswith(_CHARTS):
        return ""
    usual = next((value for known, value in _USUAL_VALUES.items() if overlap(known, field)), "")
    return f" (charts mostly call it `{usual}`)" if usual else ""


def _last(field: str) -> str:
    return inert(field.rpartition(".")[2] or field)


def _shown(value: Any) -> str:
    if value is None:
        return "unset"
    return inert(value if isinstance(value, str) else msgspec.json.encode(value).decode())
