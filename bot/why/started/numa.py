"""GPUs of a node by NUMA node, from the node agent's reading, and the kubelet's topology policy.

The kubelet places a pod's devices by NUMA node where its topologyManagerPolicy says so; the scheduler knows nothing of
it (kubernetes/kubernetes:pkg/kubelet/cm/topologymanager).
"""

import re
from collections import Counter
from dataclasses import dataclass

import msgspec

from bot.domain.evidence import ObjectRef
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.why.case import Case
from bot.why.started.plain import plain

KUBELET_CONFIG = ObjectRef("ConfigMap", "kube-system", "kubelet-config")  # where kubeadm keeps it
_POLICY = Pattern(r"^\s*topologyManagerPolicy:\s*[\"']?(\S+?)[\"']?\s*$", re.MULTILINE)
_SCOPE = Pattern(r"^\s*topologyManagerScope:\s*[\"']?(\S+?)[\"']?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Split:
    """NUMA node → how many GPUs it has, and how many of them run nothing."""

    total: dict[int, int]
    free: dict[int, int]

    @property
    def words(self) -> str:
        """`3 of 4 free on NUMA node 0, 3 of 4 on NUMA node 1`."""
        parts = [
            f"{self.free.get(node, 0)} of {self.total[node]} free on NUMA node {node}" for node in sorted(self.total)
        ]
        return ", ".join(parts)

    @property
    def largest(self) -> int:
        return max(self.free.values(), default=0)


def gpus_of(agent: str) -> tuple[Fields, ...]:
    """The GPUs in the node agent's reading (NVML's names); none where it cannot be read."""
    try:
        found = msgspec.json.decode(agent.encode()) if agent else []
    except (msgspec.DecodeError, RecursionError):
        return ()
    listed = found.get("gpus") if isinstance(found, dict) else found
    return tuple(Fields(one) for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()


def split(agent: str) -> Split | None:
    """None where the reading is not there, or does not tell NUMA nodes of all GPUs."""
    total: Counter[int] = Counter()
    free: Counter[int] = Counter()
    for gpu in gpus_of(agent):
        node = gpu.number("numaNodeId")
        if node is None or node < 0:
            return None
        total[node] += 1
        free[node] += not any(gpu.each("computeRunningProcesses"))
    return Split(dict(total), dict(free)) if total else None


def policy(case: Case) -> tuple[str, str]:
    """Policy and scope as the cluster's kubelet configuration says them; empty where it is not known."""
    text = case.evidence.object(*KUBELET_CONFIG).text("data", "kubelet")
    policy_, scope = _POLICY.search(text), _SCOPE.search(text)
    return (plain(policy_[1], 40) if policy_ else "", plain(scope[1], 40) if scope else "")
