"""Every check is complete, and gives each of its three answers where it should."""

import importlib
import re

import pytest

from bot.checks.check import AnyCheck, Scope
from bot.checks.collect import FAMILIES, checks
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity, State
from bot.checks.run import run
from bot.checks.scene import FleetScene, Scene
from tests.checks.told import TOLD

CHECKS = checks()
EACH = [pytest.param(check, id=check.id) for check in CHECKS]


def answers(scene: Scene | FleetScene | EngineScene, check: AnyCheck) -> list[Finding]:
    return run(scene, [check])


@pytest.mark.parametrize("check", EACH)
def test_a_check_is_complete(check: AnyCheck) -> None:
    family, _, name = check.id.partition(".")
    module = importlib.import_module(f"bot.checks.{family}.{name}")
    assert module.CHECK is check, "its id is its file"
    assert check.docs == module.__doc__
    assert check.title
    assert not check.title.endswith(".")
    assert check.source
    assert check.reads
    assert (check.scope is Scope.FLEET) == (family == "fleet")
    assert (check.scope is Scope.ENGINE) == (family == "engine")


def test_checks_have_names_of_their_own() -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS) == len(TOLD)
    assert {check.id.partition(".")[0] for check in CHECKS} == set(FAMILIES)


@pytest.mark.parametrize("check", EACH)
def test_it_fires_and_says_so(check: AnyCheck) -> None:
    told = TOLD[check.id]
    firing = [one for one in answers(told.firing(), check) if one.state is State.FIRING]
    assert firing, "fires"
    found = firing[0]
    assert re.match(told.says, found.sentence), found.sentence
    assert not found.sentence.endswith(".")
    assert found.severity is told.severity
    assert found.severity.rank >= check.severity.rank, "never worse than the check says of itself"
    assert (found.check, found.title) == (check.id, check.title)
    assert found.source
    if found.severity is Severity.CRITICAL:
        assert found.remedies, "somebody has to act now, and is told how"


@pytest.mark.parametrize("check", EACH)
def test_a_near_miss_is_no_alarm(check: AnyCheck) -> None:
    found = answers(TOLD[check.id].near(), check)
    assert found
    assert [one.sentence for one in found if one.alarming] == []
    assert any(one.state is State.OK or one.severity is Severity.INFO for one in found)


@pytest.mark.parametrize("check", EACH)
def test_what_was_not_told_is_unknown_and_never_well(check: AnyCheck) -> None:
    found = answers(TOLD[check.id].blind(), check)
    assert State.UNKNOWN in {one.state for one in found}
    assert State.OK not in {one.state for one in found}
    for one in found:
        assert one.missing or one.state is not State.UNKNOWN, "says what is missing"
