"""`if …`: every form, tried on a copy, and every way in which it can be typed wrongly."""

from typing import Any

import pytest

from bot.domain.errors import NotFoundError, UsageError, UserError
from bot.domain.pod_spec import PodSpec
from bot.domain.selectors import NodeTerm, Requirement
from bot.domain.workload import PriorityClass
from bot.why.answering import answer
from bot.why.question import take_apart
from bot.why.trial import Trial
from tests.factories import a_cpu_node, a_node, a_pod, a_taint
from tests.why.builders_fleet import a_fleet, a_holder, a_waiting, an_asked, ask, h200s
from tests.why.builders_owners import a_deployment, a_member, a_replicaset, a_thing

CORDONED = a_node("gpu-7", unschedulable=True)
TAINTED = a_node("gpu-8", taints=(a_taint("dedicated=train:NoSchedule"),))
POOL = PodSpec(node_selector={"pool": "h20"})
TERMS = PodSpec(node_terms=(NodeTerm((Requirement("pool", "In", ("h20",)), Requirement("zone", "In", ("a",)))),))
NOTEBOOKS = a_deployment("nb", replicas=2, namespace="dev")
NB_SET = a_replicaset(NOTEBOOKS, "nb-1", replicas=2)
NB = [NOTEBOOKS, NB_SET, *(a_member(NB_SET, f"nb-1-{at}", requests={"nvidia.com/gpu": 4}, node="gpu-1") for at in "ab")]
FULL = h200s(0)
HIGH = (PriorityClass(name="high", value=1000), PriorityClass(name="low", value=-10))


def tried(changes: str, *records: Any, pod: Any = None) -> Trial:
    result = answer(an_asked(take_apart(tuple(f"glm-0 if {changes}".split())), pod or a_waiting(), *records))
    assert isinstance(result, Trial)
    return result


YES = [
    ("uncordon gpu-7", (*FULL, CORDONED), ("gpu-7",), "a cordon less"),
    ("uncordon gpu-6", (*FULL, a_node("gpu-6", unschedulable=True, taints=(a_taint("node.kubernetes.io/unschedulable:NoSchedule"),))), ("gpu-6",), "a cordon and its taint less"),
    ("Uncordon gpu-7,", (*FULL, CORDONED), ("gpu-7",), "in capitals, with a comma"),
    ("tolerate dedicated", (TAINTED,), ("gpu-8",), "a taint by its key"),
    ("tolerates dedicated=train", (TAINTED,), ("gpu-8",), "a taint with its value"),
    ("tolerate dedicated=train:NoSchedule", (TAINTED,), ("gpu-8",), "a taint with its effect"),
    ("untaint gpu-8 dedicated", (TAINTED,), ("gpu-8",), "a taint less"),
    ("untaint gpu-8 dedicated=train:NoSchedule-", (TAINTED,), ("gpu-8",), "a taint as kubectl takes it off"),
    ("request 4 gpus", h200s(4), ("gpu-1",), "fewer GPUs"),
    ("request 4", h200s(4), ("gpu-1",), "just a number"),
    ("requests 4gpus", h200s(4), ("gpu-1",), "in one word"),
    ("request 4 nvidia.com/gpu", h200s(4), ("gpu-1",), "by the resource's name"),
    ("ends eval-1", FULL, ("gpu-1",), "a pod by its name"),
    ("end train/eval-1", FULL, ("gpu-1",), "a pod with its namespace"),
    ("ends job/eval-1", (*FULL, a_thing("Job", "eval-1", "train", uid="uid-eval-1")), ("gpu-1",), "a Job"),
    ("ends deployment/nb", (a_node("gpu-1"), *NB), ("gpu-1",), "a Deployment with two pods"),
    ("ends nb", (a_node("gpu-1"), *NB), ("gpu-1",), "a Deployment by its bare name"),
    ("ends pod/nb-1", (a_node("gpu-1"), *NB), ("gpu-1",), "several pods by the beginning of their names"),
    ("add node like gpu-1", FULL, ("new-1-like-gpu-1",), "a node more"),
    ("add 2 nodes like gpu-1", FULL, ("new-1-like-gpu-1", "new-2-like-gpu-1"), "two nodes more"),
    ("drop selector pool", (a_node("gpu-1"),), ("gpu-1",), "a label less"),
    ("drop pool", (a_node("gpu-1"),), ("gpu-1",), "a label without the word"),
    ("drop label pool=h20", (a_node("gpu-1"),), ("gpu-1",), "a label with its value"),
    ("uncordon gpu-7 and request 4 gpus", (a_node("gpu-7", unschedulable=True), a_holder("x", "gpu-7", 4)), ("gpu-7",), "two at once"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "records", "fits"), [pytest.param(*row[:3], id=row[3]) for row in YES])
