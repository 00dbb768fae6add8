"""What people type, and what comes back."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.command import Command
from bot.dialogue import all_commands, decide, likely_commands, request_of, understand
from bot.domain.errors import BotError, NotFoundError, UsageError
from tests.factories import NOW, a_cluster, a_node, a_pod

KNOWN = all_commands()


def now() -> datetime:
    return NOW


def ask(line: str) -> str:
    clusters = {"prod-a": a_cluster(a_node(), a_pod(gpus=3)), "prod-b": a_cluster()}
    asked = understand(line, KNOWN)
    return decide(asked, request_of(asked, clusters, "prod-a", now, KNOWN)).answer.text


@pytest.mark.parametrize(
    "line",
    [
        "gpu status",
        "/gpu status",
        "status",
        "GPU Status",
        "“gpu status”",
        "gpu status @prod-a",
        "gpubot status",
        "/status",
    ],
)
def test_all_these_ask_the_same(line: str) -> None:
    assert ask(line).startswith("H200: 5 of 8 free, all on gpu-1.")


@pytest.mark.parametrize(
    "line", ["", " ", "?", "help", "help me", "gpu", "/gpu", "gpu help", "--help", "-h", "gpu --help", "gpu ?"]
)
def test_all_these_ask_for_help(line: str) -> None:
    assert "/gpu status" in ask(line)


def test_help_of_one_command_shows_its_options() -> None:
    text = ask("help status")
    assert "/gpu status [product=H200]" in text
    assert "--by team" in text


THERE_ARE = ", ".join(sorted({command.words[0] for command in KNOWN}))
REFUSED = [
    ("gpu statsu", UsageError, "There is no command “statsu”; did you mean `/gpu status`?"),
    ("sudo gpu status", UsageError, "There is no command “sudo”; did you mean `/gpu status`?"),
    ("frobnicate", UsageError, f"There is no command “frobnicate”; there are: {THERE_ARE}. Try `/gpu why pending`."),
    ("gpu status --by", UsageError, "`by` needs a value, for example `/gpu status --by team`."),
    ("gpu status product=", UsageError, "`product` needs a value, for example `/gpu status product=H200`."),
    ("gpu status --by colour", UsageError, "`by` cannot be “colour”: It is one of team, namespace, owner, node, for example `/gpu status --by team`."),
    ("gpu status --by teem", UsageError, "`by` cannot be “teem”: did you mean `team`? It is one of team, namespace, owner, node, for example `/gpu status --by team`."),
    ("gpu status --prodct H200", UsageError, "`/gpu status` has no option “prodct”; try `/gpu status product=H200`."),
    ("gpu status && reboot", UsageError, "“&&” is not understood after `/gpu status`; try `/gpu status`."),
    ("gpu status team", UsageError, "“team” is not understood after `/gpu status`; try `/gpu status`."),
    ("gpu status @prod-aa", NotFoundError, "No cluster is called “prod-aa”; did you mean `@prod-a`? Known here: prod-a, prod-b."),
    ("gpu status product=RTX9999", NotFoundError, "No GPU product here is called 'RTX9999'; there are: H200."),
    ("gpu status pool=train", NotFoundError, "No node pool here is called 'train'; no node carries a pool label (setting gpu.pool_labels)."),
    ("gpu status namespace=ops", NotFoundError, "Namespace 'ops' holds none of these GPUs. These do: llm."),
    ("help nosuch", NotFoundError, "There is no help on “nosuch”; try `/gpu help`."),
    ("why pending <!channel>", NotFoundError, "Nothing here is called “‹!channel>”. Nothing waits now. Try `/why pending`."),
]  # fmt: skip


@pytest.mark.parametrize(("line", "error", "sentence"), REFUSED, ids=[line for line, _, _ in REFUSED])
def test_refusals_say_what_to_type_instead(line: str, error: type[BotError], sentence: str) -> None:
    with pytest.raises(error) as raised:
        ask(line)
    assert str(raised.value) == sentence


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=120), st.text(max_size=40).map(lambda text: f"gpu status {text}")))
def test_any_line_is_answered_or_refused_in_one_sentence(line: str) -> None:
    try:
        text = ask(line)
    except BotError as error:
        text = str(error)
        assert "\n" not in text
        assert len(text) < 400
    assert text
    assert "<!" not in text
    assert "<@" not in text


# ---- which commands a line needs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", KNOWN, ids=lambda one: one.name)
def test_a_commands_first_word_finds_it_without_the_others(command: Command) -> None:
    likely = likely_commands(f"/gpu {command.name}")
    if command.words == ("help",):
        assert likely == (), "help tells of all"
    else:
        assert command in likely
        assert {one.words[0] for one in likely} == {command.words[0]}


@pytest.mark.parametrize("line", ["", "?", "gpu", "status --help", "zebra", "stat us"])
def test_where_the_first_word_names_none_all_are_needed(line: str) -> None:
    assert likely_commands(line) == ()
