"""Containers that are being created without a word why."""

from typing import Any

import pytest

from bot.why.stages.creating import STAGE
from tests.why.builders_started import (
    a_case,
    a_node_object,
    a_pod_object,
    an_event,
    at,
    ids,
    running,
    the_one,
    told,
    waiting,
)


def creating(minutes: float = 25, **more: Any) -> dict[str, Any]:
    status = {"startTime": at(minutes)} | more.pop("status", {})
    return a_pod_object(phase="Pending", statuses=[waiting("ContainerCreating")], status=status, **more)


def test_seconds_are_nothing_unusual() -> None:
    finding = the_one(STAGE, a_case(creating(0.4), a_node_object()), "creating.young")
    assert "for 24 s so far, which is nothing unusual" in finding.sentence
    assert finding.until


def test_events_that_could_not_be_read_are_unknown() -> None:
    finding = the_one(STAGE, a_case(creating(), a_node_object(), unread=("events",)), "creating.events-not-read")
    assert "only events tell, which could not be read" in finding.sentence
    assert any(one.startswith("events") for one in finding.unknown)


def test_a_long_silence_points_at_the_kubelet() -> None:
    finding = the_one(STAGE, a_case(creating(90), a_node_object()), "creating.silent")
    assert "no event says what holds them up" in finding.sentence
    assert "journalctl -u kubelet" in told(finding)


DOWN = a_node_object() | {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([creating(), an_event("FailedMount", "x")], id="a mount fails"),
        pytest.param([creating(), an_event("FailedCreatePodSandBox", "x")], id="a sandbox fails"),
        pytest.param([creating(), an_event("Pulling", 'Pulling image "x"')], id="an image comes"),
        pytest.param([creating(), an_event("VolumePermissionChangeInProgress", "x")], id="files change their owner"),
        pytest.param([a_pod_object(phase="Pending", statuses=[waiting("ErrImagePull")])], id="an image fails"),
        pytest.param([creating(), DOWN], id="its node is silent"),
        pytest.param([creating(node="")], id="it waits for a node"),
        pytest.param([a_pod_object(statuses=[running()])], id="it runs"),
        pytest.param([creating(deletionTimestamp=at(1))], id="it is being deleted"),
    ],
)
def test_nothing_is_said_where_another_stage_speaks(objects: list[dict[str, Any]]) -> None:
    assert ids(STAGE, a_case(*objects)) == []
