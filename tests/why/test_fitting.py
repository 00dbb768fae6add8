"""`fits N gpus`: whether pods that do not exist yet would be placed, on which nodes, and what is in their way."""

from typing import Any

import pytest

from bot.domain.errors import NotFoundError, UpstreamError, UsageError
from bot.why.answering import answer
from bot.why.fitting import Fitting
from bot.why.question import Question
from tests.factories import a_cpu_node, a_node, a_pod, a_taint
from tests.why.builders_fleet import a_fleet, an_asked, ask, h200s

MIG = {"nvidia.com/mig-1g.10gb": 7, "pods": 110}
A10 = a_node("a10-1", product="NVIDIA-A10")


def fits(gpus: int, *records: Any, unread: tuple[str, ...] = (), **options: str) -> Fitting:
    result = answer(an_asked(Question(fits=gpus), *records, unread=unread, **options))
    assert isinstance(result, Fitting)
    return result


PLACED = [
    (8, h200s(8, 3), {}, ["gpu-1"], "on an empty node"),
    (2, h200s(8, 3), {}, ["gpu-2"], "where least is left, so that large blocks stay whole"),
    (4, h200s(8, 5), {"count": "3"}, ["gpu-2", "gpu-1", "gpu-1"], "three, one after the other"),
    (4, h200s(8, 5), {"count": "4"}, ["gpu-2", "gpu-1", "gpu-1"], "as many as fit"),
    (8, h200s(7, 7), {}, [], "in pieces"),
    (16, h200s(8), {}, [], "more than any node has"),
    (1, [*h200s(0), A10], {"product": "a10"}, ["a10-1"], "of one product"),
    (1, [*h200s(0), A10], {"product": "H200"}, [], "not of another"),
    (8, h200s(8, taints=(a_taint("dedicated=train:NoSchedule"),)), {}, [], "not where a taint keeps it away"),
    (8, h200s(8, taints=(a_taint("nvidia.com/gpu=present:NoSchedule"),)), {}, ["gpu-1"], "where only the usual taint is"),
    (8, h200s(8, unschedulable=True), {}, [], "not where it is cordoned"),
    (2, [a_node("mig-1", product="NVIDIA-H100", capacity=MIG, allocatable=MIG)], {}, ["mig-1"], "slices where only those are"),
    (1, [a_node("gpu-1", allocatable={"nvidia.com/gpu": 8, "pods": 0})], {}, [], "not where no more pods are taken"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("gpus", "records", "options", "placed"), [pytest.param(*row[:4], id=row[4]) for row in PLACED]
)
def test_they_are_placed(gpus: int, records: list[Any], options: dict[str, str], placed: list[str]) -> None:
    assert list(fits(gpus, *records, **options).placed) == placed


def test_nodes_that_have_room_but_keep_others_away_are_named_with_the_reason() -> None:
    found = fits(
        8,
        *h200s(0),
        a_node("gpu-2", unschedulable=True, more_labels={"nvidia.com/gpu-driver-upgrade-state": "drain-required"}),
        a_node("gpu-3", unschedulable=True),
        a_node("gpu-4", taints=(a_taint("dedicated=train:NoSchedule"),)),
        a_node("gpu-5", conditions=()),
        a_node("gpu-6", unschedulable=True),
        a_pod("x", node="gpu-6", gpus=1),
    )
    assert list(found.away) == sorted(found.away)
    assert found.away == {
        "gpu-2": "8 free, cordoned by the driver upgrade (drain-required)",
        "gpu-3": "8 free, cordoned",
        "gpu-4": "8 free, taint `dedicated=train:NoSchedule`",
        "gpu-5": "8 free, not ready: it never reported Ready",
    }


REFUSED = [
    (UsageError, {"count": "0"}, "`count` is a number from 1 to 256", "none"),
    (UsageError, {"count": "many"}, "not “many”", "no number"),
    (UsageError, {"count": "257"}, "from 1 to 256", "too many"),
    (NotFoundError, {"product": "B300"}, "No GPU here is a “B300”; there are: A10, H200.", "a product that is not there"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "options", "says"), [pytest.param(*row[:3], id=row[3]) for row in REFUSED])
def test_wrong_questions_are_refused(error: type[Exception], options: dict[str, str], says: str) -> None:
    with pytest.raises(error) as refusal:
        fits(8, *h200s(8), A10, **options)
    assert says in str(refusal.value)


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_what_was_not_read_makes_no_answer(kind: str) -> None:
    with pytest.raises(UpstreamError, match=f"cannot be told: {kind} could not be read"):
        fits(8, *h200s(8), unread=(kind,))


def test_where_there_are_no_gpus_that_is_said() -> None:
    with pytest.raises(NotFoundError, match="No node here offers any GPU"):
        fits(1, a_cpu_node())


SAID = [
    ("why fits 8 gpus", [a_node(product="")], "Yes: a pod with 8 GPUs fits now, on gpu-1.", "without a label"),
    ("why fits 1 gpus", [a_node(product="")], "Yes: a pod with 1 GPU fits now, on gpu-1.", "one without a label"),
    ("why fits 8 gpus", h200s(8), "Yes: a pod with 8 H200 fits now, on gpu-1.", "one"),
    ("why fits 4 gpus count=3", h200s(8, 5), "Yes: 3 pods of 4 H200 each fit now, on gpu-2 and gpu-1 (2).", "several"),
    (
        "why fits 4 gpus count=4",
        h200s(8, 5),
        "Only 3 of 4 pods of 4 H200 each fit now, on gpu-2 and gpu-1 (2): no node has 4 free after that.",
        "some of them",
    ),
    (
        "why fits 4 gpus count=2",
        h200s(4),
        "Only 1 of 2 pods of 4 H200 each fits now, on gpu-1: no node has 4 free after that.",
        "one of them",
    ),
    (
        "why fits 8 gpus",
        h200s(7, 6),
        "No: a pod with 8 H200 does not fit now: 13 are free, at most 7 on one node.",
        "in pieces",
    ),
    (
        "why fits 8 gpus count=2",
        h200s(7, 1),
        "No: none of 2 pods of 8 H200 each fits now: 8 are free, at most 7 on one node.",
        "none of them",
    ),
    (
        "why fits 1 gpus",
        h200s(0, 0),
        "No: a pod with 1 H200 does not fit now: none of them is free on 2 nodes.",
        "used up",
    ),
]


@pytest.mark.parametrize(("line", "records", "verdict"), [pytest.param(*row[:3], id=row[3]) for row in SAID])
def test_the_answer_reads(line: str, records: list[Any], verdict: str) -> None:
    assert ask(line, a_fleet(*records)).answer.text.splitlines()[0] == verdict
