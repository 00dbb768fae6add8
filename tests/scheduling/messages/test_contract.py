"""The table against kube-scheduler itself: its source's constants, its plugins' answers, its messages."""

import gzip
import re
from pathlib import Path

import pytest

from bot.scheduling.messages import KUBE_SCHEDULER, NEWEST, OLDEST, Reason, Said, parse
from bot.scheduling.messages.table import Place, find, table

DATA = Path(__file__).parent / "data"
FILLED = {"%q": '"name"', "%d": "3", "%w": "some error", "%+v": "some error", "%v": "name", "%s": "name"}
NUMBERS = "count gated minimum number remaining scheduled tasks unschedulable victims"
SAMPLES = {**dict.fromkeys(NUMBERS.split(), "7"), "plugins": "One Two"}
_PLACEHOLDER = re.compile(r"<([a-z]+)>")
_VERB = re.compile(r"%(?:q|d|w|\+v|v|s)")

# What the words alone cannot tell: these plugins say what another one is known for.
SHARED = {
    ("DynamicResources", "Insufficient"): "NodeResourcesFit",  # node-allocatable devices, off by default
    ("VolumeRestrictions", "persistentvolumeclaim"): "VolumeBinding",  # both only pass on that a claim is missing
    ("framework", "pod group is"): "GangScheduling",
}
# What is said in a message, but of no case's pending: it has nothing to do with where a pod may run.
NOT_OF_A_PENDING_POD = {'Pdb "llm/glm" prevents pod evictions': "Karpenter, of a node that it wants to empty"}


def rows(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def owner(plugin: str, text: str) -> str | None:
    """The plugin that the text should be taken for."""
    for (said_by, beginning), known_for in SHARED.items():
        if said_by == plugin and text.startswith(beginning):
            return known_for
    return None if plugin == "framework" else plugin


def standing(where: str, text: str) -> tuple[str, Reason]:
    """A message in which the text stands where its plugin puts it, and what was made of it."""
    forms = {
        "node": ("0/3 nodes are available: 3 {}.", lambda said: said.body[0]),
        "pod": ("0/3 nodes are available: {}.", lambda said: said.body[0]),
        "tail": ("0/3 nodes are available: 3 Too many pods. {}", lambda said: said.tail[0]),
        "whole": ("{}", lambda said: said.body[0]),
    }
    form, pick = forms[where]
    message = form.format(text)
    return message, pick(parse(message))


@pytest.mark.parametrize(
    ("plugin", "where", "text"),
    [
        pytest.param(plugin, where, text, id=f"{plugin} says {text}")
        for plugin, where, text, _ in rows("kube_scheduler_1.36.3.tsv")
        if where != "never"
    ],
)
def test_every_constant_of_the_source_is_known(plugin: str, where: str, text: str) -> None:
    filled = _VERB.sub(lambda match: FILLED[match[0]], text)
    message, reason = standing(where, filled)
    assert reason.known is not None
    assert reason.text == filled
    assert str(parse(message)) == message
    assert 36 in reason.known.releases or "unknown conditions" in text  # the constant is left, but nothing says it
    if plugin == "framework" and reason.plugin == "name":  # the text itself names the plugin
        return
    assert reason.plugin == owner(plugin, text)


def test_every_answer_of_a_plugin_is_known_for_what_it_is() -> None:
    """Plugin, and whether evicting may help, as the plugins answered when they were asked."""
    for plugin, code, text in rows("verdicts_1.36.3.tsv"):
        found = find(Place.WHOLE if code == "Error" else Place.BODY, text)
        assert found is not None, text
        assert found[0].owner == owner(plugin, text), text
        if plugin != "NodeResourcesFit":  # answers with several reasons, and with the code of the worst of them
            assert found[0].resolvable in (None, code == "Unschedulable"), text


def recorded() -> list[str]:
    return gzip.decompress((DATA / "recorded_1.36.3.txt.gz").read_bytes()).decode().splitlines()


def test_every_recorded_message_comes_apart_without_loss() -> None:
    messages = recorded()
    assert len(messages) > 800
    for message in messages:
        said = parse(message)
        assert str(said) == message
        assert said.unknown == (), message
        assert 36 in said.releases, message


def test_recorded_counts_add_up() -> None:
    """Each node is counted at least once, and only a node with several shortages more than once."""
    for message in recorded():
        said = parse(message)
        if said.total is not None and said.body[0].count is not None:
            assert sum(reason.count or 0 for reason in said.body) >= said.total, message
            assert max(reason.count or 0 for reason in said.body) <= said.total, message


@pytest.mark.parametrize(
    ("reporter", "message"),
    [
        pytest.param(reporter, message, id=f"{case}: {message}"[:90])
        for case, _, reporter, message in rows("reported.tsv")
    ],
)
def test_messages_of_real_reports_are_known(reporter: str, message: str) -> None:
    said = parse(message)
    assert str(said) == message
    assert (said.unknown != ()) is (message in NOT_OF_A_PENDING_POD)
    if reporter == "default-scheduler" and "scheduling gates" not in message:
        assert said.speaker == KUBE_SCHEDULER
    else:
        assert said.speaker != KUBE_SCHEDULER


def test_lines_of_the_table_are_whole() -> None:
    for known in table():
        assert known.source
        assert known.words
        assert OLDEST <= known.releases[0] <= known.releases[-1] <= NEWEST, known


def test_no_line_of_the_table_hides_behind_another() -> None:
    """Each line is found by its own text, with its placeholders for names."""
    for known in table():
        text = _PLACEHOLDER.sub(lambda match: SAMPLES.get(match[1], match[1]), known.text)
        found = find(known.place, text)
        assert found is not None, text
        assert found[0] is known, text


def test_dry_run_is_a_message() -> None:
    assert isinstance(parse(next(message for message in recorded() if "preemption: 0/" in message)).dry_run, Said)
