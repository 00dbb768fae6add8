"""Label selectors and node selectors, parsed once, with Kubernetes' own rules for what does not parse.

kubernetes/apimachinery:pkg/labels/selector.go and kubernetes/component-helpers:scheduling/corev1/nodeaffinity. What an
API server would have refused is kept as a selector that says why it is `invalid` and matches nothing.
"""

import re
from collections.abc import Mapping

import msgspec

_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?",
    re.ASCII,
)
_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,19}", re.ASCII)
LABEL_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})
NODE_OPERATORS = LABEL_OPERATORS | {"Gt", "Lt"}


class Requirement(msgspec.Struct, frozen=True, gc=False):
    """One condition on a label (or field)."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        if self.operator == "In":
            return value is not None and value in self.values
        if self.operator == "NotIn":
            return value is None or value not in self.values
        if self.operator == "Exists":
            return value is not None
        if self.operator == "DoesNotExist":
            return value is None
        if value is None or not _INTEGER.fullmatch(value):
            return False
        bound = int(self.values[0])
        return int(value) > bound if self.operator == "Gt" else int(value) < bound

    def flaw(self, operators: frozenset[str]) -> str:
        """Why it does not parse; empty where it does."""
        if self.operator not in operators:
            return f"{self.operator[:40]!r} is not a valid operator"
        if len(self.key) > 317 or not _KEY.fullmatch(self.key):
            return f"{self.key[:40]!r} is not a valid label key"
        if self.operator in ("Exists", "DoesNotExist"):
            return "values must be empty for Exists and DoesNotExist" if self.values else ""
        if self.operator in ("Gt", "Lt"):
            return "" if len(self.values) == 1 and _INTEGER.fullmatch(self.values[0]) else "needs exactly one integer"
        if not self.values:
            return "needs at least one value for In and NotIn"
        return "" if all(map(_VALUE.fullmatch, self.values)) else "a value is not a valid label value"

    def __str__(self) -> str:
        return " ".join(filter(None, (self.key, self.operator, ",".join(self.values))))


class Selector(msgspec.Struct, frozen=True, gc=False):
    """A label selector. `nothing`: there is none, or it does not parse (`invalid` says why): it matches no object."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False
    invalid: str = ""

    @property
    def empty(self) -> bool:
        """There, but without a condition: it matches everything."""
        return not self.requirements and not self.nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.nothing:
            return False
        return all(requirement.matches(labels) for requirement in self.requirements)


NOTHING = Selector(nothing=True)
EVERYTHING = Selector()


class NodeTerm(msgspec.Struct, frozen=True, gc=False):
    """One nodeSelectorTerm: all expressions and fields must hold. An `invalid` or empty one matches no node."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()
    invalid: str = ""

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        if self.invalid or not (self.expressions or self.fields):
            return False
        if not all(requirement.matches(labels) for requirement in self.expressions):
            return False
        return not self.fields or self._field_matches(name)

    def _field_matches(self, name: str) -> bool:
        """Only metadata.name is known; every other field is empty. Only In and NotIn of one value get this far."""
        for requirement in self.fields:
            value = name if requirement.key == "metadata.name" else ""
            if (value == requirement.values[0]) != (requirement.operator == "In"):
                return False
        return True


def node_term(expressions: tuple[Requirement, ...], fields: tuple[Requirement, ...]) -> NodeTerm:
    """A term, and whether it parses."""
    flaws = [flaw for one in expressions if (flaw := one.flaw(NODE_OPERATORS))]
    flaws += [
        "fields take In or NotIn with one value"
        for one in fields
        if one.operator not in ("In", "NotIn") or len(one.values) != 1
    ]
    return NodeTerm(expressions, fields, flaws[0] if flaws else "")


def selector(labels: Mapping[str, str], requirements: tuple[Requirement, ...]) -> Selector:
    """matchLabels and matchExpressions as one selector."""
    every = (*(Requirement(key, "In", (value,)) for key, value in sorted(labels.items())), *requirements)
    flaws = [flaw for one in every if (flaw := one.flaw(LABEL_OPERATORS))]
    return Selector(every, nothing=True, invalid=flaws[0]) if flaws else Selector(every)