def test_it_fits_then(changes: str, records: tuple[Any, ...], fits: tuple[str, ...]) -> None:
    pod = a_waiting(spec=POOL) if changes.startswith("drop") else None
    result = tried(changes, *records, pod=pod)
    assert (result.fits, result.before) == (fits, ())


def test_a_term_of_node_affinity_loses_one_label_of_two() -> None:
    nodes = (a_node("gpu-1", more_labels={"zone": "a"}), a_node("gpu-2", more_labels={"zone": "b"}))
    assert tried("drop selector pool", *nodes, pod=a_waiting(spec=TERMS)).fits == ("gpu-1",)
    assert tried("drop pool and drop zone", *nodes, pod=a_waiting(spec=TERMS)).fits == ("gpu-1", "gpu-2")


NO = [
    ("uncordon gpu-7", (*FULL, a_node("gpu-7", unschedulable=True), a_holder("x", "gpu-7", 1)), "resources.used-up", "still too few"),
    ("tolerate other", (TAINTED,), "taint", "another taint"),
    ("tolerate dedicated=llm", (TAINTED,), "taint", "another value"),
    ("request 16 gpus", h200s(8), "resources.too-large", "more than any node has"),
    ("ends x", (*h200s(0), a_pod("x", node="gpu-1", gpus=0)), "resources.used-up", "the end of a pod without GPUs"),
    ("add node like cpu-1", (*FULL, a_cpu_node("cpu-1")), "resources.used-up", "a node without GPUs"),
    ("priority low", (*FULL, *HIGH), "resources.used-up", "a lower priority"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "records", "still"), [pytest.param(*row[:3], id=row[3]) for row in NO])
def test_it_still_waits(changes: str, records: tuple[Any, ...], still: str) -> None:
    result = tried(changes, *records)
    assert (result.fits, result.still.id if result.still else "") == ((), still)


REFUSED = [
    ("reboot gpu-1", "“reboot” is not understood", "no such form"),
    ("uncordn gpu-1", "did you mean `uncordon`?", "a form typed wrongly"),
    ("uncordon", "for example `if uncordon gpu-3`", "no node"),
    ("uncordon gpu-99", "did you mean `gpu-9`?", "no such node"),
    ("uncordon zzz", "`/gpu status --by node` lists them", "no such node, and none near"),
    ("untaint gpu-8", "Name the node and the taint's key", "no key"),
    ("untaint gpu-8 zone", "carries no taint “zone”; its taints: dedicated", "no such taint"),
    ("untaint gpu-9 zone", "its taints: none", "a node without taints"),
    ("tolerate", "for example `if tolerate dedicated`", "no key to tolerate"),
    ("request many gpus", "How many of what", "no number"),
    ("request", "for example `if request 4 gpus`", "nothing to ask for"),
    ("ends nobody", "Nothing here is called “nobody”", "nobody"),
    ("ends", "for example `if ends job/train-7`", "nobody named"),
    ("ends twin", "can mean", "two of one name"),
    ("ends idle", "holds nothing on any node", "somebody without pods"),
    ("add node", "like which one", "a node like nothing"),
    ("add node like", "like which one", "a node like nothing, cut short"),
    ("add 0 nodes like gpu-9", "like which one", "no node"),
    ("add 500 nodes like gpu-9", "100 at most", "more nodes than anybody adds"),
    ("add node like gpu-99", "did you mean `gpu-9`?", "a node like one that is not there"),
    ("drop selector zone", "does not ask for the label “zone”; it asks for: none", "a label that it does not want"),
    ("priority top", "No priority class is called “top”; there are: high, low", "no such class"),
]


