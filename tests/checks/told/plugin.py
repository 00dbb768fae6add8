"""Device plugin, toolkit, operator, exporter."""

from datetime import timedelta

from bot.checks.finding import Severity
from bot.checks.scene import Scene
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState, Pod
from tests.checks.building import Told, a_scene, case, gpu, without
from tests.factories import NOW, a_pod


def measured(ago: float) -> Scene:
    at = int((NOW - timedelta(seconds=ago)).timestamp() * 1000)
    labels = 'gpu="0",UUID="GPU-1",modelName="NVIDIA H200",Hostname="gpu-1"'
    return a_scene(metrics=f"DCGM_FI_DEV_GPU_TEMP{{{labels}}} 60 {at}\n")


def validator(minutes: int) -> Pod:
    """Held up in a stage since then."""
    since = (NOW - timedelta(minutes=minutes)).isoformat()
    return a_pod(
        "nvidia-operator-validator-x",
        namespace="gpu-operator",
        gpus=0,
        phase="Pending",
        labels={"app": "nvidia-operator-validator"},
        containers=(Container("toolkit-validation", init=True),),
        states=(ContainerState("toolkit-validation"),),
        conditions=(Condition("Ready", "False", since=since),),
    )


TOLD = {
    "unhealthy": Told(
        "gpu-a offers 7 of its 8 nvidia.com/gpu: the device plugin marked GPU-00000003 unhealthy after Xid 94",
        Severity.CRITICAL,
        lambda: case("D04"),
        lambda: a_scene(gpu(0)),
        lambda: without(case("D04"), "pods"),
    ),
    "missing": Told(
        "worker-5's device plugin .* cannot get its image",
        Severity.CRITICAL,
        lambda: case("gpu-03-plugin-image", "worker-5"),
        lambda: case("gpu-10-gke-young"),
        lambda: without(case("gpu-03-plugin-image", "worker-5"), "pods"),
    ),
    "unregistered": Told(
        "gpu-x1 should have 1 GPU .* and offers no nvidia.com/gpu",
        Severity.CRITICAL,
        lambda: case("D09", "gpu-x1"),
        lambda: case("gpu-10-gke-young"),
        lambda: without(case("D09", "gpu-x1"), "nodes"),
    ),
    "operand": Told(
        "gpu-1's GPU stack stands still in container `toolkit-validation` of gpu-operator/nvidia-operator-validator-x",
        Severity.WARNING,
        lambda: a_scene(pods=[validator(20)]),
        lambda: a_scene(pods=[validator(5)]),
        lambda: without(a_scene(pods=[validator(20)]), "pods"),
    ),
    "runtime_handler": Told(
        "gpu-a's container runtime lacks the handler `nvidia`",
        Severity.CRITICAL,
        lambda: case("D19"),
        lambda: a_scene(gpu(0)),
        lambda: without(case("D19"), "events"),
    ),
    "doubled": Told(
        "h100-7's GPUs are offered twice",
        Severity.WARNING,
        lambda: case("gpu-15-dra-and-plugin", "h100-7"),
        lambda: a_scene(gpu(0)),
        lambda: a_scene(gpu(0), unread=("resourceslices",)),
    ),
    "exporter": Told(
        r"l40-1's DCGM exporter .* crashes \(88 restarts, OOMKilled\) for 9 h 59 min",
        Severity.WARNING,
        lambda: case("gpu-23-exporter-only", "l40-1"),
        lambda: case("OK2", "h100-a"),
        lambda: without(case("gpu-23-exporter-only", "l40-1"), "pods"),
    ),
    "exporter_silent": Told(
        "gpu-1: its DCGM exporter runs, and its newest measurement is 10 min old",
        Severity.WARNING,
        lambda: measured(600),
        lambda: measured(120),
        lambda: a_scene(gpu(0)),
    ),
}
