"""What a fleet file may say. Unknown keys are errors, so that a typing mistake is not a silent omission.

`age` is how long ago something happened when the cluster opens: 41d, 2h10m.
"""

from typing import Any, Literal

import msgspec

from bot.local.cluster.simulator.node_spec import Strategy, Taint


class Nodes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Alike machines. `names` such as gpu-[1-12]; the other fields are those of `NodeSpec`."""

    names: str
    pool: str
    age: str = "41d"
    product: str = ""
    gpus: int = 0
    strategy: Strategy = "none"
    replicas: int = 1
    mig: dict[str, int] = {}
    plugin: bool = True
    cpu: int = 64
    memory_gib: int = 512
    machine: str = ""
    instance_type: str = ""
    zone: str = "zone-a"
    driver: str = "580.95.05"
    cuda: str = "13.0"
    labels: dict[str, str] = {}
    taints: list[Taint] = []


class Namespace(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    team: str = ""


class Priority(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    value: int
    preempts: bool = True
    description: str = ""


class Workload(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Pods of one template. `hosts` pins them to nodes by name, `product` to a GPU product."""

    kind: Literal["Deployment", "StatefulSet", "DaemonSet", "Job", "Pod"]
    namespace: str
    name: str
    age: str
    image: str
    replicas: int = 1
    gpus: int = 0
    resource: str = "nvidia.com/gpu"
    cpu: str = "4"
    memory: str = "16Gi"
    product: str = ""
    hosts: list[str] = []
    node_selector: dict[str, str] = {}
    tolerations: list[dict[str, Any]] = []
    priority_class: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    claims: list[str] = []
    command: list[str] = []
    args: list[str] = []
    parallel: bool = False
    completions: int = 1
    pull_seconds: int | None = None
    ready_seconds: int | None = None
    run_seconds: int | None = None


class Object(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Any other object, as it would stand in a manifest."""

    manifest: dict[str, Any]
    age: str = "41d"


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`fault` is a method of `Faults`, the rest its arguments."""

    fault: str
    age: str
    arguments: dict[str, Any] = {}


class Fleet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One file. `parts` are files whose content comes first."""

    title: str = ""
    parts: list[str] = []
    nodes: list[Nodes] = []
    namespaces: list[Namespace] = []
    priorities: list[Priority] = []
    workloads: list[Workload] = []
    objects: list[Object] = []
    faults: list[Fault] = []
