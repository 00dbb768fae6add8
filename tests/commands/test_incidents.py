"""`/gpu incident`, `silence`, `alerts` and `sweep`: what they show, ask for, and refuse."""

from datetime import timedelta

import pytest

from bot.domain.errors import BotError, ConflictError, ForbiddenError, NotFoundError, UsageError
from bot.domain.incident import Deed, EndSilence, ManageIncident, SetSilence, SweepNow, TryRoute
from bot.domain.person import TERMINAL
from bot.domain.silence import Matcher
from bot.incidents import silences
from tests.commands.incident_lines import ANA, READER, typed, watched

WATCH = watched()


def text(line: str) -> str:
    return typed(line, WATCH).answer.text


def test_the_list_has_those_that_last_and_the_last_that_are_over() -> None:
    told = text("incident")
    assert told.startswith("2 incidents of prod last; nobody has 1 of them.")
    assert "1: acknowledged, critical" in told
    assert "3: resolved, critical" in told


@pytest.mark.parametrize("line", ["incident 1", "incident #1", "incident show 1"])
def test_one_of_them(line: str) -> None:
    told = text(line)
    assert told.startswith("Incident 1, acknowledged, critical: gpu-9: node.not_ready")
    assert "llm/glm has 1 of 2 replicas Ready" in told
    assert "ana took it" in told


def test_the_report_comes_with_markdown() -> None:
    reply = typed("incident report 3", WATCH)
    assert "Report of incident 3" in reply.answer.text
    assert reply.answer.numbers["markdown"].startswith("# Incident 3 (prod): dev/nb: crash.oom\n")


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        pytest.param("incident take 2", ManageIncident(2, Deed.TAKE), id="take"),
        pytest.param("incident ack #2", ManageIncident(2, Deed.TAKE), id="another word for it"),
        pytest.param("incident hand 2 <@U0BEN>", ManageIncident(2, Deed.HAND, person="U0BEN"), id="hand on"),
        pytest.param("incident hand 2 to U0BEN", ManageIncident(2, Deed.HAND, person="U0BEN"), id="by id"),
        pytest.param("incident note 2 power is back", ManageIncident(2, Deed.NOTE, "power is back"), id="note"),
        pytest.param("incident merge 2 into 1", ManageIncident(2, Deed.MERGE, other=1), id="merge"),
        pytest.param("incident close 2 because known", ManageIncident(2, Deed.CLOSE, "known"), id="close"),
    ],
)
def test_what_is_asked_for(line: str, intent: ManageIncident) -> None:
    reply = typed(line, WATCH)
    assert reply.intents == (intent,)
    assert reply.answer.text.startswith("Would ")


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        pytest.param("incident 77", NotFoundError, "no incident 77", id="one that is not there"),
        pytest.param("incident tkae 2", UsageError, "did you mean `/gpu incident take 12`", id="a slip"),
        pytest.param("incident take", UsageError, "try `/gpu incident 12`", id="without a number"),
        pytest.param("incident take gpu-9", UsageError, "is no incident's number", id="no number"),
        pytest.param("incident hand 2 ben", UsageError, "Mention the person", id="a name"),
        pytest.param("incident merge 2", UsageError, "into which incident", id="into nothing"),
        pytest.param("incident take 3", ConflictError, "is over", id="one that is over"),
        pytest.param("silence gpu-9 because it is late", UsageError, "needs an end", id="a silence without end"),
        pytest.param("silence gpu-9 2h", UsageError, "needs a reason", id="a silence without reason"),
        pytest.param("silence 2h because quiet", UsageError, "something to be silent about", id="of nothing"),
        pytest.param("silence gpu-9 90d because holidays", UsageError, "at most 30 days", id="for ever, nearly"),
        pytest.param("silence gpu-9 2h 3h because x", UsageError, "a second end", id="two ends"),
        pytest.param("silence end", UsageError, "which silence ends", id="end what"),
        pytest.param("silence end 7", NotFoundError, "no silence 7", id="end one that is not there"),
        pytest.param("alerts test nowhere", NotFoundError, "No route is called", id="a route that is not there"),
        pytest.param("alerts tset", UsageError, "try `/gpu alerts`", id="no such thing"),
        pytest.param("sweep tomorrow", UsageError, "try `/gpu sweep now`", id="later"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_type(line: str, error: type[BotError], words: str) -> None:
    with pytest.raises(error, match=words):
        typed(line, WATCH)


@pytest.mark.parametrize(
    ("line", "matchers"),
    [
        pytest.param("silence gpu-9 2h because x", [Matcher("any", "gpu-9")], id="a name"),
        pytest.param("silence 2h gpu-* because x", [Matcher("any", "gpu-*")], id="the other way round"),
        pytest.param("silence 12 for 2h because x", [Matcher("incident", "12")], id="an incident"),
        pytest.param(
            "silence cause=heat.* namespace=train 2h because x",
            [Matcher("cause", "heat.*"), Matcher("namespace", "train")],
            id="several conditions",
        ),
    ],
)
def test_what_is_silenced(line: str, matchers: list[Matcher]) -> None:
    (intent,) = typed(line, WATCH).intents
    assert isinstance(intent, SetSilence)
    assert (list(intent.matchers), intent.until, intent.because) == (matchers, WATCH.now + timedelta(hours=2), "x")


def test_a_silence_tells_beforehand_what_it_fits() -> None:
    assert "It fits 1 alert now: node.not_ready of gpu-9." in text("silence gpu-9 2h because it is replaced")
    assert "Nothing that fires now fits it." in text("silence gpu-77 2h because it is replaced")


def test_silences_are_listed_with_who_and_why_and_can_be_ended() -> None:
    watch = watched()
    intent = SetSilence((Matcher("any", "gpu-9"),), watch.now + timedelta(hours=2), "it is replaced")
    watch.change(lambda book: silences.begin(book, intent, ANA, watch.now)[0])
    told = typed("silence", watch).answer.text
    assert "1 silence of prod holds." in told
    assert "by @U0ANA, because it is replaced" in told
    assert typed("silence end 1", watch).intents == (EndSilence(1),)


def test_alerts_tell_what_fires_and_where_it_goes() -> None:
    told = text("alerts")
    assert told.startswith("3 alerts of prod fire, 0 held down, 0 silenced.")
    assert "all: everything else to C0OPS, mentions somebody where it is critical" in told
    assert typed("alerts test all", WATCH).intents == (TryRoute("all"),)


def test_a_sweep_is_asked_for_in_slack_and_told_of_in_a_terminal() -> None:
    assert typed("sweep now", WATCH).intents == (SweepNow(),)
    assert typed("sweep now", WATCH, TERMINAL).intents == ()


@pytest.mark.parametrize(
    "line", ["incident take 2", "incident note 2 x", "silence gpu-9 2h because x", "silence end 1", "alerts test"]
)
def test_who_may_only_read_changes_nothing(line: str) -> None:
    with pytest.raises(ForbiddenError, match="role operator"):
        typed(line, WATCH, READER)


@pytest.mark.parametrize("line", ["incident", "incident 1", "incident take 1", "silence", "alerts", "alerts test"])
def test_where_nothing_is_kept_it_says_so(line: str) -> None:
    reply = typed(line, None, TERMINAL)
    assert reply.answer.text.startswith("Incidents are kept where the bot runs")
    assert reply.intents == ()
