"""Kubernetes quantities as whole numbers, rounded up as the scheduler rounds them.

Source: kubernetes/apimachinery:pkg/api/resource/quantity.go.
"""

import re
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

SUFFIXES = {
    "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1),
    "k": Decimal(10**3), "M": Decimal(10**6), "G": Decimal(10**9),
    "T": Decimal(10**12), "P": Decimal(10**15), "E": Decimal(10**18),
    "Ki": Decimal(2**10), "Mi": Decimal(2**20), "Gi": Decimal(2**30),
    "Ti": Decimal(2**40), "Pi": Decimal(2**50), "Ei": Decimal(2**60),
}  # fmt: skip


QUANTITY = re.compile(rf"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)({'|'.join(SUFFIXES)})")


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Decimal:
    """`1500m` is 1.5, `2Ki` is 2048. Raises ValueError for anything else than a quantity."""
    found = QUANTITY.fullmatch(text)
    if not found:
        raise ValueError(f"not a quantity: {text!r}")
    return Decimal(found[1]) * SUFFIXES[found[2]]


@lru_cache(maxsize=4096)
def amount(resource: str, text: str) -> int:
    """A quantity of one resource: millicores for cpu, whole units (bytes, devices) for all else, rounded up."""
    value = parse_quantity(text)
    return int((value * 1000 if resource == "cpu" else value).to_integral_value(rounding=ROUND_CEILING))


def amounts(quantities: dict[str, object] | None) -> dict[str, int]:
    return {name: amount(name, str(value)) for name, value in (quantities or {}).items()}
