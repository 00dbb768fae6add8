"""What a resource claim asks for: kubernetes/api:resource/v1/types.go (DeviceRequest and its parts)."""

from fractions import Fraction

import msgspec

Selecting = str  # a CEL expression; empty where a selector is of a kind that nobody knows


class DeviceToleration(msgspec.Struct, frozen=True, gc=False):
    """Which device taints a request puts up with."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""

    def tolerates(self, key: str, value: str, effect: str) -> bool:
        """kubernetes/dynamic-resource-allocation:resourceclaim/devicetoleration.go"""
        if (self.effect and self.effect != effect) or (self.key and self.key != key):
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == value)


class DeviceRequest(msgspec.Struct, frozen=True, gc=False):
    """One request. Either `device_class` and what follows it, or `alternatives` of which the first that fits counts."""

    name: str
    device_class: str = ""
    mode: str = "ExactCount"
    count: int = 1
    admin: bool = False
    selectors: tuple[Selecting, ...] = ()
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: tuple[tuple[str, Fraction], ...] = ()
    alternatives: tuple["DeviceRequest", ...] = ()
    known: bool = True  # False: neither form

    def tolerates(self, key: str, value: str, effect: str) -> bool:
        return any(one.tolerates(key, value, effect) for one in self.tolerations)


class Constraint(msgspec.Struct, frozen=True, gc=False):
    """All devices of these requests (of all where none are named) have the same, or each another, `attribute`."""

    attribute: str
    distinct: bool = False
    requests: frozenset[str] = frozenset()

    def covers(self, request: str, alternative: str) -> bool:
        if not self.requests or request in self.requests:
            return True
        return bool(alternative) and f"{request}/{alternative}" in self.requests
