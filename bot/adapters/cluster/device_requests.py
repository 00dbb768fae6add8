"""What a resource claim asks for, in the forms of all API versions: kubernetes/api:resource/v1 and v1beta1.

v1beta1 has the fields of `exactly` in the request itself.
"""

from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Wire
from bot.domain.dra_request import Constraint, DeviceRequest, DeviceToleration, Selecting
from bot.domain.quantity import parse


class WireCel(Wire):
    """An expression."""

    expression: str = ""


class WireSelector(Wire):
    """CEL is the only kind of selector so far."""

    cel: WireCel | None = None


class WireToleration(Wire):
    """A toleration of a device's taint."""

    key: str | None = ""
    operator: str | None = ""
    value: str | None = ""
    effect: str | None = ""


class WireCapacity(Wire):
    """How much of each device."""

    requests: dict[str, str | int | float] | None = None


class WireExact(Wire):
    """A request for devices of one class."""

    name: str = ""
    device_class_name: str = ""
    allocation_mode: str | None = ""
    count: int | None = None
    admin_access: bool | None = None
    selectors: list[WireSelector] | None = None
    tolerations: list[WireToleration] | None = None
    capacity: WireCapacity | None = None


class WireRequest(WireExact, kw_only=True):
    """A request of any form."""

    exactly: WireExact | None = None
    first_available: list[WireExact] | None = None


class WireConstraint(Wire):
    """What devices must have in common, or apart."""

    requests: list[str] | None = None
    match_attribute: str | None = None
    distinct_attribute: str | None = None


def expressions(wires: list[WireSelector] | None, shared: Shared) -> tuple[Selecting, ...]:
    return tuple(shared.text[one.cel.expression if one.cel else ""] for one in wires or ())


def request(wire: WireRequest, shared: Shared) -> DeviceRequest:
    """One request, whatever its form."""
    if wire.first_available:
        alternatives = tuple(_exact(one.name, one, shared) for one in wire.first_available)
        return DeviceRequest(wire.name, alternatives=alternatives)
    exact = wire.exactly or (wire if wire.device_class_name else None)
    return DeviceRequest(wire.name, known=False) if exact is None else _exact(wire.name, exact, shared)


def _exact(name: str, wire: WireExact, shared: Shared) -> DeviceRequest:
    asked = wire.capacity.requests if wire.capacity else None
    return DeviceRequest(
        name,
        device_class=shared.text[wire.device_class_name],
        mode=shared.text[wire.allocation_mode or "ExactCount"],
        count=1 if not wire.count else wire.count,  # an API server fills in 1
        admin=bool(wire.admin_access),
        selectors=expressions(wire.selectors, shared),
        tolerations=tuple(_toleration(one) for one in wire.tolerations or ()),
        capacity=tuple((key, parse(str(value))) for key, value in sorted((asked or {}).items())),
    )


def _toleration(wire: WireToleration) -> DeviceToleration:
    return DeviceToleration(wire.key or "", wire.operator or "", wire.value or "", wire.effect or "")


def constraint(wire: WireConstraint) -> Constraint:
    """A constraint without an attribute is of a kind that nobody knows."""
    named = frozenset(wire.requests or ())
    if wire.match_attribute is not None:
        return Constraint(wire.match_attribute, requests=named)
    return Constraint(wire.distinct_attribute or "", distinct=True, requests=named)
