"""Whatever stands in a cluster's objects and logs, `/why` answers or says in one sentence why it cannot."""

import json
import re
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.command import Cluster, Reply
from bot.domain.errors import BotError
from bot.domain.view import View
from bot.local.workspace.validation import check_message_blocks
from bot.views.blocks import BUDGET, render
from tests.views.test_blocks import kinds
from tests.why import mangling
from tests.why.mangling import BOOM, STEPS, TEXTS, VALUES, Known, ask, cluster_of, mangled

LONGEST = 4_000
NOTHING_LIVE = {"mrkdwn", "link", "user", "broadcast", "channel", "usergroup"}
COMMAND = re.compile(r"`(kubectl[^`]*)`")
HALVES = (0, 1)  # of the cases, so that two processes share them
CHANGES = st.tuples(st.integers(0, 1_000_000), st.sampled_from(STEPS))
WORDS = st.tuples(st.integers(0, 1_000_000), st.sampled_from(TEXTS))
OF_TABLES = (
    "deployments",
    "statefulsets",
    "jobs",
    "workloads",
    "leaderworkersets",
    "nodeclaims",
    "persistentvolumeclaims",
)


def questions(case: Known, view: View) -> list[str]:
    """The case's own, the list of all, and one of every other form."""
    asked = [*case.questions, "why pending", "why fits 2 gpus count=2"]
    names = [pod.key for pod in sorted(view.waiting, key=lambda pod: pod.key)[:1]]
    names += [key for table in OF_TABLES for key in sorted(view.tables[table])[:1]]
    names += [f"node/{name}" for name in sorted(view.nodes)[:1]]
    asked += [f"why {name}" for name in names]
    asked += [f"why {name} details" for name in names[:1]]
    asked += [f"why {name} if request 1 gpus and drop selector zone" for name in names[:1]]
    return [one for one in asked if len(one) < 1_000]


def check(reply: Reply) -> None:
    """It is one message, pings nobody, and its commands are safe to paste."""
    text = reply.answer.text
    assert len(text) <= LONGEST
    assert not re.search(r"<[!@#]", text)
    assert not any(character < " " and character != "\n" for character in text)
    message = render(reply.document)
    check_message_blocks(message.blocks)
    assert len(json.dumps(message.blocks)) <= BUDGET + 2_000
    assert "did not fit here" not in str(message.blocks)
    assert "<" not in message.text
    assert not kinds(message.blocks) & NOTHING_LIVE
    for command in COMMAND.findall(text):
        assert BOOM not in list(shlex.shlex(command, posix=True, punctuation_chars=True)), command


def answers(case: Known, objects: list[dict[str, Any]], words: tuple[str, ...] = ()) -> int:
    """How many questions were answered; an error of ours is an answer of its kind."""
    try:
        cluster, now = cluster_of(case, objects, words)
    except BotError:
        return 0
    return sum(answered(cluster, now, question) for question in questions(case, cluster.view))


def answered(cluster: Cluster, now: Any, question: str) -> bool:
    try:
        reply = ask(cluster, now, question)
    except BotError:
        return False
    check(reply)
    return True


@pytest.mark.parametrize("half", HALVES)
def test_mangled_objects_are_explained_or_refused(half: int) -> None:
    cases = mangling.known()[half::2]

    @settings(max_examples=45, deadline=None, derandomize=True, database=None)
    @given(st.sampled_from(cases), st.lists(CHANGES, min_size=1, max_size=20))
    def holds(case: Known, changes: list[tuple[int, str | int]]) -> None:
        answers(case, mangled(case, changes))

    holds()


@pytest.mark.parametrize("half", HALVES)
def test_hostile_words_are_shown_and_never_obeyed(half: int) -> None:
    cases = mangling.known()[half::2]

    @settings(max_examples=45, deadline=None, derandomize=True, database=None)
    @given(
        st.sampled_from(cases), st.lists(WORDS, min_size=1, max_size=80), st.lists(st.sampled_from(TEXTS), max_size=3)
    )
    def holds(case: Known, changes: list[tuple[int, str | int]], words: list[int]) -> None:
        answers(case, mangled(case, changes, texts=True), tuple(VALUES[index] for index in words))

    holds()


@pytest.mark.parametrize("number", range(0, 40, 4))
def test_what_was_not_changed_is_answered(number: int) -> None:
    """The sieve above lets errors of ours through: here there must be none."""
    case = mangling.known()[number]
    assert answers(case, mangled(case, [])) >= len(case.questions) + 1


@pytest.mark.parametrize("kind", ["Event", "ReplicaSet", "StatefulSet", "Namespace"])
def test_objects_that_are_broken_leave_the_others_readable(kind: str) -> None:
    cluster, now = cluster_of(*_with_broken(kind))
    check(ask(cluster, now, "why pending"))


@pytest.mark.parametrize("kind", ["Pod", "Node"])
def test_where_pods_or_nodes_are_broken_an_answer_says_so(kind: str) -> None:
    cluster, now = cluster_of(*_with_broken(kind))
    text = ask(cluster, now, "why pending").answer.text
    assert "cannot be told, because nodes could not be read" in text or text.startswith("What waits cannot be told")
    assert f"Could not be seen\n  {kind.lower()}s: " in text


def _with_broken(kind: str) -> tuple[Known, list[dict[str, Any]]]:
    """A case in which the objects of that kind have a number for a name."""
    case = next(one for one in mangling.known() if any(found["kind"] == kind for found in one.objects))
    return case, [{**one, "metadata": {"name": 3}} if one["kind"] == kind else one for one in mangled(case, [])]
