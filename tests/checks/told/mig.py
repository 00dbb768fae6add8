"""MIG layouts and sharing."""

from bot.checks.finding import Severity
from bot.checks.scene import Scene
from tests.checks.building import Told, a_scene, case, gpu, without
from tests.factories import a_node, a_pod


def shared(*pods: int) -> Scene:
    node = a_node(
        gpus=4, more_labels={"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"}
    )
    return a_scene(node=node, pods=[a_pod(f"nb-{place}", gpus=gpus) for place, gpus in enumerate(pods)])


TOLD = {
    "layout": Told(
        "gpu-a's MIG change to `all-1g.5gb` is stuck half way",
        Severity.CRITICAL,
        lambda: case("D02"),
        lambda: case("OK2", "mig-a"),
        lambda: without(case("D02"), "nodes"),
    ),
    "pending": Told(
        "gpu-1's GPU 0 has MIG off and will have it on after its next reset",
        Severity.WARNING,
        lambda: a_scene(gpu(0, migMode={"pendingMode": 1})),
        lambda: a_scene(gpu(0, migMode={"currentMode": 1, "pendingMode": 1})),
        lambda: a_scene(gpu(0, migMode=None)),
    ),
    "sharing": Told(
        r"gpu-1 shares its GPUs \(time-slicing x4\): 2 shares of 4 are held, and memory is not kept apart",
        Severity.INFO,
        lambda: shared(1, 1),
        lambda: shared(1),
        lambda: without(shared(1, 1), "pods"),
    ),
}
