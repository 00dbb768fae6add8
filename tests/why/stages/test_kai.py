"""KAI: queues, groups, and parts of GPUs."""

from typing import Any

import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.record import Owner
from bot.why.finding import Level
from bot.why.stages.kai import STAGE
from tests.why.builders_queues import KAI, a_thing, a_waiting, an_event, asked, found, queues_view, told

LABELS = {"kai.scheduler/queue": "team-a"}
QUEUE = a_thing(
    "Queue", "team-a", "", spec={"resources": {"gpu": {"quota": 8, "limit": -1}}}, api_version="scheduling.run.ai/v2"
)
NAMED = Evidence({ObjectRef("Pod", "llm", "glm-0"): Fields({"metadata": {"annotations": {"pod-group-name": "pg"}}})})
FRACTION = Evidence({ObjectRef("Pod", "llm", "glm-0"): Fields({"metadata": {"annotations": {"gpu-fraction": "0.5"}}})})


def of_pod(*others: Any, evidence: Evidence = NAMED, event: tuple[str, str] = ("", ""), **changed: Any) -> str:
    pod = a_waiting(**({"labels": LABELS, "scheduler": "kai-scheduler"} | changed))
    events = [an_event(pod, *event)] if event[0] else []
    return told(STAGE, asked(queues_view(pod, *others, *events), pod, evidence))


def a_group(reason: str, where: str = "schedulingConditions", message: str = "queue team-a is full") -> Any:
    told_ = [{"type": "UnschedulableOnNodePool", "status": "True", "reason": reason, "message": message}]
    return a_thing("PodGroup", "pg", spec={"queue": "team-a"}, status={where: told_}, api_version=KAI)


ABOVE = (
    "dept quota has reached the allowable limit of GPUs. Limit is 16 GPUs, currently 15.5 GPUs allocated and workload "
    "requested 2 GPUs"
)
OVER = (
    "Non-preemptible workload is over quota. Workload requested 0.5 GPUs, but team-a quota is 8 GPUs, while 8 GPUs are "
    "already allocated for non-preemptible pods."
)
SIBLING = Owner("ReplicaSet", "rs", "uid-rs")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            of_pod(QUEUE, a_group("OverLimit", message=ABOVE)),
            [
                "queue `dept`, which is above its own (`team-a`), is at its limit: 15.5 of 16 GPUs are used, and it asks "
                "for 2",
                "edit queues.scheduling.run.ai dept",
            ],
            id="the queue above is at its limit",
        ),
        pytest.param(
            of_pod(QUEUE, a_group("NonPreemptibleOverQuota", message=OVER)),
            ["has to keep to the quota of queue `team-a`: 8 of 8 GPUs are used, and it asks for 0.5", "the quota of"],
            id="sums of what may not be evicted",
        ),
        pytest.param(
            of_pod(
                QUEUE,
                a_waiting("b", owner=SIBLING, gated=True),
                owner=SIBLING,
                event=("NotReady", "Waiting for 4 pods, currently 2 exist, 1 are gated"),
            ),
            ["Ask what holds the gated one back: `why llm/b`"],
            id="a sibling behind a gate",
        ),
        pytest.param(of_pod(), ["kai.no-queue CAUSE", "`team-a`, which does not exist"], id="no such queue"),
        pytest.param(
            of_pod(QUEUE, a_group("NonPreemptibleOverQuota")),
            ["kai.queue CAUSE", "may not be evicted", "quota 8, no limit", "priority class below 100"],
            id="a pod that may not be evicted is over quota",
        ),
        pytest.param(
            of_pod(QUEUE, a_group("OverLimit", "conditions")), ["at its limit", "edit queues"], id="over the limit"
        ),
        pytest.param(
            of_pod(
                QUEUE,
                event=(
                    "NotReady",
                    "Job is not ready for scheduling. Waiting for 4 pods, currently 2 exist, 1 are gated",
                ),
            ),
            ["kai.not-ready CAUSE", "needs 4 pods and 2 exist, 1 of them held by gates"],
            id="a group that is not whole",
        ),
        pytest.param(
            of_pod(QUEUE, event=("Unschedulable", "no nodes with enough resources were found: 2 node(s) ...")),
            ["kai.nodes NOTE", "no nodes with enough resources"],
            id="its words about nodes",
        ),
        pytest.param(of_pod(QUEUE, evidence=FRACTION), ["kai.nodes ALSO", "gpu-fraction 0.5"], id="a part of a GPU"),
    ],
)
def test_what_keeps_a_pod(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"labels": {}, "scheduler": "default-scheduler"}, id="a pod of another scheduler"),
        pytest.param({"node": "gpu-1", "phase": "Running"}, id="a pod that runs"),
    ],
)
def test_nothing_to_say(changed: dict[str, Any]) -> None:
    assert not of_pod(a_group("OverLimit"), **changed)


def test_queues_that_were_not_read_are_not_missing() -> None:
    pod = a_waiting(labels=LABELS, scheduler="kai-scheduler")
    assert not found(STAGE, asked(queues_view(pod, unread=("kaiqueues",)), pod))


@pytest.mark.parametrize("shape", [7, "x", ["x"], {"schedulingConditions": [{"reasons": "x"}]}, None])
def test_any_shape_is_survived(shape: object) -> None:
    pod = a_waiting(labels=LABELS)
    group = a_thing("PodGroup", "pg", spec=shape, status=shape, api_version=KAI)
    assert all(one.level is not Level.CAUSE for one in found(STAGE, asked(queues_view(pod, QUEUE, group), pod, NAMED)))
