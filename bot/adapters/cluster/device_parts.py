"""Parts of a published device: kubernetes/api:resource/v1/types.go (Device); v1beta1 wraps them in `basic`."""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from bot.adapters.cluster.node_terms import node_terms
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Wire
from bot.adapters.cluster.wire_spec import WireNodeSelector
from bot.domain.dra import NO_COUNTERS, Capacity, Counters, Device, DeviceTaint
from bot.domain.quantity import parse
from bot.domain.record import NONE, Labels

Number = str | int | float
Attribute = dict[str, str | int | bool | list[str | int | bool]]


class WireTaint(Wire):
    """A device's taint."""

    key: str | None = ""
    value: str | None = ""
    effect: str = ""


class WireRange(Wire):
    """Portions between two amounts."""

    min: Number | None = None
    max: Number | None = None
    step: Number | None = None


class WirePolicy(Wire):
    """In which portions a capacity may be asked for."""

    default: Number | None = None
    valid_values: list[Number] | None = None
    valid_range: WireRange | None = None


class WireCapacity(Wire):
    """How much there is of something."""

    value: Number = "0"
    request_policy: WirePolicy | None = None


class WireCounter(Wire):
    """An amount of a counter."""

    value: Number = "0"


class WireCounters(Wire):
    """Counters of one set. `name` where a slice defines them, `counter_set` where a device takes of them."""

    name: str = ""
    counter_set: str = ""
    counters: dict[str, WireCounter] | None = None


class WireDetails(Wire):
    """What a device says of itself: an attribute has one of string, int, bool and version."""

    attributes: dict[str, Attribute] | None = None
    capacity: dict[str, WireCapacity] | None = None
    taints: list[WireTaint] | None = None
    consumes_counters: list[WireCounters] | None = None
    node_name: str | None = ""
    all_nodes: bool | None = None
    node_selector: WireNodeSelector | None = None
    binding_conditions: list[str] | None = None
    allow_multiple_allocations: bool | None = None


class WireDevice(WireDetails, kw_only=True):
    """One device."""

    name: str
    basic: WireDetails | None = None


def device(wire: WireDevice, shared: Shared) -> Device:
    details = wire.basic or wire
    taints = tuple(DeviceTaint(one.key or "", one.value or "", one.effect) for one in details.taints or ())
    return Device(
        name=shared.text[wire.name],
        attributes=_texts(details.attributes, shared) if details.attributes else NONE,
        tainted=any(taint.blocks for taint in taints),
        types=_types(details.attributes, shared) if details.attributes else NONE,
        capacity={shared.text[name]: _capacity(one) for name, one in (details.capacity or {}).items()},
        taints=taints,
        counters=counters(details.consumes_counters),
        shared=bool(details.allow_multiple_allocations),
        conditional=bool(details.binding_conditions),
        node=details.node_name or "",
        all_nodes=bool(details.all_nodes),
        node_terms=node_terms(details.node_selector),
    )


def counters(wires: list[WireCounters] | None) -> Counters:
    if not wires:
        return NO_COUNTERS
    return {one.name or one.counter_set: _amounts(one.counters) for one in wires}


def _amounts(wires: dict[str, WireCounter] | None) -> Mapping[str, Fraction]:
    return {name: parse(str(one.value)) for name, one in (wires or {}).items()}


def _capacity(wire: WireCapacity) -> Capacity:
    policy = wire.request_policy or WirePolicy()
    span = policy.valid_range or WireRange()
    return Capacity(
        parse(str(wire.value)),
        default=_number(policy.default),
        valid=tuple(parse(str(one)) for one in policy.valid_values or ()),
        least=_number(span.min),
        most=_number(span.max),
        step=_number(span.step),
        ranged=policy.valid_range is not None,
    )


def _number(value: Number | None) -> Fraction | None:
    return None if value is None else parse(str(value))


def _texts(attributes: dict[str, Attribute], shared: Shared) -> Labels:
    text = shared.text
    return {text[name]: text[_plain(value)] for name, typed in attributes.items() for value in typed.values()}


def _types(attributes: dict[str, Attribute], shared: Shared) -> Labels:
    """One dictionary for all devices whose attributes are alike."""
    key = tuple((name, kind) for name, typed in attributes.items() for kind in typed)
    known = shared.types.get(key)
    return known if known is not None else shared.types.keep(key, dict(key))


def _plain(value: str | int | bool | list[str | int | bool]) -> str:
    if isinstance(value, list):
        return msgspec.json.encode(value).decode()
    return str(value).lower() if isinstance(value, bool) else str(value)
