"""Label and field selectors: parsed once, then asked of every object.

Grammar: kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/labels/selector.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot.local.cluster.store import errors
from bot.local.cluster.store.resources import Resource

Operator = Literal["in", "notin", "exists", "absent", "gt", "lt"]

_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")
_KEY = r"[A-Za-z0-9](?:[\w./-]*[A-Za-z0-9])?"
_SET = re.compile(rf"({_KEY})\s+(in|notin)\s*\(([^()]*)\)")
_EQUALITY = re.compile(rf"({_KEY})\s*(==|=|!=|>|<)\s*([\w.-]*)")
_PRESENCE = re.compile(rf"(!?)\s*({_KEY})")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One term of a label selector; all terms of a selector must hold."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether `labels` meets this term; `notin` holds where the label is absent, as in Kubernetes."""
        value = labels.get(self.key)
        match self.operator:
            case "in":
                return value in self.values
            case "notin":
                return value not in self.values
            case "exists":
                return value is not None
            case "absent":
                return value is None
            case _:
                return self._compares(value)

    def _compares(self, value: str | None) -> bool:
        (bound,) = self.values
        if value is None or not value.lstrip("-").isdigit():
            return False
        return int(value) > int(bound) if self.operator == "gt" else int(value) < int(bound)


LabelSelector = tuple[Requirement, ...]


def parse_labels(text: str) -> LabelSelector:
    """Read `a=b,c!=d,e in (f,g),h,!i`; ApiError 400 when it is not a selector."""
    parts = [part.strip() for part in _OUTSIDE_PARENTHESES.split(text)] if text.strip() else []
    return tuple(_requirement(part, text) for part in parts)


def _requirement(part: str, whole: str) -> Requirement:
    if found := _SET.fullmatch(part):
        key, operator, values = found.groups()
        return Requirement(key, "in" if operator == "in" else "notin", frozenset(v.strip() for v in values.split(",")))
    if found := _EQUALITY.fullmatch(part):
        key, sign, value = found.groups()
        if sign in "<>" and not value.lstrip("-").isdigit():
            raise errors.bad_request(f"unable to parse requirement: {sign!r} needs an integer: {whole!r}")
        operators: dict[str, Operator] = {"!=": "notin", ">": "gt", "<": "lt"}
        return Requirement(key, operators.get(sign, "in"), frozenset({value}))
    if found := _PRESENCE.fullmatch(part):
        return Requirement(found[2], "absent" if found[1] else "exists")
    raise errors.bad_request(f"unable to parse requirement: found {part!r} in {whole!r}")


def from_object(selector: Mapping[str, Any] | None) -> LabelSelector | None:
    """Read a `LabelSelector` object (matchLabels, matchExpressions); None selects nothing, {} everything."""
    if selector is None:
        return None
    operators: dict[str, Operator] = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "absent"}
    return (
        *(Requirement(key, "in", frozenset({value})) for key, value in (selector.get("matchLabels") or {}).items()),
        *(
            Requirement(term["key"], operators[term["operator"]], frozenset(term.get("values") or []))
            for term in selector.get("matchExpressions") or []
        ),
    )


def matches(selector: Sequence[Requirement], labels: Mapping[str, str]) -> bool:
    """Whether every term holds."""
    return all(term.matches(labels) for term in selector)


def render(selector: Sequence[Requirement]) -> str:
    """Write a selector the way Kubernetes prints it, e.g. in a Scale's status."""
    return ",".join(_render_one(term) for term in selector)


def _render_one(term: Requirement) -> str:
    values = ",".join(sorted(term.values))
    match term.operator:
        case "in":
            return f"{term.key}={values}" if len(term.values) == 1 else f"{term.key} in ({values})"
        case "notin":
            return f"{term.key}!={values}" if len(term.values) == 1 else f"{term.key} notin ({values})"
        case "exists":
            return term.key
        case "absent":
            return f"!{term.key}"
        case "gt":
            return f"{term.key}>{values}"
        case _:
            return f"{term.key}<{values}"


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """One term of a field selector: `path` must (or must not) read as `value`."""

    path: str
    value: str
    equal: bool


FieldSelector = tuple[FieldTerm, ...]
_FIELD = re.compile(r"([\w.\[\]/-]+?)\s*(==|=|!=)\s*(.*)")


def parse_fields(text: str, resource: Resource, selectable: Sequence[str]) -> FieldSelector:
    """Read `spec.nodeName=a,status.phase!=Running`; ApiError 400 for a field that `resource` cannot select by."""
    return tuple(_field(part, resource, selectable) for part in text.split(",") if part)


def _field(part: str, resource: Resource, selectable: Sequence[str]) -> FieldTerm:
    found = _FIELD.fullmatch(part.strip())
    if not found:
        raise errors.bad_request(f"invalid selector: {part!r}; can't understand {part!r}")
    path, sign, value = found.groups()
    if path not in selectable:
        raise errors.bad_request(f'Unable to find "{resource.qualified}" that match: field label not supported: {path}')
    return FieldTerm(path, value, sign != "!=")
