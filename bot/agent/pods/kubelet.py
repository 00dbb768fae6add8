"""What the kubelet has given to whom: its pod-resources API, `v1.PodResourcesLister/List`.

Message layout: kubernetes/kubelet:pkg/apis/podresources/v1/api.proto. Devices of device plugins carry the plugin's own
ids; devices of dynamic resource allocation carry driver, pool and device name.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.agent.pods import unary
from bot.agent.pods.wire import fields, text

SOCKET = "/var/lib/kubelet/pod-resources/kubelet.sock"
METHOD = "/v1.PodResourcesLister/List"
VENDOR = "nvidia.com"
DRA_DRIVER = "gpu.nvidia.com"


@dataclass(frozen=True, slots=True)
class Given:
    """One device of one pod. `resource`: `nvidia.com/gpu`, `nvidia.com/mig-1g.10gb`, or the DRA driver's name."""

    pod: str
    container: str
    resource: str
    device: str


async def given(socket: str, timeout_seconds: float) -> tuple[Given, ...]:
    """All GPUs that are given out on this node. Raises unary.CallError, wire.WireError."""
    return read(await unary.call(socket, METHOD, timeout_seconds=timeout_seconds))


def read(message: bytes) -> tuple[Given, ...]:
    """ListPodResourcesResponse. Raises wire.WireError."""
    return tuple(one for number, pod in fields(message) if number == 1 for one in _pod(pod))


def _pod(message: bytes) -> Iterator[Given]:
    """PodResources: name 1, namespace 2, containers 3."""
    parts = list(fields(message))
    names = {number: text(value) for number, value in parts if number in (1, 2)}
    pod = f"{names.get(2, '')}/{names.get(1, '')}"
    for number, container in parts:
        if number == 3:
            yield from _container(pod, container)


def _container(pod: str, message: bytes) -> Iterator[Given]:
    """ContainerResources: name 1, devices 2, dynamic_resources 5."""
    parts = list(fields(message))
    name = next((text(value) for number, value in parts if number == 1), "")
    for number, value in parts:
        found = _devices(value) if number == 2 else _claimed(value) if number == 5 else ()
        for resource, device in found:
            yield Given(pod, name, resource, device)


def _devices(message: bytes) -> Iterator[tuple[str, str]]:
    """ContainerDevices: resource_name 1, device_ids 2."""
    parts = list(fields(message))
    resource = next((text(value) for number, value in parts if number == 1), "")
    if resource.startswith(f"{VENDOR}/"):
        yield from ((resource, text(value)) for number, value in parts if number == 2)


def _claimed(message: bytes) -> Iterator[tuple[str, str]]:
    """DynamicResource: claim_resources 4, of driver_name 2 and device_name 4 each."""
    for number, resource in fields(message):
        if number == 4:
            names = {place: text(value) for place, value in fields(resource)}
            if names.get(2) == DRA_DRIVER:
                yield DRA_DRIVER, names.get(4, "")
