"""What one simulated node is: the part of a fleet file that describes machines."""

from typing import Literal

import msgspec

Strategy = Literal["none", "mixed", "time-slicing", "dra"]


class Taint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    value: str = ""


class NodeSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`product` empty: no GPU. `plugin` false: there are GPUs, but the device plugin has never registered them."""

    name: str
    pool: str
    product: str = ""
    gpus: int = 0
    strategy: Strategy = "none"
    replicas: int = 1  # of each GPU, with time-slicing
    mig: dict[str, int] = {}  # profile, such as 1g.10gb: how many in all
    plugin: bool = True
    cpu: int = 64
    memory_gib: int = 512
    pods: int = 110
    machine: str = ""
    instance_type: str = ""
    zone: str = "zone-a"
    driver: str = "580.95.05"
    cuda: str = "13.0"
    kubelet: str = "v1.36.3"
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    taints: list[Taint] = []
