"""Constraints between the devices of a claim: kubernetes/dynamic-resource-allocation:structured/internal/incubating."""

from bot.domain.dra import Allocated, Constraint, Device

Value = tuple[str, str]  # type and text of an attribute


def attribute(device: Device, id: Allocated, name: str) -> Value | None:  # noqa: A002  # the API's word
    """By its full name, or without the domain where that is the driver's."""
    domain, _, rest = name.partition("/")
    for key in (name, rest if rest and domain == id.driver else name):
        if key in device.attributes:
            return device.types.get(key, "string"), device.attributes[key]
    return None


class Tally:
    """A constraint, and the values of the devices that were chosen so far."""

    def __init__(self, constraint: Constraint) -> None:
        self.constraint = constraint
        self._same: Value | None = None
        self._others: dict[
            str, Value
        ] = {}  # by request: of several devices of one only the last counts, as it does there
        self._devices = 0

    def add(self, request: str, alternative: str, device: Device, id: Allocated) -> bool:  # noqa: A002
        """Whether the device may be taken too; if so it is counted."""
        if not self.constraint.covers(request, alternative):
            return True
        value = attribute(device, id, self.constraint.attribute)
        if value is None or (self._devices and not self._fits(value)):
            return False
        if not self._devices:
            self._same = value
        self._others[request] = value
        self._devices += 1
        return True

    def _fits(self, value: Value) -> bool:
        return value not in self._others.values() if self.constraint.distinct else value == self._same

    def remove(self, request: str, alternative: str) -> None:
        if self.constraint.covers(request, alternative):
            self._others.pop(request, None)
            self._devices -= 1
