"""YuniKorn: quota of queues and users, gangs, refusals."""

from typing import Any

import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.why.stages.yunikorn import STAGE
from tests.why.builders_queues import a_waiting, an_event, asked, queues_view, told

SKIPPED = Condition(
    "PodScheduled",
    "False",
    "SchedulingSkipped",
    "Task llm/glm-0 is skipped from scheduling because the queue quota has been exceed",
)


def of_pod(*events: tuple[str, str], **changed: Any) -> str:
    pod = a_waiting(**({"scheduler": "yunikorn", "labels": {"queue": "root.team-a"}} | changed))
    return told(STAGE, asked(queues_view(pod, *(an_event(pod, *one) for one in events)), pod))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            of_pod(condition=SKIPPED),
            ["yunikorn.queue-quota CAUSE", "(`root.team-a`)", "no autoscaler will add one"],
            id="the queue's quota, from the condition",
        ),
        pytest.param(
            of_pod(("Informational", "Not enough user quota")),
            ["yunikorn.user-quota CAUSE", "its user"],
            id="the user's quota",
        ),
        pytest.param(
            of_pod(("TaskRejected", "queue does not exist")),
            ["yunikorn.rejected CAUSE", "“queue does not exist”", "Waiting does not help"],
            id="a refused task",
        ),
        pytest.param(
            of_pod(("GangScheduling", "Application a placeholder timeout exceeded, not creating placeholders")),
            ["yunikorn.gang-timeout ROOT", "in time"],
            id="a gang that got no places",
        ),
        pytest.param(
            of_pod(("GangScheduling", "Application a creating placeholders")),
            ["yunikorn.gang NOTE"],
            id="a gang that starts",
        ),
        pytest.param(
            of_pod(("Scheduling", "llm/glm-0 is queued and waiting for allocation")),
            ["yunikorn.waits NOTE"],
            id="it waits",
        ),
        pytest.param(
            of_pod(condition=Condition("PodScheduled", "False", "SchedulingSkipped", "new words")),
            ["yunikorn.skipped CAUSE", "“new words”"],
            id="skipped for a reason nobody knows",
        ),
    ],
)
def test_what_keeps_a_pod(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"scheduler": "default-scheduler"}, id="a pod of another scheduler"),
        pytest.param({"node": "gpu-1", "phase": "Running"}, id="a pod that runs"),
    ],
)
def test_nothing_to_say(changed: dict[str, Any]) -> None:
    assert not of_pod(("Informational", "Not enough queue quota"), **changed)


def failed(reason: str, **changed: Any) -> str:
    pod = a_waiting(
        **({"scheduler": "yunikorn", "labels": {"queue": "root.x"}, "phase": "Failed", "reason": reason} | changed)
    )
    message = Fields({"status": {"message": "failed to place application etl: no placement rule matched"}})
    return told(STAGE, asked(queues_view(pod), pod, Evidence({ObjectRef("Pod", "llm", "glm-0"): message})))


def test_a_pod_that_yunikorn_failed_before_it_had_a_node() -> None:
    text = failed("ApplicationRejected")
    assert "yunikorn.refused CAUSE" in text
    assert "it names no queue that takes it (`root.x`)" in text
    assert "no placement rule matched" in text
    assert "its gang got no places in time" in failed("ResourceReservationTimeout")


def test_pods_that_failed_otherwise_are_not_yunikorns() -> None:
    assert not failed("Evicted")
    assert not failed("ApplicationRejected", node="gpu-1")
    assert not failed("ApplicationRejected", scheduler="default-scheduler")
