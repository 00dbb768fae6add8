"""A device as selectors see it: kubernetes/dynamic-resource-allocation:cel/compile.go (DeviceMatches)."""

from typing import Any

from celpy import celtypes

from bot.domain.dra import Device
from bot.scheduling.dra import semver
from bot.scheduling.dra.cel_functions import Quantity, Version


class UnsupportedError(ValueError):
    """An attribute has a type that the scheduler does not take."""


class Domains(celtypes.MapType):
    """Maps by domain: one that nothing is known of is empty, not missing."""

    def __missing__(self, key: Any) -> celtypes.MapType:
        return celtypes.MapType({})

    def __contains__(self, key: object) -> bool:
        return True


def as_value(device: Device, driver: str) -> celtypes.MapType:
    """The variable `device`. Raises UnsupportedError."""
    string = celtypes.StringType
    attributes = {
        name: _typed(name, text, device.types.get(name, "string")) for name, text in device.attributes.items()
    }
    capacity = {name: Quantity(one.value) for name, one in device.capacity.items()}
    return celtypes.MapType(
        {
            string("driver"): string(driver),
            string("allowMultipleAllocations"): celtypes.BoolType(device.shared),
            string("attributes"): _by_domain(attributes, driver),
            string("capacity"): _by_domain(capacity, driver),
        }
    )


def _by_domain(values: dict[str, Any], driver: str) -> Domains:
    """A name without a domain is the driver's own."""
    found: dict[str, dict[Any, Any]] = {}
    for name, value in values.items():
        domain, slash, rest = name.partition("/")
        if not slash:
            domain, rest = driver, name
        found.setdefault(domain, {})[celtypes.StringType(rest)] = value
    return Domains({celtypes.StringType(domain): celtypes.MapType(inner) for domain, inner in found.items()})


def _typed(name: str, text: str, kind: str) -> Any:
    if kind == "string":
        return celtypes.StringType(text)
    if kind == "int":
        return celtypes.IntType(int(text))
    if kind == "bool":
        return celtypes.BoolType(text == "true")
    if kind == "version" and (version := semver.parse(text)) is not None:
        return Version(version)
    raise UnsupportedError(f"attribute {name}: unsupported attribute value")
