"""`why pending`: what belongs together is one line, what waits longest comes first, nothing is counted twice."""

from typing import Any

import pytest

from bot.domain.evidence import LogRef, ObjectRef
from bot.domain.pod import ContainerState
from bot.why.overview import EXPLAINED, LOOKED_AT, Overview, groups, overview, to_look_up
from tests.factories import NOW, POLICY, a_pod, owned_by
from tests.why.builders_fleet import GPU, a_fleet, a_waiting, ask, h200s
from tests.why.builders_owners import a_deployment, a_member, a_quota, a_replicaset, a_thing, ago, refused

SWEEP = a_thing("Job", "sweep", "train", spec={"parallelism": 500})
FULL = a_deployment("glm", replicas=2, status={"replicas": 1})
FULL_NEW = a_replicaset(FULL, "glm-6d", replicas=2, status={"replicas": 1})
NO_QUOTA = (
    FULL,
    FULL_NEW,
    a_member(FULL_NEW, "glm-6d-a"),
    refused(FULL_NEW, f'pods "x" is forbidden: exceeded quota: gpu, requested: requests.{GPU}=1, used: requests.{GPU}=8, limited: requests.{GPU}=8'),
    a_quota({f"requests.{GPU}": "8"}, {f"requests.{GPU}": "8"}),
)  # fmt: skip


def replicas(number: int, **changed: Any) -> list[Any]:
    """Pods of one Job."""
    defaults = {"namespace": "train", "gpus": 1, "owner": owned_by("Job", "sweep", SWEEP.uid)}
    return [a_waiting(f"sweep-{index}", **(defaults | changed)) for index in range(number)]


def of(*records: Any, namespace: str = "", unread: tuple[str, ...] = ()) -> Overview:
    view = a_fleet(*records, unread=unread).view
    return overview(view, POLICY, NOW, namespace=namespace)


def crashed(name: str = "bad-0", **changed: Any) -> Any:
    state = ContainerState("app", waiting="CrashLoopBackOff", restarts=4, exit_code=1)
    return a_pod(name, gpus=0, created=ago(minutes=40), states=(state,), **changed)


def owners(found: Overview) -> list[tuple[str, int]]:
    return [(one.owner, one.pods) for one in found.lines]


CASES = [
    ([SWEEP, *replicas(500)], [("train/sweep", 500)], "500 replicas of one job are one line"),
    ([SWEEP, *replicas(3), a_waiting()], [("llm/glm-0", 1), ("train/sweep", 3)], "owners apart"),
    (
        [a_waiting("late", created=ago(minutes=5)), a_waiting("early", created=ago(hours=9))],
        [("llm/early", 1), ("llm/late", 1)],
        "the oldest first",
    ),
    ([a_waiting("timeless", created="")], [("llm/timeless", 1)], "no time at all"),
    ([crashed()], [("llm/bad-0", 1)], "what has a node and does not run"),
    ([a_pod("glm-0")], [], "what runs"),
    ([a_pod("done", phase="Succeeded"), a_pod("done-too", node="", phase="Succeeded")], [], "what is done"),
    ([a_pod("lost", phase="Failed")], [("llm/lost", 1)], "what has failed"),
    ([a_pod("lost", node="", phase="Failed")], [], "what failed without ever having a node"),
    (NO_QUOTA, [("llm/glm", 0)], "an owner that cannot make its pods, by the name that people know"),
    (
        [a_deployment("calm", replicas=2, status={"replicas": 2}), a_thing("StatefulSet", "off", spec={"replicas": 0})],
        [],
        "owners that have what they want",
    ),
]


@pytest.mark.parametrize(("records", "lines"), [pytest.param(records, lines, id=id_) for records, lines, id_ in CASES])
def test_the_lines_are(records: list[Any], lines: list[tuple[str, int]]) -> None:
    assert owners(of(*records, *h200s(0))) == lines


def test_numbers_add_up() -> None:
    found = of(SWEEP, *replicas(500), a_waiting(), crashed(), *NO_QUOTA, *h200s(0))
    assert (found.pods, found.waiting) == (502, 501)
    assert sum(one.pods for one in found.lines) == found.pods
    assert next(one.gpus for one in found.lines if one.owner == "train/sweep") == 500


def test_pods_of_one_owner_that_ask_for_other_things_are_explained_apart_and_told_together() -> None:
    large = a_waiting("sweep-big", namespace="train", gpus=16, owner=owned_by("Job", "sweep", SWEEP.uid))
    found = of(SWEEP, *replicas(2), large, *h200s(0))
    told = {one.explanation.id: (one.owner, one.pods) for one in found.lines}
    assert told == {"resources.used-up": ("train/sweep", 2), "resources.too-large": ("train/sweep", 1)}


