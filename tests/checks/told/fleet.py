"""Nodes compared with each other."""

from bot.checks.finding import Severity
from bot.checks.scene import FleetScene
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.selectors import Selector
from bot.domain.workload import PodDisruptionBudget
from tests.checks.building import Told, a_fleet
from tests.factories import a_node, a_pod, owned_by

DRIVER = "nvidia.com/cuda.driver-version.full"
PINNED = PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-H200"})
BUDGET = PodDisruptionBudget(name="glm", namespace="llm", selector=Selector())


def versions(*told: str) -> FleetScene:
    labels = [{"pool": "a"} | ({DRIVER: version} if version else {}) for version in told]
    return a_fleet(*(a_node(f"gpu-{place}", more_labels=one) for place, one in enumerate(labels)))


def replicas(nodes: list[Node], spec: PodSpec | None = None) -> list[Pod]:
    owner = owned_by("StatefulSet", "glm")
    more = {"spec": spec} if spec else {}
    return [a_pod(f"glm-{place}", node=node.name, owner=owner, **more) for place, node in enumerate(nodes)]


H200, OTHER, A10 = a_node("gpu-1"), a_node("gpu-2"), a_node("gpu-3", product="NVIDIA-A10")

TOLD = {
    "driver_differs": Told(
        r"pool a has different drivers: 570.172.08 on gpu-2 \(1 node\); 580.105.08 on gpu-0 and gpu-1 \(2 nodes\)",
        Severity.WARNING,
        lambda: versions("580.105.08", "580.105.08", "570.172.08"),
        lambda: versions("580.105.08", "580.105.08"),
        lambda: versions("580.105.08", ""),
    ),
    "mixed_products": Told(
        r"llm/glm \(StatefulSet\) runs on unlike GPUs: A10 \(glm-1\); H200 \(glm-0\)",
        Severity.WARNING,
        lambda: a_fleet(H200, A10, pods=replicas([H200, A10])),
        lambda: a_fleet(H200, A10, pods=replicas([H200, A10], PINNED)),
        lambda: a_fleet(a_node("gpu-1", product=""), pods=replicas([H200])),
    ),
    "together": Told(
        r"llm/glm \(StatefulSet\) has all its 2 pods on gpu-1",
        Severity.INFO,
        lambda: a_fleet(H200, OTHER, pods=replicas([H200, H200])),
        lambda: a_fleet(H200, OTHER, pods=replicas([H200, OTHER])),
        lambda: a_fleet(H200, unread=("pods",)),
    ),
    "no_budget": Told(
        r"llm/glm \(StatefulSet\) has 2 GPU pods and no disruption budget",
        Severity.INFO,
        lambda: a_fleet(H200, OTHER, pods=replicas([H200, OTHER])),
        lambda: a_fleet(H200, OTHER, pods=replicas([H200, OTHER]), records=[BUDGET]),
        lambda: a_fleet(H200, unread=("poddisruptionbudgets",)),
    ),
}
