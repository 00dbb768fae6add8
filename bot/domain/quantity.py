"""Kubernetes quantities as whole numbers: CPU in millicores, everything else in its own unit, rounded up.

The grammar is that of kubernetes/apimachinery:pkg/api/resource/quantity.go: a decimal number with one of
n u m k M G T P E, one of Ki Mi Gi Ti Pi Ei, or an exponent. kube-scheduler compares CPU in millicores and all
other resources as integers rounded up, so the same is done here.
"""

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?", re.ASCII)
_SCALE: dict[str | None, Fraction] = {
    None: Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{letter: Fraction(10 ** (3 * power)) for power, letter in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": Fraction(2 ** (10 * power)) for power, letter in enumerate("KMGTPE", start=1)},
}
_LONGEST = 64  # a longer text is no quantity that an API server would have accepted


class QuantityError(ValueError):
    """The text is not a Kubernetes quantity."""


@lru_cache(maxsize=8192)
def parse(text: str) -> Fraction:
    """The exact value of a quantity such as `1500m`, `64Gi` or `2e3`. Raises QuantityError."""
    found = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise QuantityError(f"{text[:_LONGEST]!r} is not a Kubernetes quantity")
    number, suffix, exponent = found.groups()
    return Fraction(number) * (_SCALE[suffix] if exponent is None else Fraction(10) ** int(exponent))


def parsed(text: str) -> Fraction | None:
    """The same of a text that nobody checked; None where it is no quantity."""
    try:
        return parse(text)
    except QuantityError:
        return None


@lru_cache(maxsize=8192)
def amount(resource: str, text: str) -> int:
    """`text` as the scheduler counts it for `resource`: millicores for cpu, whole units rounded up otherwise."""
    value = parse(text)
    return math.ceil(value * 1000) if resource == "cpu" else math.ceil(value)


def amounts(resources: Mapping[str, object]) -> dict[str, int]:
    """A `requests`, `allocatable` or `capacity` map in whole numbers. Raises QuantityError naming the resource."""
    try:
        return {
            name: amount(name, value if isinstance(value, str) else str(value)) for name, value in resources.items()
        }
    except QuantityError as error:
        raise QuantityError(f"{error} (in {', '.join(sorted(resources))})") from error


def shown(resource: str, value: int) -> str:
    """A whole number as people read it: CPUs, GiB, pieces."""
    if resource == "cpu":
        return f"{value / 1000:g}"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20)):
            if abs(value) >= size:
                return f"{value / size:.4g} {unit}"
    return f"{value:,}"