def test_one_namespace_only() -> None:
    records = [SWEEP, *replicas(2), a_waiting(), *NO_QUOTA, *h200s(0)]
    assert owners(of(*records, namespace="train")) == [("train/sweep", 2)]
    assert {owner for owner, _ in owners(of(*records, namespace="llm"))} == {"llm/glm", "llm/glm-0"}
    assert owners(of(*records, namespace="nobody")) == []


def test_more_groups_than_are_explained_are_counted() -> None:
    found = of(*(a_waiting(f"p-{index}") for index in range(EXPLAINED + 5)), *h200s(0))
    assert (len(found.lines), found.more, found.pods) == (EXPLAINED, 5, EXPLAINED + 5)


def test_the_answer_names_twelve_groups_and_counts_the_others() -> None:
    text = ask(
        "why pending", a_fleet(*(a_waiting(f"p-{index:02}", gpus=20 + index) for index in range(15)), *h200s(0))
    ).answer.text
    assert sum(line.startswith("  llm/p-") for line in text.splitlines()) == 12
    assert "and 3 more groups: ask for one namespace, `/why pending namespace=NAME`" in text
    assert text.startswith("15 pods wait for a node: 1 cause.")


def test_owners_of_whom_the_same_is_said_are_told_together() -> None:
    text = ask("why pending", a_fleet(*(a_waiting(f"p-{index:02}") for index in range(15)), *h200s(0))).answer.text
    (told,) = (line for line in text.splitlines() if line.startswith("  llm/p-00"))
    assert " and 12 more: it needs 8 H200" in told


def test_huge_groups_give_way_to_the_length_and_are_counted() -> None:
    long = [a_waiting(f"{index:02}-{'x' * 230}", namespace="y" * 60, gpus=20 + index) for index in range(15)]
    text = ask("why pending", a_fleet(*long, *h200s(0))).answer.text
    shown = sum(f"/{index:02}-x" in text for index in range(15))
    assert len(text) <= 4_000
    assert f"and {15 - shown} more groups" in text


@pytest.mark.parametrize(
    ("records", "unread", "verdict"),
    [
        ((), (), "Nothing waits: every pod has its place, and none is failing."),
        ((), ("pods",), "What waits cannot be told: pods could not be read."),
        ((a_waiting(),), (), "1 pod waits for a node: 1 cause."),
        ((crashed(),), (), "1 pod has a node but does not run: 1 cause."),
        ((crashed(), crashed("bad-1")), (), "2 pods have a node but do not run: 1 cause."),
        ((a_waiting(), crashed()), (), "1 pod waits for a node, 1 pod has one but does not run: 2 causes."),
        (NO_QUOTA, (), "1 owner lacks pods: 1 cause."),
    ],
)
def test_the_first_line_says_how_much_stands_still(records: Any, unread: tuple[str, ...], verdict: str) -> None:
    reply = ask("why pending", a_fleet(*records, *h200s(0), unread=unread))
    assert reply.answer.text.splitlines()[0] == verdict
    assert reply.answer.told is ("pods" not in unread)


def test_pods_and_logs_are_looked_up_for_the_first_groups_only() -> None:
    pods = [crashed(f"bad-{index:02}") for index in range(LOOKED_AT + 4)]
    wanted = to_look_up(a_fleet(*pods).view, POLICY, NOW).refs
    asked = {one.name for one in wanted if isinstance(one, ObjectRef) and one.kind == "Pod"}
    assert asked == {f"bad-{index:02}" for index in range(LOOKED_AT)}
    assert {one.pod for one in wanted if isinstance(one, LogRef)} <= asked


def test_a_group_is_told_by_the_pod_that_waits_longest() -> None:
    pods = [*replicas(2, created=ago(hours=1)), a_waiting("sweep-9", namespace="train", gpus=1, created=ago(hours=5), owner=owned_by("Job", "sweep", SWEEP.uid))]  # fmt: skip
    found = groups(a_fleet(SWEEP, *pods).view, NOW)
    assert [(owner, [pod.name for pod in members]) for owner, members in found] == [
        ("train/sweep", ["sweep-9", "sweep-0", "sweep-1"])
    ]


def test_a_failed_try_of_a_job_that_has_completed_is_no_news() -> None:
    job = a_thing("Job", "eval", "llm", status={"conditions": [{"type": "Complete", "status": "True"}]})
    tried = a_pod("eval-x", phase="Failed", owner=owned_by("Job", "eval", job.uid))
    assert ask("why pending", a_fleet(tried, job, *h200s(0))).answer.text.startswith("Nothing waits")
    failed = a_thing("Job", "eval", "llm", status={"conditions": [{"type": "Failed", "status": "True"}]})
    assert "1 pod has a node" in ask("why pending", a_fleet(tried, failed, *h200s(0))).answer.text
