"""NodePorts: a host port is taken once per address; the address 0.0.0.0 stands for all of them.

`detail` is the HostPort that is taken.
"""

from collections.abc import Collection

from bot.domain.pod import Pod
from bot.domain.pod_spec import HostPort
from bot.scheduling.framework import PASS, SKIP, Code, Failure, Filter, PreFilterResult
from bot.scheduling.state import NodeInfo, State

TAKEN = ("node(s) didn't have free ports for the requested pod ports",)
EVERYWHERE = "0.0.0.0"


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    del state
    return PASS if pod.spec.host_ports else SKIP


def node_ports(pod: Pod, info: NodeInfo, data: None, state: State) -> Failure | None:
    del data, state
    used = info.ports
    taken = next((port for port in pod.spec.host_ports if _conflicts(port, used)), None)
    return None if taken is None else Failure(Code.UNSCHEDULABLE, TAKEN, taken)


def _conflicts(port: HostPort, used: Collection[HostPort]) -> bool:
    if port.address != EVERYWHERE:
        return port in used or HostPort(port.port, port.protocol, EVERYWHERE) in used
    return any(other.port == port.port and other.protocol == port.protocol for other in used)


def minds(data: None, other: Pod) -> bool:
    del data
    return bool(other.spec.host_ports)


FILTER = Filter(
    name="NodePorts",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/",
    prefilter=prefilter,
    filter=node_ports,
    minds=minds,
)