@pytest.mark.parametrize(("changes", "says"), [pytest.param(*row[:2], id=row[2]) for row in REFUSED])
def test_what_cannot_be_tried_is_said_with_what_can(changes: str, says: str) -> None:
    records = (
        TAINTED,
        a_node("gpu-9"),
        *HIGH,
        a_deployment("twin"),
        a_deployment("twin", namespace="dev"),
        a_deployment("idle"),
    )
    with pytest.raises(UserError) as refusal:
        tried(changes, *records)
    assert says in str(refusal.value)
    assert isinstance(refusal.value, (UsageError, NotFoundError))


def test_only_what_waits_can_be_tried() -> None:
    with pytest.raises(UsageError, match=r"has its place on gpu-1 already: `if` is for pods that wait"):
        tried("uncordon gpu-1", a_node("gpu-1"), pod=a_pod("glm-0"))


def test_an_owner_without_pods_cannot_be_tried() -> None:
    asked = an_asked(take_apart(("glm", "if", "uncordon", "gpu-1")), a_deployment(), a_node("gpu-1"))
    with pytest.raises(UsageError, match="has no pod that could be tried"):
        answer(asked)


SAID = [
    (
        "why glm-0 if uncordon gpu-7",
        (*FULL, CORDONED),
        "Yes: with gpu-7 uncordoned, llm/glm-0 fits on gpu-7.",
        "yes",
    ),
    (
        "why glm-0 if uncordon gpu-7",
        (*h200s(8), CORDONED),
        "llm/glm-0 fits on gpu-1 already; with gpu-7 uncordoned, it would fit on gpu-1 and gpu-7.",
        "already",
    ),
    (
        "why glm-0 if request 16 gpus and uncordon gpu-7",
        (CORDONED,),
        "No: if it asks for 16 GPUs and with gpu-7 uncordoned, llm/glm-0 still waits: it asks for 16 H200 on one node, "
        "and the largest node has 8 (gpu-7).",
        "no",
    ),
    (
        "why glm-0 if tolerate dedicated=train:NoSchedule and untaint gpu-8 dedicated",
        (TAINTED,),
        "Yes: if it tolerates dedicated=train:NoSchedule and without the taint dedicated on gpu-8, llm/glm-0 fits on gpu-8.",
        "two changes",
    ),
    (
        "why glm-0 if uncordon gpu-7 ns=llm",
        (CORDONED, a_waiting(namespace="dev")),
        "Yes: with gpu-7 uncordoned, llm/glm-0 fits on gpu-7.",
        "an option after the changes",
    ),
    (
        "why glm-0 if add 2 nodes like gpu-1",
        FULL,
        "Yes: with 2 new nodes like gpu-1, llm/glm-0 fits on new-1-like-gpu-1 and new-2-like-gpu-1.",
        "new nodes",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("line", "records", "verdict"), [pytest.param(*row[:3], id=row[3]) for row in SAID])
def test_the_answer_reads(line: str, records: tuple[Any, ...], verdict: str) -> None:
    text = ask(line, a_fleet(a_waiting(), *records)).answer.text
    assert text.splitlines()[0] == verdict
    assert "nothing was changed" in text


def test_the_view_is_not_touched() -> None:
    cluster = a_fleet(a_waiting(), *FULL, CORDONED)
    ask("why glm-0 if uncordon gpu-7 and ends eval-1 and add node like gpu-1", cluster)
    assert cluster.view.nodes["gpu-7"].unschedulable
    assert set(cluster.view.nodes) == {"gpu-1", "gpu-7"}
    assert "train/eval-1" in cluster.view.pods
