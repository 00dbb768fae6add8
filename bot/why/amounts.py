"""Resource amounts of objects that only explanations read: read without trust, said in words."""

from collections.abc import Iterable, Mapping

from bot.domain.fields import Fields
from bot.domain.pod import Container
from bot.domain.quantity import QuantityError, amount
from bot.domain.record import Amounts
from bot.domain.words import count
from bot.scheduling.requests import effective

_PLAIN = {"nvidia.com/gpu": "GPU", "amd.com/gpu": "AMD GPU", "pods": "pod", "nodes": "node"}
_UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20))
_ORDER = ("cpu", "memory", "pods")


def amounts_of(resources: Mapping[str, str]) -> dict[str, int]:
    """A resource list in whole numbers (millicores, bytes, pieces); what is no quantity is left out."""
    found: dict[str, int] = {}
    for name, value in resources.items():
        try:
            found[name] = amount(name, value)
        except QuantityError:
            continue
    return found


def amount_of(resource: str, text: str) -> int:
    """One of them; 0 where it is no quantity."""
    return amounts_of({resource: text}).get(resource, 0)


def hard_of(quota: Fields) -> dict[str, str]:
    """What a ResourceQuota allows: as its controller counts with, else as it is asked for."""
    return quota.map("status", "hard") or quota.map("spec", "hard")


def of_template(spec: Fields) -> dict[str, int]:
    """What one pod of that template counts for; limits stand for requests that are missing, as in the API server."""
    init = [_container(one, init=True) for one in spec.each("initContainers")]
    return effective(
        [*init, *(_container(one, init=False) for one in spec.each("containers"))],
        pod_level=amounts_of(spec.map("resources", "requests")),
        overhead=amounts_of(spec.map("overhead")),
    )


def _container(fields: Fields, *, init: bool) -> Container:
    asked = {**fields.map("resources", "limits"), **fields.map("resources", "requests")}
    sidecar = init and fields.text("restartPolicy") == "Always"
    return Container(fields.text("name"), requests=amounts_of(asked), init=init, sidecar=sidecar)


def times(one: Amounts, number: int) -> dict[str, int]:
    return {name: value * number for name, value in one.items()}


def added(amounts: Iterable[Amounts]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in amounts:
        for name, value in one.items():
            total[name] = total.get(name, 0) + value
    return total


def said(resource: str, value: int) -> str:
    """`8 GPUs`, `4 CPU`, `64 GiB of memory`, `3 nvidia.com/mig-1g.10gb` with the name marked."""
    if resource in _PLAIN:
        return count(value, _PLAIN[resource])
    if resource == "cpu":
        return f"{value / 1000:g} CPU"
    if resource == "memory" or resource.endswith("storage") or resource.startswith("hugepages-"):
        return f"{number(resource, value)} of {resource}"
    return f"{value:,} `{resource}`"


def number(resource: str, value: int) -> str:
    """The amount without the resource's name, where that stands beside it already."""
    if resource == "cpu":
        return f"{value / 1000:g}"
    if resource == "memory" or resource.endswith("storage") or resource.startswith("hugepages-"):
        return next((f"{value / size:.4g} {unit}" for unit, size in _UNITS if abs(value) >= size), f"{value:,} bytes")
    return f"{value:,}"


def name_of(resource: str) -> str:
    """The resource in words, for many of it: `GPUs`, `CPU`, else its name marked."""
    if resource in _PLAIN:
        return f"{_PLAIN[resource]}s"
    return "CPU" if resource == "cpu" else resource if resource == "memory" else f"`{resource}`"


def scarcest_first(resources: Iterable[str]) -> list[str]:
    """GPUs and other devices before pods, memory and CPU: what people ask about first."""
    return sorted(resources, key=lambda name: (name in _ORDER or "storage" in name, name))
