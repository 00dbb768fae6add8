"""Pods of which no scheduler has said a word."""

from typing import Any

import msgspec
import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.pod_spec import ClaimRef, PodSpec
from bot.domain.thing import Thing
from bot.why.finding import Level
from bot.why.stages.scheduler import STAGE
from tests.factories import a_claim, a_node, a_pod
from tests.why.builders_owners import a_thing, ago, an_event, asked, found, owners_view, words


def waits(name: str = "glm-0", minutes: float = 30, **changed: Any) -> Pod:
    return a_pod(name, node="", created=ago(minutes=minutes), uid=f"u-{name}", **changed)


def a_lease(minutes: float, name: str = "kube-scheduler") -> Thing:
    spec = {"renewTime": ago(minutes=minutes), "leaseDurationSeconds": 15, "holderIdentity": "cp-1_abc"}
    return a_thing("Lease", name, "kube-system", spec=spec)


def placed(name: str, by: str, minutes: float) -> object:
    return an_event(
        a_thing("Pod", name), "Scheduled", "Successfully assigned", minutes=minutes, source=by, about_kind="Pod"
    )


# ---- nobody of that name -----------------------------------------------------------------------------------------------


def test_a_name_under_which_nobody_works() -> None:
    pod = waits(scheduler="volcanoo")
    view = owners_view(pod, a_pod("other", scheduler="volcano"), a_node())
    (finding,) = found(STAGE, asked(view, pod))
    assert (finding.id, finding.level) == ("scheduler.unknown-name", Level.CAUSE)
    assert "`volcanoo`, and nobody works under that name (`volcano` works here: a typing mistake?)" in finding.sentence
    assert "`schedulerName: volcano`" in finding.remedies[0].action


@pytest.mark.parametrize(
    "sign",
    [
        pytest.param(a_pod("other", scheduler="own-scheduler"), id="a pod that it has placed"),
        pytest.param(placed("gone", "own-scheduler", 90), id="an event"),
        pytest.param(a_lease(0.1, "own-scheduler"), id="a lease"),
        pytest.param(a_thing("Deployment", "own-scheduler", "kube-system"), id="a Deployment of its name"),
        pytest.param(
            a_thing(
                "Deployment",
                "my-scheduler-7",
                "kube-system",
                spec={
                    "template": {"spec": {"containers": [{"name": "s", "args": ["--scheduler-name=own-scheduler"]}]}}
                },
            ),
            id="a Deployment that is started with it",
        ),
    ],
)
def test_a_name_that_shows_anywhere_is_known(sign: object) -> None:
    pod = waits(scheduler="own-scheduler")
    assert [one.id for one in found(STAGE, asked(owners_view(pod, sign, a_node()), pod))] == ["scheduler.silent"]


# ---- down --------------------------------------------------------------------------------------------------------------


def test_a_lease_that_nobody_renews() -> None:
    pod = waits()
    view = owners_view(pod, waits("glm-1"), a_lease(25), placed("old", "default-scheduler", 26), a_node())
    (finding,) = found(STAGE, asked(view, pod))
    assert (finding.id, finding.level) == ("scheduler.down", Level.CAUSE)
    assert "`default-scheduler` is down: its lease was renewed last 25 min ago" in finding.sentence
    assert "1 other pod of the same scheduler waits without a word too" in words(finding)
    assert "cp-1_abc" in words(finding)
    assert "component=kube-scheduler" in finding.remedies[0].command


def test_it_is_down_also_for_a_pod_that_was_tried_before() -> None:
    pod = waits(
        conditions=(
            Condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 Insufficient cpu."),
        )
    )
    assert [one.id for one in found(STAGE, asked(owners_view(pod, a_lease(25), a_node()), pod))] == ["scheduler.down"]


def test_an_old_lease_does_not_count_where_pods_were_placed_since() -> None:
    pod = waits()
    view = owners_view(pod, a_lease(25), placed("new", "default-scheduler", 2), a_node())
    (finding,) = found(STAGE, asked(view, pod))
    assert finding.id == "scheduler.silent"
    assert "it placed llm/new since: it is kept out of its queue" in finding.sentence


def test_a_second_scheduler_without_a_ready_pod_is_down() -> None:
    pod = waits(scheduler="volcano")
    server = a_thing(
        "Deployment",
        "volcano-scheduler",
        "volcano-system",
        spec={"replicas": 1},
        status={"replicas": 1, "readyReplicas": 0},
    )
    (finding,) = found(STAGE, asked(owners_view(pod, server, a_node()), pod))
    assert finding.id == "scheduler.down"
    assert "`deployment/volcano-scheduler` in volcano-system has no ready pod" in finding.sentence
    assert finding.remedies[0].command == "/why deployment/volcano-system/volcano-scheduler"


# ---- kept out of the queue ---------------------------------------------------------------------------------------------


def test_what_keeps_it_out_of_the_queue_is_told_in_the_schedulers_own_words() -> None:
    pod = waits(spec=PodSpec(claims=(ClaimRef("gpus", claim="gpus-a"),)), claims=("gpus-a",))
    leaving = msgspec.structs.replace(a_claim("gpus-a"), deleted=ago(minutes=3))
    (finding,) = found(STAGE, asked(owners_view(pod, leaving, a_lease(0.1), a_node()), pod))
    assert finding.id == "scheduler.not-queued"
    assert "gpus-a" in finding.sentence


