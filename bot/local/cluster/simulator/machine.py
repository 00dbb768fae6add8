"""One simulated machine while it runs: its devices, who holds them, what is broken, and the pods on it."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.pod_run import Key, PodRun

GPU = "nvidia.com/gpu"
MISSING_TEXT = (
    "Allocate failed due to requested number of devices unavailable for {resource}. "
    "Requested: {asked}, Available: {available}, which is unexpected"
)


@dataclass(slots=True)
class Device:
    """One thing that the device plugin hands out: a GPU, a share of one or a slice of one."""

    id: str
    resource: str
    gpu: int  # index of the physical GPU
    holder: str = ""  # uid of the pod
    healthy: bool = True


class AdmissionError(Exception):
    """The kubelet turns the pod down: it has been bound to a node that cannot serve it."""


@dataclass(slots=True)
class Machine:
    spec: NodeSpec
    devices: list[Device]
    number: int = 0  # in the order of registration; makes the addresses
    boot: int = 1
    alive: bool = True  # the kubelet reports
    ready: bool = True  # and says that all is well
    plugin_running: bool = True
    images: set[str] = field(default_factory=set)
    pods: dict[Key, PodRun] = field(default_factory=dict)
    conditions: dict[str, dict[str, str]] = field(default_factory=dict)  # what a problem detector has found
    unseen: dict[Key, tuple[str, dict[str, Any]]] = field(default_factory=dict)  # changes while the kubelet was away
    pods_taken_in: int = 0
    lost_gpus: set[int] = field(default_factory=set)
    xids: dict[int, int] = field(default_factory=dict)  # GPU → the Xid that it was lost to

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def boot_id(self) -> str:
        return stable_id("boot", self.name, self.boot)

    def capacity(self) -> dict[str, str]:
        """What is built in. Unhealthy devices count; nothing does while the device plugin is stopped."""
        return self._count(lambda device: True)

    def allocatable(self) -> dict[str, str]:
        return self._count(lambda device: device.healthy)

    def allocate(self, uid: str, requests: dict[str, int]) -> None:
        """Devices for a pod, the lowest numbers first. Raises AdmissionError with the kubelet's own words."""
        chosen: list[Device] = []
        for resource, asked in requests.items():
            free = [d for d in self.devices if d.resource == resource and d.healthy and not d.holder]
            if not self.plugin_running:
                free = []
            if len(free) < asked:
                raise AdmissionError(MISSING_TEXT.format(resource=resource, asked=asked, available=len(free)))
            chosen += free[:asked]
        for device in chosen:
            device.holder = uid

    def release(self, uid: str) -> None:
        for device in self.held(uid):
            device.holder = ""

    def held(self, uid: str) -> list[Device]:
        return [device for device in self.devices if device.holder == uid]

    def of_gpu(self, index: int) -> list[Device]:
        """All devices on one physical GPU. Raises ValueError if there is no such GPU."""
        found = [device for device in self.devices if device.gpu == index]
        if not found:
            raise ValueError(f"{self.name} has no GPU {index}")
        return found

    def _count(self, counts: Callable[[Device], bool]) -> dict[str, str]:
        resources = dict.fromkeys((*_resources(self.spec), *(d.resource for d in self.devices)), 0)
        for device in self.devices if self.plugin_running else ():
            resources[device.resource] += counts(device)
        return {name: str(count) for name, count in resources.items()}


def new_machine(spec: NodeSpec, number: int = 0) -> Machine:
    return Machine(spec, list(_devices(spec)), number)


def stable_id(*parts: object) -> str:
    """The same UUID for the same parts, in every run."""
    text = hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"


def gpu_uuid(spec: NodeSpec, index: int) -> str:
    return f"GPU-{stable_id('gpu', spec.name, index)}"


def pci_address(index: int) -> str:
    """Bus addresses as an eight-GPU board has them."""
    return f"0000:{0x18 + 0x11 * index:02x}:00"


def _resources(spec: NodeSpec) -> Iterable[str]:
    """With MIG in mixed strategy the plugin also registers whole GPUs, of which there are none."""
    return (GPU,) if spec.strategy == "mixed" and spec.plugin else ()


def _devices(spec: NodeSpec) -> Iterable[Device]:
    if not spec.plugin or spec.strategy == "dra":
        return
    if spec.strategy == "mixed":
        yield from _slices(spec)
        return
    replicas = spec.replicas if spec.strategy == "time-slicing" else 1
    for replica in range(replicas):
        for index in range(spec.gpus):
            suffix = f"::{replica}" if replicas > 1 else ""
            yield Device(gpu_uuid(spec, index) + suffix, GPU, index)


def _slices(spec: NodeSpec) -> Iterable[Device]:
    """Slices are dealt out over the GPUs, each GPU filled before the next."""
    gpu, room = 0, _ROOM
    for profile, count in spec.mig.items():
        weight = _ROOM // _PER_GPU.get(profile, 1)
        for number in range(count):
            if room < weight:
                gpu, room = gpu + 1, _ROOM
            room -= weight
            yield Device(f"MIG-{stable_id('mig', spec.name, profile, number)}", f"nvidia.com/mig-{profile}", gpu)
        gpu, room = gpu + 1, _ROOM


_ROOM = 840  # divisible by every number of slices that a GPU can have
_PER_GPU = {
    "1g.10gb": 7,
    "1g.5gb": 7,
    "1g.12gb": 7,
    "1g.18gb": 7,
    "1g.20gb": 4,
    "2g.20gb": 3,
    "3g.40gb": 2,
    "7g.80gb": 1,
}
