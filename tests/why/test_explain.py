"""How findings become one answer: which comes first, what is told beside it, what a healthy thing is told."""

import shlex

import pytest

from bot.domain.answer import Remedy
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.views.text import render
from bot.views.why import show
from bot.why.explain import Explanation, explain, stages
from bot.why.finding import Finding, Group, Level
from bot.why.question import Question
from bot.why.standing import Standing, stands
from tests.factories import a_node, a_pod
from tests.why.builders_fleet import a_waiting, an_asked, case_of_pod, h200s

CAUSE = Finding("quota.exceeded", "the quota is full", evidence=("8 of 8",))
ROOT = Finding("quota.held", "A job that is done holds it", Level.ROOT, remedies=(Remedy("End it", "kubectl x"),))
ORDER = Finding("jobs.order", "It starts its jobs in order", Level.ROOT)
ALSO = Finding("image.missing", "the image is missing", Level.ALSO)
NOTE = Finding("note", "It is large", Level.NOTE)
WELL = Finding("readiness.well", "llm/glm-0 runs well on gpu-1", Level.NOTE)


def told(*findings: Finding, pod: Pod | None = None) -> Explanation:
    pod = pod or a_waiting()
    case = case_of_pod(pod, *h200s(0))
    first = next((one for one in findings if one.level is Level.CAUSE), None)
    root = next((one for one in findings if one.level is Level.ROOT), None)
    return Explanation(case, stands(case), findings, first or root, root if first else None)


SENTENCES = [
    ((CAUSE,), "llm/glm-0 waits 2 h 10 min: the quota is full.", "quota.exceeded", "a cause"),
    ((CAUSE, ROOT), "llm/glm-0 waits 2 h 10 min: the quota is full. A job that is done holds it.", "quota.held", "a cause and its root"),
    ((ROOT,), "llm/glm-0 waits 2 h 10 min: A job that is done holds it.", "quota.held", "a root alone"),
    ((ORDER,), "llm/glm-0 waits 2 h 10 min: it starts its jobs in order.", "jobs.order", "a root alone goes on in small letters"),
    ((NOTE,), "llm/glm-0 waits 2 h 10 min: nothing that gpubot can see keeps it from running.", "unknown", "nothing found"),
]  # fmt: skip


@pytest.mark.parametrize(("findings", "sentence", "id_"), [pytest.param(*row[:3], id=row[3]) for row in SENTENCES])
def test_the_first_line_is(findings: tuple[Finding, ...], sentence: str, id_: str) -> None:
    found = told(*findings)
    assert (found.sentence, found.id) == (sentence, id_)


def test_a_healthy_pod_is_told_so_in_one_line() -> None:
    found = told(WELL, pod=a_pod())
    assert (found.sentence, found.id) == ("llm/glm-0 runs well on gpu-1.", "well")


def test_that_another_pod_runs_well_is_no_news_where_something_is_wrong() -> None:
    assert told(CAUSE, WELL, NOTE).others == (NOTE,)


def test_stages_are_asked_in_their_order_and_the_first_cause_leads() -> None:
    orders = [stage.order for stage in stages()]
    assert orders == sorted(orders)
    assert len(set(orders)) == len(orders)
    assert len({stage.name for stage in stages()}) == len(orders)
    found = explain(case_of_pod(a_waiting(), *h200s(0)))
    levels = [one.level for one in found.findings]
    assert levels == sorted(levels)


def text_of(*findings: Finding) -> str:
    found = told(*findings)
    return render(show(found, an_asked(Question("glm-0"), a_node())).document)


def test_proof_help_and_what_is_unknown_follow_in_that_order() -> None:
    cause = Finding(
        "x",
        "it is so",
        evidence=("a proof",),
        groups=(Group("Who holds gpu-1", ("train/eval: 8 GPUs",)),),
        remedies=(Remedy("Do this", "kubectl do this", verified=True, cost="a minute"), Remedy("Or that.", "")),
        useless=("More nodes do not help",),
        unknown=("pods: forbidden",),
        until="noon",
    )
    lines = text_of(cause, ALSO, NOTE).splitlines()
    titles = [line for line in lines if line and not line.startswith(" ")][1:-1]
    assert titles == [
        "Who holds gpu-1",
        "What shows it",
        "Waiting is right until noon.",
        "What helps",
        "What does not",
        "Also",
        "Worth knowing",
        "Could not be seen",
    ]
    assert "  1. Do this (tried on a copy of the cluster). `kubectl do this` Cost: a minute." in lines
    assert "  2. Or that." in lines
    assert "  More nodes do not help." in lines


