"""What stages read: the pod's own events, the scheduler's words, the owners above, what was not read."""

import pytest

from bot.domain.event import Event
from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.thing import Thing
from bot.why.case import Case
from bot.why.subject import of_thing
from tests.factories import NOW, POLICY, a_pod
from tests.why.builders_fleet import a_view_of, a_waiting, case_of_pod, scheduler_said
from tests.why.builders_owners import a_deployment, a_member, a_replicaset, a_thing, ago

TOO_FEW = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."
TAINTED = "0/2 nodes are available: 2 node(s) had untolerated taint(s)."
SAYS = Condition("PodScheduled", "False", "Unschedulable", TAINTED)


def karpenter() -> Event:
    said = scheduler_said(a_waiting(), "no nodepool matched pod", minutes=0.5)
    return Event(name="k", namespace="llm", about_kind="Pod", about_namespace="llm", about_name="glm-0", reason=said.reason, message=said.message, source="karpenter", last=said.last)  # fmt: skip


SAID = [
    (a_waiting(conditions=(SAYS,)), [scheduler_said(a_waiting(), TOO_FEW)], TAINTED, "the condition before events"),
    (a_waiting(), [scheduler_said(a_waiting(), TOO_FEW)], TOO_FEW, "the newest event where there is no condition"),
    (a_waiting(), [karpenter(), scheduler_said(a_waiting(), TOO_FEW)], TOO_FEW, "not what an autoscaler says"),
    (a_waiting(uid="another"), [scheduler_said(a_waiting(), TOO_FEW)], None, "not what was said of an older pod"),
    (a_waiting(conditions=(Condition("PodScheduled", "False"),)), [], None, "a condition without words"),
    (a_waiting(), [], None, "nothing"),
]


@pytest.mark.parametrize(("pod", "events", "said"), [pytest.param(*row[:3], id=row[3]) for row in SAID])
def test_the_scheduler_said(pod: Pod, events: list[Event], said: str | None) -> None:
    found = case_of_pod(pod, *events).said
    assert (str(found) if found else None) == said


def chain(pod: Pod, *things: Thing) -> list[str]:
    return [one.key for one in case_of_pod(pod, *things).owners]


def test_owners_are_nearest_first() -> None:
    deployment = a_deployment()
    new = a_replicaset(deployment)
    assert chain(a_member(new, "glm-0"), deployment, new) == ["llm/glm-new", "llm/glm"]


def test_the_chain_ends_where_an_owner_is_another_of_that_name() -> None:
    new = a_replicaset(a_deployment())
    later = a_deployment(uid="made anew")
    assert chain(a_member(new, "glm-0"), later, new) == ["llm/glm-new"]


def test_a_circle_of_owners_ends() -> None:
    one = a_thing("StatefulSet", "one", owner=a_thing("StatefulSet", "two"))
    two = a_thing("StatefulSet", "two", owner=one)
    assert chain(a_member(one, "p"), one, two) == ["llm/one", "llm/two"]


def test_an_owner_that_is_asked_about_comes_first() -> None:
    deployment = a_deployment()
    new = a_replicaset(deployment)
    view = a_view_of(deployment, new)
    case = Case(of_thing(view, new), view, NOW, POLICY)
    assert [one.key for one in case.owners] == ["llm/glm-new", "llm/glm"]


def test_an_owner_of_a_kind_that_is_not_read_is_none() -> None:
    assert chain(a_pod(owner=Owner("PyTorchJob", "train", "u"))) == []


def test_the_whole_pod_is_empty_where_it_was_not_looked_up() -> None:
    case = case_of_pod(a_waiting())
    assert not case.detail
    case = case_of_pod(a_waiting())
    case.evidence = Evidence({ObjectRef("Pod", "llm", "glm-0"): Fields({"spec": {"hostIPC": "yes"}})})
    assert case.detail.flag("spec", "hostIPC") is None
    assert case.odd == ["Pod llm/glm-0: spec.hostIPC"]


@pytest.mark.parametrize(
    ("reading", "told"),
    [
        (Reading.LIVE, ()),
        (Reading.STALE, ()),
        (Reading.ABSENT, ()),
        (Reading.FORBIDDEN, ("workloads: needs `list workloads`",)),
        (Reading.UNREAD, ("workloads: needs `list workloads`",)),
    ],
)
def test_what_was_not_read_is_told(reading: Reading, told: tuple[str, ...]) -> None:
    case = case_of_pod(a_waiting())
    case.view.sources["workloads"] = Source("workloads", reading, None, "needs `list workloads`")
    assert case.not_read("workloads", "pods") == told


@pytest.mark.parametrize(
    ("time", "seconds"),
    [(ago(minutes=5), 300.0), ("2030-01-01T00:00:00Z", 0.0), ("yesterday", None), ("", None)],
)
def test_ages_are_never_negative(time: str, seconds: float | None) -> None:
    assert case_of_pod(a_waiting()).age_seconds(time) == seconds


@pytest.mark.parametrize(
    ("pod", "waits"),
    [
        (a_waiting(), True),
        (a_pod(), False),
        (a_waiting(phase="Failed"), False),
        (a_waiting(phase="Succeeded"), False),
    ],
)
def test_a_pod_waits_while_it_has_no_node_and_could_get_one(pod: Pod, waits: bool) -> None:
    assert case_of_pod(pod).waits is waits
    assert (case_of_pod(pod).verdict is not None) is waits
