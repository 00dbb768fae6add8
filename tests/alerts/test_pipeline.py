"""From findings to decisions, look by look: held, told once, told again when something changed, over when seen well."""

import pytest

from bot.domain.alert_rules import AlertRules, Route
from bot.domain.alert_state import Kind, Phase
from tests.alerts.building import (
    NOW,
    RULES,
    WARNING,
    Fleet,
    a_bundle,
    a_silence,
    an_alert,
    crashing,
    down,
    lost,
    reasons,
)

OPENED, RESOLVED, REOPENED, CHANGED = Kind.OPENED, Kind.RESOLVED, Kind.REOPENED, Kind.CHANGED


# ---- hold down -----------------------------------------------------------------------------------------------------


def test_what_is_critical_counts_when_it_was_seen_twice() -> None:
    fleet = Fleet()
    assert fleet.look(lost()) == []
    assert reasons(fleet.decisions, Kind.HELD) == ["seen in 1 of 2 looks"]
    assert fleet.look(lost()) == [OPENED]
    assert fleet.look(lost(), times=50) == []


def test_a_warning_has_to_stand_for_two_minutes_as_well() -> None:
    fleet = Fleet()
    warning = a_bundle(an_alert("heat.margin", node="gpu-2", severity=WARNING))
    assert fleet.look(warning, times=4) == []
    assert fleet.look(warning) == [OPENED]


def test_what_its_check_watched_for_a_minute_counts_at_the_first_look() -> None:
    fleet = Fleet()
    assert fleet.look(a_bundle(an_alert("engine.no_tokens", owner="llm/glm"))) == [OPENED]
    assert "watched for a minute" in reasons(fleet.all, OPENED)[0]


def test_what_is_over_before_it_counts_is_never_told() -> None:
    fleet = Fleet()
    fleet.look(lost())
    fleet.look()
    fleet.look(lost())
    assert fleet.open == []
    assert [one.phase for one in fleet.state.alerts.values()] == [Phase.PENDING]


def test_what_comes_and_goes_is_told_once_as_that_and_over_when_it_stays_away() -> None:
    fleet = Fleet()
    for _ in range(40):
        fleet.look(lost())
        fleet.look()
    assert fleet.kinds(OPENED, RESOLVED, REOPENED) == [OPENED]
    assert "comes and goes: 4 times within 1 h" in reasons(fleet.all, OPENED)[0]
    fleet.look(times=28)
    assert fleet.open == [1]
    fleet.look(times=3)
    assert fleet.open == []


# ---- resolve -------------------------------------------------------------------------------------------------------


def test_it_is_over_when_its_subject_was_seen_well_three_times() -> None:
    fleet = Fleet()
    fleet.look(lost(), times=3)
    assert fleet.look(times=2) == []
    assert fleet.look() == [Kind.OVER, RESOLVED]
    assert reasons(fleet.decisions, RESOLVED) == ["nothing of it fires any more, after 2 min"]


@pytest.mark.parametrize(
    ("bundle", "blind"),
    [
        pytest.param(lost(), {"told": False}, id="nodes or pods were not read"),
        pytest.param(lost(), {"blind": frozenset({("gpu.lost", "gpu-9")})}, id="the agent of that node is silent"),
        pytest.param(
            a_bundle(an_alert("fleet.mixed")), {"blind": frozenset({("fleet.mixed", "")})}, id="a check that failed"
        ),
        pytest.param(crashing(), {"ill": frozenset({"llm/glm"})}, id="its pods do not all run yet"),
        pytest.param(crashing(), {"unread": frozenset({"llm/glm"})}, id="its log could not be read"),
    ],
)
def test_it_never_resolves_while_nobody_could_see(bundle: object, blind: dict[str, object]) -> None:
    fleet = Fleet()
    fleet.look(bundle, times=2)  # type: ignore[arg-type]  # pytest hands it over as an object
    fleet.look(times=500, **blind)
    assert fleet.open == [1]
    assert fleet.kinds(RESOLVED) == []
    assert len(reasons(fleet.all, Kind.KEPT)) == 1
    fleet.look(times=3)
    assert fleet.open == []


def test_a_node_that_is_gone_has_no_fault() -> None:
    fleet = Fleet()
    fleet.look(lost(), times=2)
    blind = frozenset({("gpu.lost", "gpu-9")})
    fleet.look(times=3, nodes=frozenset({"gpu-1"}), blind=blind)
    assert fleet.open == []
    assert "gpu-9 is no longer there" in reasons(fleet.all, Kind.OVER)[0]


def test_what_comes_back_soon_is_the_same_incident_and_later_another() -> None:
    fleet = Fleet()
    fleet.look(lost(), times=2)
    fleet.look(times=3)
    assert fleet.look(lost(), times=2) == [REOPENED]
    fleet.look(times=3)
    fleet.wait(7200)
    fleet.look(lost(), times=2)
    assert fleet.open == [2]


