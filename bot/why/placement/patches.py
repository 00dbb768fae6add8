"""Patches of a pod template: what `kubectl patch` is given.

Lists have no names for their entries (tolerations, spread constraints, terms of an affinity), so they are changed by
JSON patch (RFC 6902); containers are found by name in a strategic merge patch.
"""

import json
from collections.abc import Mapping, Sequence

from bot.domain.fields import Fields

AT = "/spec/template/spec"
REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def without_requirement(template: Fields, key: str) -> list[dict[str, object]]:
    """Terms are alternatives: where one is left empty, nothing is required any more."""
    steps: list[dict[str, object]] = []
    for term_index, term in enumerate(template.at(*REQUIRED).each("nodeSelectorTerms")):
        keys = [one.text("key") for one in term.each("matchExpressions")]
        if key in keys and set(keys) == {key} and not term.get("matchFields"):
            return [{"op": "remove", "path": f"{AT}/{'/'.join(REQUIRED)}"}]
        path = f"{AT}/{'/'.join(REQUIRED)}/nodeSelectorTerms/{term_index}/matchExpressions"
        steps += [
            {"op": "remove", "path": f"{path}/{index}"} for index in reversed(range(len(keys))) if keys[index] == key
        ]
    return steps


def added(path: str, value: object, *, there: bool) -> list[dict[str, object]]:
    """At the end of a list, or as the first of a new one."""
    return [{"op": "add", "path": f"{path}/-" if there else path, "value": value if there else [value]}]


def json_patch(steps: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    return "--type=json", "-p", json.dumps(steps)


def merge_patch(change: Mapping[str, object]) -> tuple[str, ...]:
    """Strategic: containers are found by their names, and null takes a field away."""
    return "patch", "-p", json.dumps({"spec": {"template": {"spec": change}}})


def escaped(key: str) -> str:
    """RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")
