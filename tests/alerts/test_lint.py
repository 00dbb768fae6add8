"""What is wrong with routes is told before an alert is lost for it."""

import pytest

from bot.alerts.lint import lint
from bot.domain.alert_rules import AlertRules, Route

LAST = Route("C0OPS")


@pytest.mark.parametrize(
    ("routes", "words"),
    [
        pytest.param((), "There is no route", id="none at all"),
        pytest.param((Route("#gpu-ops"),), "'#gpu-ops' is no channel's id", id="a channel's name"),
        pytest.param((Route("C0GONE"), LAST), "not in channel C0GONE, or there is none", id="a channel it is not in"),
        pytest.param((Route("C0OPS", mention="@ana"),), "no id of a person", id="a name to mention"),
        pytest.param((Route("C0OPS", severities=("info",)), LAST), "no alert is ever 'info'", id="a severity"),
        pytest.param((Route("C0OPS", quiet=("nights",)),), "'nights' is no window", id="a window"),
        pytest.param((LAST, Route("C0OPS", teams=("llm",))), "nothing ever comes to it, since route 1", id="too late"),
        pytest.param((Route("C0OPS", teams=("llm",)),), "No route takes what fits no other", id="no last one"),
        pytest.param(
            (Route("C0OPS", name="a", teams=("x",)), Route("C0OPS", name="a")),
            "another route has that name",
            id="twice",
        ),
    ],
)
def test_it_is_told(routes: tuple[Route, ...], words: str) -> None:
    assert any(words in one for one in lint(AlertRules(routes=routes), {"C0OPS"}))


def test_good_routes_say_nothing() -> None:
    routes = (
        Route("C0LLM", name="llm", teams=("llm",), mention="S0LLM", quiet=("daily 20:00-08:00 Europe/Berlin",)),
        Route("C0LLM", name="more", teams=("llm", "eval"), severities=("critical",)),
        LAST,
    )
    assert lint(AlertRules(routes=routes), {"C0LLM", "C0OPS"}) == ()