# ---- say it once ---------------------------------------------------------------------------------------------------


def test_it_is_said_again_only_when_something_changed() -> None:
    fleet = Fleet()
    fleet.look(down("gpu-9", "llm/glm"), times=3)
    assert fleet.look(down("gpu-9", "llm/glm"), times=20) == []
    assert fleet.look(down("gpu-9", "llm/glm", "dev/nb")) == [Kind.JOINED, CHANGED]
    assert "it hits dev/nb as well" in reasons(fleet.decisions, CHANGED)[0]
    assert fleet.look(down("gpu-9", "llm/glm", "dev/nb"), times=20) == []


def test_a_number_that_changes_in_a_sentence_is_no_news_and_keeps_what_is_stored() -> None:
    fleet = Fleet()
    fleet.look(lost(), times=2)
    kept = fleet.state.groups[1]
    other = a_bundle(an_alert("gpu.lost", node="gpu-9", gpu="GPU-3"), title="gpu-9: gpu.lost, since 7 min")
    assert fleet.look(other) == []
    assert fleet.state.groups[1] == kept


# ---- silence -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition", ["gpu-9", "gpu-*", "cause=gpu.lost", "node=GPU-9", "severity=critical", "subject=gpu-9*"]
)
def test_a_silence_keeps_it_untold_until_it_ends(condition: str) -> None:
    fleet = Fleet()
    fleet.silences = (a_silence(condition, minutes=10),)
    fleet.look(lost(), times=19)
    assert fleet.open == []
    assert [one.silence for one in fleet.firing()] == [1]
    fleet.look(lost(), times=2)
    assert fleet.open == [1]


@pytest.mark.parametrize("condition", ["gpu-8", "cause=gpu", "team=llm", "namespace=gpu-9", "gpu-?", "g[p]u-9"])
def test_a_silence_for_something_else_keeps_nothing(condition: str) -> None:
    fleet = Fleet()
    fleet.silences = (a_silence(condition),)
    fleet.look(lost(), times=2)
    assert fleet.open == [1]


def test_a_silence_on_what_was_told_is_said_once_and_it_may_resolve_under_it() -> None:
    fleet = Fleet()
    fleet.look(lost(), times=2)
    fleet.silences = (a_silence("incident=1", since=fleet.now),)
    assert fleet.look(lost()) == [CHANGED]
    assert fleet.look(lost(), times=9) == []
    assert RESOLVED in fleet.look(times=3)


# ---- routes --------------------------------------------------------------------------------------------------------

ROUTES = (
    Route("C0LLM", teams=("llm",), mention="S0LLM"),
    Route("C0TRAIN", namespaces=("train*",)),
    Route("C0NIGHT", severities=("warning",), quiet=("daily 10:00-14:00 UTC",), mention="S0X"),
    Route("C0OPS", mention="S0ONCALL"),
)


@pytest.mark.parametrize(
    ("bundle", "channel", "mention"),
    [
        pytest.param(crashing(team="llm"), "C0LLM", "S0LLM", id="by team"),
        pytest.param(crashing("train-a/run"), "C0TRAIN", "", id="by namespace"),
        pytest.param(lost(), "C0OPS", "S0ONCALL", id="what fits no other"),
    ],
)
def test_routes(bundle: object, channel: str, mention: str) -> None:
    fleet = Fleet(AlertRules(routes=ROUTES))
    fleet.look(bundle, times=2)  # type: ignore[arg-type]  # pytest hands it over as an object
    assert (fleet.state.groups[1].channel, fleet.state.groups[1].mention) == (channel, mention)


def test_what_is_not_critical_waits_until_quiet_hours_are_over_and_pings_nobody() -> None:
    fleet = Fleet(AlertRules(routes=ROUTES))
    warning = a_bundle(an_alert("heat.margin", node="gpu-2", severity=WARNING))
    fleet.look(warning, times=6)
    group = fleet.state.groups[1]
    assert (group.channel, group.mention, group.quiet) == ("C0NIGHT", "", "quiet hours")
    fleet.wait(2 * 3600)
    assert fleet.look(warning) == [CHANGED]
    assert fleet.state.groups[1].quiet == ""


def test_without_a_route_it_is_remembered_all_the_same() -> None:
    fleet = Fleet(AlertRules())
    fleet.look(lost(), times=2)
    assert (fleet.open, fleet.state.groups[1].channel) == ([1], "")


def test_the_same_in_is_the_same_out() -> None:
    one, other = Fleet(RULES), Fleet(RULES)
    for fleet in (one, other):
        fleet.look(down("gpu-9", "llm/glm"), lost("gpu-2"), times=4)
        fleet.look(lost("gpu-2"), times=5)
    assert one.state == other.state
    assert one.all == other.all
    assert one.state.groups[1].opened_at > NOW