def test_a_claim_that_does_not_exist_is_told_with_the_references() -> None:
    pod = waits(spec=PodSpec(claims=(ClaimRef("gpus", claim="gpus-a"),)), claims=("gpus-a",))
    assert found(STAGE, asked(owners_view(pod, a_lease(0.1), a_node()), pod)) == []


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"schedulingGroup": {"podGroupName": "train-a"}}, id="1.36 and newer"),
        pytest.param({"workloadRef": {"name": "train", "podGroup": "train-a"}}, id="1.35"),
    ],
)
def test_a_gang_that_is_not_complete(spec: dict[str, Any]) -> None:
    pod = waits()
    evidence = Evidence({ObjectRef("Pod", "llm", "glm-0"): Fields({"spec": spec})})
    (finding,) = found(STAGE, asked(owners_view(pod, a_lease(0.1), a_node()), pod, evidence))
    assert finding.id == "scheduler.gang"
    assert "`train-a`" in finding.sentence


def test_room_is_being_made_for_it() -> None:
    pod = waits(nominated="gpu-1", priority=100)
    victim = a_pod("nb-ana", deleted="2026-11-30T12:05:00Z", namespace="dev")
    (finding,) = found(STAGE, asked(owners_view(pod, victim, a_node()), pod))
    assert finding.id == "scheduler.preempting"
    assert "room for it on gpu-1: `dev/nb-ana` is being ended for it" in finding.sentence
    assert finding.until == "that pod is gone, 12:05 at the latest"


# ---- nothing to say ----------------------------------------------------------------------------------------------------


def test_a_pod_that_was_made_a_moment_ago() -> None:
    pod = waits(minutes=0.1)
    (finding,) = found(STAGE, asked(owners_view(pod, a_lease(0.1), a_node()), pod))
    assert (finding.id, finding.level) == ("scheduler.just-made", Level.NOTE)


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(
            waits(conditions=(Condition("PodScheduled", "False", "Unschedulable", "0/1"),)),
            id="the scheduler has spoken",
        ),
        pytest.param(waits(gated=True), id="it is gated"),
        pytest.param(waits(deleted=ago(minutes=1)), id="it is being deleted"),
        pytest.param(a_pod(), id="it has its place"),
    ],
)
def test_nothing_is_said_where(pod: Pod) -> None:
    assert found(STAGE, asked(owners_view(pod, a_lease(0.1), a_node()), pod)) == []


def test_another_controllers_event_counts_as_a_word() -> None:
    pod = waits(scheduler="volcano")
    event = an_event(a_thing("Pod", "glm-0"), "Unschedulable", "3/3 tasks in gang unschedulable", source="volcano")
    assert found(STAGE, asked(owners_view(pod, event, a_node()), pod)) == []


def test_the_log_of_kube_scheduler_is_named_only_for_its_own_pods() -> None:
    own, foreign = waits(), waits(scheduler="own-scheduler")
    (first,) = found(STAGE, asked(owners_view(own, a_lease(0.1), a_node()), own))
    assert "component=kube-scheduler" in first.remedies[0].command
    sign = placed("gone", "own-scheduler", 90)
    (second,) = found(STAGE, asked(owners_view(foreign, sign, a_node()), foreign))
    assert second.remedies[0].command == ""


def test_events_and_leases_that_are_not_read_stay_unknown() -> None:
    pod = waits()
    (finding,) = found(STAGE, asked(owners_view(pod, a_node(), unread=("events", "leases")), pod))
    assert finding.id == "scheduler.silent"
    assert len(finding.unknown) == 2


def test_an_odd_lease_does_no_harm() -> None:
    pod = waits()
    lease = a_thing(
        "Lease", "kube-scheduler", "kube-system", raw=b'{"spec": {"renewTime": 7, "leaseDurationSeconds": "x"}}'
    )
    assert [one.id for one in found(STAGE, asked(owners_view(pod, lease, a_node()), pod))] == ["scheduler.silent"]


# ---- silence beside a blocker ------------------------------------------------------------------------------------------


def test_silence_stands_beside_what_keeps_it_from_every_node() -> None:
    pod = waits()
    full = a_pod("holder", gpus=8)
    (finding,) = found(STAGE, asked(owners_view(pod, a_node(), full), pod))
    assert (finding.id, finding.level) == ("scheduler.silent", Level.ALSO)
    assert "has not said a word about it" in finding.sentence
    assert finding.remedies == ()


def test_silence_is_the_cause_where_the_pod_would_fit() -> None:
    pod = waits()
    (finding,) = found(STAGE, asked(owners_view(pod, a_node()), pod))
    assert (finding.id, finding.level) == ("scheduler.silent", Level.CAUSE)
    assert "by our own reading it would fit on gpu-1" in finding.sentence


def test_where_not_all_pods_are_read_it_is_not_said_to_fit() -> None:
    pod = waits()
    (finding,) = found(STAGE, asked(owners_view(pod, a_node(), unread=("pods",)), pod))
    assert finding.level is Level.CAUSE
    assert "fit" not in finding.sentence
