"""The settings `alerts`: defaults that hold, values that are refused, and what is only linted."""

import pytest
from pydantic import ValidationError

from bot.alerts.lint import lint
from bot.domain.alert_rules import AlertRules
from config.alerts import AlertSettings


def test_without_any_the_usual_rules_hold() -> None:
    assert AlertSettings().rules() == AlertRules()


def test_a_route_as_it_is_written() -> None:
    text = {"channel": "C0LLM", "teams": ["llm"], "quiet_hours": ["daily 20:00-08:00 Europe/Berlin"]}
    route = AlertSettings.model_validate({"routes": [text]}).rules().routes[0]
    assert (route.channel, route.teams, route.quiet) == ("C0LLM", ("llm",), ("daily 20:00-08:00 Europe/Berlin",))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"routes": [{"teams": ["llm"]}]}, id="a route to nowhere"),
        pytest.param({"routes": [{"channel": "C0", "quiet_hours": ["nights"]}]}, id="quiet hours that are none"),
        pytest.param({"routes": [{"channel": "C0", "team": "llm"}]}, id="an unknown key"),
        pytest.param({"critical": {"looks": 0}}, id="no look at all"),
        pytest.param({"digests": {"daily": ["8 am"]}}, id="a time that is none"),
    ],
)
def test_what_is_wrong_ends_the_start(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AlertSettings.model_validate(wrong)


def test_a_channels_name_starts_and_is_linted() -> None:
    rules = AlertSettings.model_validate({"routes": [{"channel": "#gpu-ops"}]}).rules()
    assert "'#gpu-ops' is no channel's id" in lint(rules)[0]
