"""Where a pod listens, from the pod's object: kubernetes/api:core/v1/types.go (PodStatus.podIP, ContainerPort)."""

from dataclasses import dataclass
from ipaddress import ip_address

import msgspec

from bot.adapters.cluster.wire import Metadata, Wire

AGENT_PORTS = ("agent", "reading", "http", "https", "metrics")
METRICS_PORTS = ("metrics", "http-metrics")


class WirePort(Wire):
    """One port that a container says it listens on."""

    container_port: int
    name: str | None = ""


class WireContainer(Wire):
    """As much of a container as says where it listens."""

    ports: list[WirePort] | None = None


class WireSpec(Wire):
    """Where the pod is, and its containers."""

    node_name: str | None = ""
    containers: list[WireContainer] | None = None


class WireStatus(msgspec.Struct, rename={"pod_ip": "podIP"}, gc=False):
    """The pod's address, once it has one."""

    phase: str | None = ""
    pod_ip: str | None = ""


class WirePod(Wire):
    """One pod."""

    metadata: Metadata
    spec: WireSpec | None = None
    status: WireStatus | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A pod that can be asked; `address` and `port` directly, its names through the API server."""

    namespace: str
    pod: str
    node: str
    address: str
    port: int

    @property
    def host(self) -> str:
        """As it stands in a URL."""
        return f"[{self.address}]" if ":" in self.address else self.address

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def place_of(pod: WirePod, names: tuple[str, ...], otherwise: int) -> Place | None:
    """The port by the first of those names that a container has, else that number; None without an address."""
    status, spec = pod.status or WireStatus(), pod.spec or WireSpec()
    address = status.pod_ip or ""
    if not is_address(address) or status.phase in ("Succeeded", "Failed"):
        return None
    ports = {port.name: port.container_port for one in spec.containers or () for port in one.ports or ()}
    port = next((ports[name] for name in names if 0 < ports.get(name, 0) < 65_536), otherwise)
    return Place(pod.metadata.place, pod.metadata.name, spec.node_name or "", address, port)


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text
