"""What there is in all clusters: zones, namespaces, priorities, machines."""

from typing import NamedTuple

MIB, GIB = 1 << 20, 1 << 30
GPU = "nvidia.com/gpu"
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
PRODUCT = "nvidia.com/gpu.product"
ZONES = ("eu-north-a", "eu-north-b", "eu-north-c")
ABROAD = "eu-west-a"  # a zone of another region, in which no node is
DOMAINS = {HOST: 4, ZONE: 4, "rack": 2}
"""Topology keys, by how often they are asked for."""

ADMIN = "gpu-admin"
NAMESPACES = {
    "default": {},
    "team-a": {"team": "a", "tier": "prod"},
    "team-b": {"team": "b"},
    ADMIN: {"resource.kubernetes.io/admin-access": "true"},
}
APPS = ("web", "db", "cache", "train", "infer")

PRIORITIES = {"low": -10, "batch": 10, "high": 1000, "polite": 1000, "critical": 100_000}
POLITE = "polite"  # never preempts


class Machine(NamedTuple):
    """A kind of node: what its GPUs are, and how much it has."""

    product: str
    gpus: int
    cpus: int
    memory_gib: int
    gpu_memory_mib: int


MACHINES = {
    "h100": Machine("NVIDIA-H100-80GB-HBM3", 8, 192, 2000, 81559),
    "h200": Machine("NVIDIA-H200", 8, 192, 2000, 143771),
    "a10": Machine("NVIDIA-A10", 4, 48, 192, 23028),
    "sliced": Machine("NVIDIA-H100-80GB-HBM3", 8, 96, 1000, 81559),  # its GPUs are cut into MIG devices
    "wide": Machine("", 0, 64, 256, 0),
    "slim": Machine("", 0, 4, 16, 0),
}
MIG = {"nvidia.com/mig-1g.10gb": 7, "nvidia.com/mig-2g.20gb": 3, "nvidia.com/mig-3g.40gb": 2}
"""Resource -> how many of one GPU."""

TAINTS = (
    ("dedicated", "train", "NoSchedule"),
    ("dedicated", "infer", "NoSchedule"),
    ("maintenance", "", "NoExecute"),
    ("example.com/quarantine", "xid", "NoSchedule"),
    ("spot", "true", "PreferNoSchedule"),
)
CONDITIONS = {
    "fine": (),
    "not ready": ("node.kubernetes.io/not-ready", "NoSchedule", "NoExecute"),
    "unreachable": ("node.kubernetes.io/unreachable", "NoSchedule", "NoExecute"),
    "short of memory": ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    "short of disk": ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    "without network": ("node.kubernetes.io/network-unavailable", "NoSchedule"),
}
"""What is wrong with a node -> the taint's key and its effects."""
