"""The form of `/deploy`: it opens without words, shows what would come of each choice, and asks as a line would."""

import asyncio
from typing import Any

import pytest

from bot.slack.deploy_form import KEPT_AT_MOST, DeployForms, line
from bot.slack.desk import Desk
from bot.slack.people import Caller
from tests.slack.conftest import Bot

ANA = Caller("U0ANA", "C0OPS")


def filled(view: dict[str, Any], **chosen: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in chosen.items():
        told = {"selected_option": {"value": value}} if key == "model" else {"value": value}
        values[key] = {f"deploy-live-{key}": told}
    return {**view, "state": {"values": values}}


@pytest.mark.parametrize(
    ("chosen", "dry", "wanted"),
    [
        pytest.param({"model": "glm"}, True, "deploy glm dry", id="a model alone"),
        pytest.param({"model": "glm", "replicas": "2"}, True, "deploy glm replicas=2 dry", id="with replicas"),
        pytest.param(
            {"model": "glm", "namespace": "llm", "because": "a launch"},
            False,
            "deploy glm namespace=llm because a launch",
            id="sent with a reason",
        ),
        pytest.param({"namespace": "llm"}, True, "", id="no model yet"),
        pytest.param(
            {"model": "glm", "name": "x replicas=64"},
            True,
            "deploy glm name=xreplicas=64 dry",
            id="no second option in one",
        ),
        pytest.param({"model": "glm", "name": "a\nb\x00"}, True, "deploy glm name=ab dry", id="control characters"),
    ],
)
def test_what_was_chosen_is_a_line(chosen: dict[str, str], dry: bool, wanted: str) -> None:
    assert line(filled({}, **chosen), dry=dry) == wanted


@pytest.mark.parametrize(("typed", "opens"), [("gpu deploy ", True), ("gpu Deploy", True), ("gpu deploy glm", False)])
def test_only_a_line_without_a_model_opens_it(typed: str, opens: bool) -> None:
    assert DeployForms().wanted(typed) is opens


def test_a_form_of_somebody_else_or_of_nobody_is_none_and_old_ones_are_forgotten() -> None:
    forms = DeployForms()
    view = forms.form(ANA)
    assert forms.caller(view, "U0ANA") == ANA
    assert forms.caller(view, "U0BEN") is None
    assert forms.caller({"private_metadata": "guessed"}, "U0ANA") is None
    for _ in range(KEPT_AT_MOST):
        forms.form(ANA)
    assert forms.caller(view, "U0ANA") is None


async def test_from_the_slash_command_to_the_answer(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = Desk.ask

    async def listening(desk: Desk, said: str, caller: Caller) -> Any:
        asked.append(said)
        return await ask(desk, said, caller)

    monkeypatch.setattr(Desk, "ask", listening)
    await bot.workspace.slash("U0ANA", "C0OPS", "/gpu deploy")
    async with asyncio.timeout(5):
        while (view := bot.workspace.view("U0ANA")) is None:  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.01)
    assert "Choose a model" in str(view["blocks"])
    await bot.workspace.click("U0ANA", view["id"], "deploy-live-model", value="flash", values={"model": "flash"})
    async with asyncio.timeout(5):
        while "flash" not in str(bot.workspace.view("U0ANA")["blocks"][-1]):  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)
    assert asked == ["deploy flash dry"]
