"""A simulated machine as a v1 Node: what its kubelet registers and reports."""

from datetime import datetime
from typing import Any

from bot.local.cluster.clock import rfc3339, rfc3339_micro
from bot.local.cluster.simulator.gpu_labels import gpu_labels
from bot.local.cluster.simulator.machine import Machine, stable_id
from bot.local.cluster.simulator.node_spec import NodeSpec

Obj = dict[str, Any]

HEALTHY = {
    "MemoryPressure": ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
}
READY = ("True", "KubeletReady", "kubelet is posting ready status")
NOT_READY = (
    "False",
    "KubeletNotReady",
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized",
)
EPHEMERAL = "3500Gi"
KEPT_CORES = 1  # for the system
KEPT_GIB = 4


def node_object(machine: Machine, now: datetime) -> Obj:
    """As registered for the first time."""
    spec, number = machine.spec, machine.number
    node: Obj = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": spec.name, "labels": node_labels(spec), "annotations": spec.annotations},
        "spec": {"podCIDR": f"10.{64 + number // 256}.{number % 256}.0/24", "providerID": f"local://{spec.name}"},
        "status": {**node_status(machine, now), "addresses": addresses(spec, number), "nodeInfo": node_info(machine)},
    }
    if spec.taints:
        node["spec"]["taints"] = [
            {"key": t.key, "effect": t.effect, **({"value": t.value} if t.value else {})} for t in spec.taints
        ]
    node["status"]["daemonEndpoints"] = {"kubeletEndpoint": {"Port": 10250}}
    return node


def node_labels(spec: NodeSpec) -> dict[str, str]:
    return {
        "kubernetes.io/hostname": spec.name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": spec.instance_type or spec.pool,
        "topology.kubernetes.io/region": spec.zone.rpartition("-")[0] or spec.zone,
        "topology.kubernetes.io/zone": spec.zone,
        "node-pool": spec.pool,
        **gpu_labels(spec),
        **spec.labels,
    }


def node_status(machine: Machine, now: datetime) -> Obj:
    """What a kubelet reports again and again; patch it strategically, so that others' conditions stay."""
    spec = machine.spec
    total = {"cpu": str(spec.cpu), "memory": f"{spec.memory_gib}Gi", "pods": str(spec.pods)}
    total |= {"ephemeral-storage": EPHEMERAL, "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    left = total | {"cpu": str(spec.cpu - KEPT_CORES), "memory": f"{spec.memory_gib - KEPT_GIB}Gi"}
    return {
        "capacity": total | machine.capacity(),
        "allocatable": left | machine.allocatable(),
        "conditions": node_conditions(machine, now),
        "nodeInfo": node_info(machine),
    }


def node_conditions(machine: Machine, now: datetime) -> list[Obj]:
    """A transition time is only a guess here: see `kept_transitions`."""
    at = rfc3339(now)
    plain = [(type_, "False", *told) for type_, told in HEALTHY.items()]
    ready = ("Ready", *(READY if machine.ready else NOT_READY))
    found = [dict(zip(("type", "status", "reason", "message"), row, strict=True)) for row in (*plain, ready)]
    found += [{"type": type_, **told} for type_, told in machine.conditions.items()]
    return [{"lastHeartbeatTime": at, "lastTransitionTime": at, **condition} for condition in found]


def kept_transitions(conditions: list[Obj], before: list[Obj]) -> list[Obj]:
    """A condition that was so before has been so since then."""
    old = {c["type"]: c for c in before}
    return [
        {**c, "lastTransitionTime": old[c["type"]].get("lastTransitionTime", c["lastTransitionTime"])}
        if c["type"] in old and old[c["type"]]["status"] == c["status"]
        else c
        for c in conditions
    ]


def node_info(machine: Machine) -> Obj:
    name = machine.name
    return {
        "machineID": stable_id("machine", name).replace("-", ""),
        "systemUUID": stable_id("system", name),
        "bootID": machine.boot_id,
        "kernelVersion": "6.8.0-85-generic",
        "osImage": "Ubuntu 24.04.3 LTS",
        "containerRuntimeVersion": "containerd://2.1.4",
        "kubeletVersion": machine.spec.kubelet,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }


def addresses(spec: NodeSpec, number: int) -> list[Obj]:
    return [{"type": "InternalIP", "address": host_address(number)}, {"type": "Hostname", "address": spec.name}]


def host_address(number: int) -> str:
    return f"10.0.{number // 250}.{number % 250 + 1}"


def lease_object(name: str, now: datetime, duration_seconds: int) -> Obj:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-node-lease"},
        "spec": {"holderIdentity": name, "leaseDurationSeconds": duration_seconds, "renewTime": rfc3339_micro(now)},
    }