def test_where_all_was_tried_that_is_said_once() -> None:
    remedies = tuple(Remedy(f"Do {letter}", f"kubectl {letter}", verified=True) for letter in "ab")
    text = text_of(Finding("x", "it is so", remedies=remedies))
    assert "What helps (each tried on a copy of the cluster)\n  1. Do a. `kubectl a`\n  2. Do b. `kubectl b`" in text


def test_the_root_is_mended_first_and_one_remedy_is_shown_once() -> None:
    cause = Finding("x", "it is so", remedies=(Remedy("End it again", "kubectl x"), Remedy("Wait")))
    text = text_of(cause, ROOT)
    assert "  1. End it. `kubectl x`\n  2. Wait." in text


def test_a_backtick_in_a_name_does_not_end_the_quotes_of_a_command() -> None:
    command = shlex.join(["kubectl", "delete", "pod", "a`; boom ;`b"])
    text = text_of(Finding("x", "it is so", remedies=(Remedy("End it", command),)))
    shown = text.partition("End it. `")[2].partition("`")[0]
    assert shlex.split(shown) == ["kubectl", "delete", "pod", "aˋ; boom ;ˋb"]


def test_a_command_that_is_too_long_is_not_cut() -> None:
    text = text_of(Finding("x", "it is so", remedies=(Remedy("End them", f"kubectl delete {'p ' * 900}"),)))
    assert "1. End them. Its command is too long for a message." in text
    assert "kubectl" not in text


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        pytest.param("gpu-1 is cordoned", "  gpu-1 is cordoned", id="a name keeps its small letters"),
        pytest.param("it is cordoned", "  It is cordoned", id="a word does not"),
        pytest.param("`vllm` crashes", "  `vllm` crashes", id="a marked name does"),
    ],
)
def test_a_second_cause_is_a_sentence_of_its_own(sentence: str, line: str) -> None:
    assert line in text_of(CAUSE, Finding("other", sentence)).splitlines()


def test_one_message_quoted_by_two_stages_is_shown_once() -> None:
    one = Finding("x", "it is so", evidence=("event: “the same words”",))
    two = Finding("y", "It is so", Level.ROOT, evidence=("kubelet: “the same words”", "another"))
    text = text_of(one, two)
    assert text.count("the same words") == 1
    assert "  another" in text


STANDING = [
    (a_waiting(), "waits 2 h 10 min", False),
    (a_waiting(created=""), "waits", False),
    (a_pod(), "runs and is ready on gpu-1", True),
    (a_pod(phase="Succeeded"), "has completed", True),
    (a_pod(phase="Failed", reason="Evicted"), "has failed (Evicted)", False),
    (a_pod(phase="Failed"), "has failed", False),
    (a_pod(phase="Pending"), "is on gpu-1 but has not started", False),
    (a_pod(deleted="2026-11-30T11:59:00Z"), "has been terminating for 1 min", False),
]


@pytest.mark.parametrize(("pod", "words", "well"), [pytest.param(*row, id=row[1]) for row in STANDING])
def test_a_pod_stands(pod: Pod, words: str, well: bool) -> None:
    assert stands(case_of_pod(pod, a_node())) == Standing(words, well=well)


def test_that_it_would_fit_is_no_news_where_a_queue_holds_it_back() -> None:
    free = case_of_pod(
        a_waiting(conditions=(Condition("PodScheduled", "False", "Unschedulable", "0/1"),)), a_node("gpu-1")
    )
    assert any(one.id == "placement.fits" for one in explain(free).findings)
    skipped = Condition("PodScheduled", "False", "SchedulingSkipped", "the queue quota has been exceed")
    held = case_of_pod(a_waiting(scheduler="yunikorn", conditions=(skipped,)), a_node("gpu-1"))
    assert [one.id for one in explain(held).findings if one.id.endswith(".fits")] == []
    assert explain(held).id == "yunikorn.queue-quota"


def test_where_one_remedy_is_the_only_right_one_no_other_is_shown() -> None:
    cause = Finding("a", "a", remedies=(Remedy("Evict others", "kubectl evict"),))
    for remedies, shown in (((), ()), ((Remedy("Wait there", "kubectl get"),), ("kubectl get",))):
        root = Finding("b", "B", Level.ROOT, remedies=remedies, sole=True)
        answer = show(told(cause, root, ALSO), an_asked(Question("glm-0"))).answer
        assert tuple(one.command for one in answer.remedies) == shown
