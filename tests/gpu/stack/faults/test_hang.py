"""A driver that hangs, as far as it can be known without kernel messages."""

from typing import Any

import pytest

from bot.domain.pod import ContainerState, Pod
from bot.domain.view import View
from bot.gpu.stack import chain
from bot.gpu.stack.fault import Fault
from tests.factories import a_node, a_pod
from tests.why.builders_stack import a_stack_pod, a_stack_view, at, crashing, evidence, kernel, sight_of, told

RPC = "Error: nvidia-container-cli: initialization error: driver rpc error: timed out: unknown"


def creating(minutes: float = 40) -> Pod:
    state = ContainerState("main", waiting="ContainerCreating")
    return a_pod("new-0", phase="Pending", states=(state,), created=at(minutes=minutes), started=at(minutes=minutes))


LEAVING = a_pod("old-0", deleted=at(minutes=50))
EXPORTER = a_stack_pod("dcgm-exporter-x", image="dcgm-exporter:4", state=ContainerState("main"), phase="Running")
PLUGIN = a_stack_pod("nvidia-device-plugin-x", state=ContainerState("main", ready=True, restarts=7))


def found(*records: Any, kernels: dict[str, str] | None = None, unread: tuple[str, ...] = ()) -> list[Fault]:
    view: View = a_stack_view(a_node(), *records, unread=unread)
    return chain.faults(sight_of(view, given=evidence(kernels=kernels)))


@pytest.mark.parametrize(
    ("records", "words"),
    [
        pytest.param(
            (creating(), EXPORTER), "new-0 has been in ContainerCreating for 40 min", id="starting and exporter"
        ),
        pytest.param(
            (creating(), PLUGIN), "device plugin gpu/nvidia-device-plugin-x runs, restarted 7", id="and plugin"
        ),
        pytest.param((LEAVING, EXPORTER), "llm/old-0 should have ended 50 min ago", id="a pod that cannot be killed"),
    ],
)
def test_several_places_at_once(records: tuple[Any, ...], words: str) -> None:
    faults = found(*records)
    assert [one.id for one in faults] == ["driver_hangs"]
    assert "probably hangs" in faults[0].sentence
    assert words in " ".join(faults[0].evidence)
    assert "kernel messages of gpu-1" in faults[0].unknown[0]
    assert faults[0].remedies[0].command == "kubectl cordon gpu-1"


def test_the_toolkits_own_words_are_enough() -> None:
    pod = a_pod("new-0", states=(crashing(),))
    fault = found(pod, told(pod, "Failed", RPC))[0]
    assert fault.id == "driver_hangs"
    assert "probably" not in fault.sentence
    assert "“nvidia-container-cli: initialization error: driver rpc error: timed out" in fault.evidence[0]


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((creating(),), id="a pod that starts, and all else is well"),
        pytest.param((EXPORTER,), id="an exporter alone"),
        pytest.param((creating(minutes=4), EXPORTER), id="a pod that has only begun to start"),
        pytest.param(
            (creating(), EXPORTER, told(creating(), "FailedMount", "timed out waiting for the condition")),
            id="a volume",
        ),
        pytest.param((creating(), EXPORTER, told(creating(), "Pulling", "Pulling image")), id="an image on its way"),
        pytest.param((a_pod("old-0", deleted=at(minutes=2)), EXPORTER), id="a pod that is ending"),
        pytest.param(
            (a_pod("old-0", gpus=0, deleted=at(minutes=50)), EXPORTER),
            id="a pod without a GPU cannot hang on the driver",
        ),
        pytest.param((creating(), told(creating(), "Failed", RPC, minutes=300)), id="words of hours ago"),
    ],
)
def test_too_little_to_say_so(records: tuple[Any, ...]) -> None:
    assert "driver_hangs" not in [one.id for one in found(*records)]


def test_kernel_messages_that_are_silent_say_more() -> None:
    lines = kernel("systemd[1]: Started nvidia-persistenced")
    assert found(creating(), EXPORTER, kernels={"gpu-1": lines}) == []


def test_without_events_nobody_knows_why_a_pod_does_not_start() -> None:
    assert found(creating(), EXPORTER, unread=("events",)) == []
