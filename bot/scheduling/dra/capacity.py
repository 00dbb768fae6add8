"""Devices that several claims share, each a portion: kubernetes/dynamic-resource-allocation consumable_capacity.go."""

from collections.abc import Mapping
from fractions import Fraction

from bot.domain.dra import Capacity, Device, DeviceRequest

Portion = Mapping[str, Fraction]
NOTHING: Portion = {}
ZERO = Fraction(0)


def is_plain(device: Device) -> bool:
    """Whether the device is for one claim, and that one has all of it."""
    return not device.shared and all(not one.ranged and not one.valid for one in device.capacity.values())


def portion(request: DeviceRequest, device: Device) -> Portion | None:
    """How much of each capacity the request would take; None where it asks for what the device does not have."""
    asked = dict(request.capacity)
    if not asked.keys() <= device.capacity.keys():
        return None
    return {name: _taken(asked.get(name), capacity) for name, capacity in device.capacity.items()}


def fits(taken: Portion, device: Device, used: Portion, chosen: Portion) -> bool:
    """Whether that portion is allowed and left, beside what claims have (`used`) and this search took (`chosen`)."""
    return all(
        _allowed(taken[name], capacity)
        and taken[name] + used.get(name, ZERO) + chosen.get(name, ZERO) <= capacity.value
        for name, capacity in device.capacity.items()
    )


def _taken(asked: Fraction | None, capacity: Capacity) -> Fraction:
    """All of it where nothing is asked for and there is no default; else rounded up to the next portion."""
    if asked is None:
        return capacity.value if capacity.default is None else capacity.default
    if capacity.ranged and capacity.least is not None:
        return _in_range(asked, capacity.least, capacity.step)
    return next((one for one in capacity.valid if asked <= one), asked)


def _in_range(asked: Fraction, least: Fraction, step: Fraction | None) -> Fraction:
    if asked < least:
        return least
    if not step:
        return asked
    return least + -((least - asked) // step) * step


def _allowed(taken: Fraction, capacity: Capacity) -> bool:
    if capacity.default is not None and taken == capacity.default:
        return True
    if capacity.ranged:
        if capacity.most is not None and taken > capacity.most:
            return False
        return not capacity.step or (taken - (capacity.least or ZERO)) % capacity.step == 0
    return not capacity.valid or taken in capacity.valid
