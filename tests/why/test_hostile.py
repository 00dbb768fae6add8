"""Whatever stands in a cluster's objects, `/why` answers or says in one sentence why it cannot."""

import json
import re
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.command import Reply
from bot.domain.errors import BotError
from bot.local.workspace.validation import check_message_blocks
from bot.views.blocks import BUDGET, render
from tests.why import mangling
from tests.why.mangling import BOOM, STEPS, Known

LONGEST = 4_000
changes = st.lists(st.tuples(st.integers(0, 1_000_000), st.sampled_from(STEPS)), min_size=1, max_size=25)
COMMAND = re.compile(r"`(kubectl[^`]*)`")


def questions(case: Known, objects: list[dict[str, Any]]) -> list[str]:
    """The case's own, the list of all, and one of every other form."""
    names = [name for one in objects if isinstance(name := (one.get("metadata") or {}), dict)]
    return [*case.questions, "why pending", "why fits 2 gpus count=2"][: 9 + len(names)]


def check(reply: Reply) -> None:
    text = reply.answer.text
    assert len(text) <= LONGEST
    assert not re.search(r"<[!@#]", text)
    assert not any(character < " " and character != "\n" for character in text)
    message = render(reply.document)
    check_message_blocks(message.blocks)
    assert len(json.dumps(message.blocks)) <= BUDGET + 2_000
    assert "<" not in message.text
    for command in COMMAND.findall(text):
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        assert BOOM not in list(lexer), command


@pytest.mark.parametrize("half", [0, 1])
def test_mangled_objects_are_explained_or_refused(half: int) -> None:
    cases = mangling.known()[half::2]

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(st.sampled_from(cases), changes)
    def holds(case: Known, wanted: list[tuple[int, str | int]]) -> None:
        objects = mangling.mangled(case, wanted)
        try:
            cluster, now = mangling.cluster_of(case, objects)
        except BotError:
            return
        for question in questions(case, objects):
            try:
                reply = mangling.ask(cluster, now, question)
            except BotError:
                continue
            check(reply)

    holds()
