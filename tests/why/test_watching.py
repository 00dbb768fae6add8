"""What a sweep sees: one reason for each group, an observation for each pod, starts of those that waited."""

from datetime import timedelta

import pytest

from bot.domain.history import History, State, Wait
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.why.watching import SENTENCE_MAX, likeness, started, waiting, watched
from tests.factories import NOW, POLICY, a_pod, owned_by
from tests.why.builders_fleet import GPU, a_fleet, a_waiting, h200s

SWEEP = owned_by("Job", "sweep")
PODS = [a_waiting(f"sweep-{index}", gpus=1, owner=SWEEP) for index in range(3)]


def test_pods_that_wait_are_watched_by_group_and_others_are_not() -> None:
    view = a_fleet(*PODS, a_waiting(), a_pod("runs"), a_waiting("done", phase="Succeeded"), *h200s(0)).view
    assert [[pod.name for pod in pods] for pods in watched(view, NOW)] == [
        ["glm-0"],
        ["sweep-0", "sweep-1", "sweep-2"],
    ]


def test_a_groups_reason_is_each_pods() -> None:
    view = a_fleet(*PODS, *h200s(0)).view
    seen = list(waiting(view, POLICY, watched(view, NOW)[0], NOW))
    assert [one.uid for one in seen] == ["uid-sweep-0", "uid-sweep-1", "uid-sweep-2"]
    assert {(one.reason_id, one.state, one.owner, one.gpus) for one in seen} == {
        ("resources.used-up", State.WAITING, "Job/sweep", 1)
    }
    assert "it needs 1 H200 and none is free" in seen[0].sentence
    assert seen[0].since == NOW - timedelta(hours=2, minutes=10)
    assert len(seen[0].sentence) <= SENTENCE_MAX


def test_a_pod_that_was_placed_or_made_anew_meanwhile_is_left_out() -> None:
    view = a_fleet(*PODS, *h200s(0)).view
    group = watched(view, NOW)[0]
    view.put("pods", "llm/sweep-0", a_pod("sweep-0", uid="uid-sweep-0"))
    view.put("pods", "llm/sweep-1", a_waiting("sweep-1", uid="another"))
    assert [one.name for one in waiting(view, POLICY, group, NOW)] == ["sweep-2"]
    view.take("pods", "llm/sweep-2")
    assert list(waiting(view, POLICY, group, NOW)) == []


def test_a_pod_that_waited_and_has_its_place_has_started() -> None:
    view = a_fleet(
        a_pod("glm-0", uid="u-0", started="2026-11-30T11:00:00Z"), a_waiting("glm-1", uid="u-1"), *h200s(8)
    ).view
    known = {
        uid: Wait(uid=uid, namespace="llm", name=name, pending_since=NOW, seen_at=NOW)
        for uid, name in (("u-0", "glm-0"), ("u-1", "glm-1"), ("u-2", "gone"), ("u-3", "glm-0"))
    }
    seen = list(started(view, History(cluster="prod-a", waits=known)))
    assert [(one.uid, one.state) for one in seen] == [("u-0", State.STARTED)]


@pytest.mark.parametrize(
    ("pod", "like"),
    [
        (a_waiting(), (8, "")),
        (a_waiting(gpus=0), (0, "")),
        (a_waiting(spec=PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-H200"})), (8, "H200")),
        (a_waiting(requests={"nvidia.com/mig-1g.18gb": 2}), (2, "1g.18gb")),
        (a_waiting(requests={GPU: 1, "amd.com/gpu": 2}), (2, "")),
    ],
)
def test_pods_are_alike_by_how_many_gpus_of_which_kind(pod: Pod, like: tuple[int, str]) -> None:
    assert likeness(a_fleet().view, pod) == like
