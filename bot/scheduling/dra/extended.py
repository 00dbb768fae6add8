"""Extended resources that stand for devices: a pod asks for `nvidia.com/gpu: 1` and gets a device of a class.

kubernetes/kubernetes:pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go
"""

from collections.abc import Mapping

from bot.domain.dra import DeviceRequest, ResourceClaim
from bot.domain.pod import Container, Pod
from bot.domain.record import Amounts
from bot.scheduling.state import IMPLICIT_RESOURCE

NAME = "<extended-resources>"  # of the claim while it is only thought of


def is_extended(resource: str) -> bool:
    """Whether devices may stand behind it: a name with a domain that is not Kubernetes' own."""
    if resource.startswith(IMPLICIT_RESOURCE):
        return True
    return "/" in resource and "kubernetes.io/" not in resource and not resource.startswith("requests.")


def asked(pod: Pod) -> dict[str, int]:
    """The pod's extended resources."""
    return {name: value for name, value in pod.requests.items() if value and is_extended(name)}


def by_devices(resources: Amounts, allocatable: Amounts, classes: Mapping[str, str]) -> set[str] | None:
    """Those that the node must give by devices; None where it has no way to give one of them at all."""
    found: set[str] = set()
    for name in resources:
        if name in classes and not allocatable.get(name):
            found.add(name)
        elif name not in allocatable:
            return None
    return found


def claim(pod: Pod, resources: set[str], classes: Mapping[str, str]) -> ResourceClaim:
    """The claim that the scheduler would make for the pod on such a node."""
    requests = [one for name in sorted(resources) for one in _requests(pod, name, classes[name])]
    ordered = tuple(sorted(requests, key=lambda one: one.name))
    return ResourceClaim(name=NAME, namespace=pod.namespace, requests=ordered)


def _requests(pod: Pod, resource: str, device_class: str) -> list[DeviceRequest]:
    """One for each container that stays, one for the neediest of those that run before (they use the others' too)."""
    containers = pod.containers  # init containers first
    staying = {
        number: one.requests[resource]
        for number, one in enumerate(containers)
        if one.requests.get(resource) and (one.sidecar or not one.init)
    }
    found = [_request(containers[number], number, resource, device_class, count) for number, count in staying.items()]
    most: DeviceRequest | None = None
    for number, one in enumerate(containers):
        if not one.init or one.sidecar:
            continue
        count = one.requests.get(resource, 0) - sum(more for other, more in staying.items() if other >= number)
        if count > 0 and (most is None or count > most.count):
            most = _request(one, number, resource, device_class, count)
    return found if most is None else [most, *found]


def _request(container: Container, number: int, resource: str, device_class: str, count: int) -> DeviceRequest:
    place = sorted(container.requests).index(resource)
    return DeviceRequest(f"container-{number}-request-{place}", device_class=device_class, count=count)
