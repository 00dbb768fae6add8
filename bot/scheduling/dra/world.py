"""What a search for devices knows of the cluster: slices, classes, and who holds which device."""

from fractions import Fraction

from bot.domain.dra import Allocated, DeviceClass, ResourceClaim
from bot.domain.view import View
from bot.scheduling.dra.pools import Slices


class World:
    """Made once for a pod; reads the view's index of holders."""

    def __init__(self, view: View) -> None:
        self.slices = Slices(view.resourceslices.values())
        self._classes = view.deviceclasses
        self._holders = view.devices.holders

    def device_class(self, name: str) -> DeviceClass | None:
        return self._classes.get(name)

    def holders(self, device: Allocated) -> list[ResourceClaim]:
        return self._holders.get(device, [])

    def held(self, device: Allocated) -> bool:
        """Whether a claim has the whole device."""
        for claim in self._holders.get(device, ()):
            if not claim.portions or all(device != one for one, _ in claim.portions):
                return True
        return False

    def portions(self, device: Allocated) -> dict[str, Fraction]:
        """What claims have of a device that is shared."""
        used: dict[str, Fraction] = {}
        for claim in self._holders.get(device, ()):
            for one, amounts in claim.portions:
                if one == device:
                    for name, value in amounts:
                        used[name] = used.get(name, Fraction(0)) + value
        return used
