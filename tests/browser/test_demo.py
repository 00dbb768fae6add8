"""The demo as a person sees it: the page, the real bot, the local cluster, in Debian's chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.demo.stage import Options, Stage, stage
from tests.browser.test_workspace import opened

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture
async def running() -> AsyncIterator[Stage]:
    async with stage(Options()) as ready:
        yield ready


async def typed(page: Page, line: str) -> None:
    box = page.get_by_role("combobox", name="Message #gpu-ops")
    await box.fill(line)
    await box.press("Escape")
    await box.press("Enter")


async def test_ask_share_and_see_as_somebody_else(running: Stage, browser: Browser, screenshots: Path) -> None:
    ana = await opened(browser, running.workspace, "?as=ana&theme=light", height=1250)
    ben = await opened(browser, running.workspace, "?as=ben&theme=dark", height=1250)
    await typed(ana, "/gpu status")
    answer = ana.get_by_text("H200: 11 of 96 free, at most 4 together (on gpu-3).", exact=False).first
    await answer.wait_for()
    await ana.get_by_text("Only visible to you").first.wait_for()
    await ana.screenshot(path=screenshots / "demo-status-wide-light.png")
    assert await ben.get_by_text("H200: 11 of 96 free").count() == 0
    await ana.get_by_role("button", name="Share").first.click()
    await ben.get_by_text("H200: 11 of 96 free", exact=False).first.wait_for()
    await ben.get_by_text("asked", exact=False).first.wait_for()
    await ana.get_by_text("shared with the channel").first.wait_for()
    await ben.screenshot(path=screenshots / "demo-shared-wide-dark.png")


async def test_every_answer_is_readable_on_a_phone(running: Stage, browser: Browser, screenshots: Path) -> None:
    page = await opened(browser, running.workspace, "?as=dora&theme=light", width=390, height=844)
    for index, line in enumerate(("/gpu status", "/gpu status --by team", "/gpu status --by node", "/gpu statsu")):
        await typed(page, line)
        await page.locator("article").nth(index).wait_for()
        overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{line} makes the page scroll sideways"
    await page.get_by_text("did you mean").first.wait_for()
    await page.screenshot(path=screenshots / "demo-phone-light.png")


async def test_a_model_from_the_form_to_its_first_token(browser: Browser, screenshots: Path) -> None:
    """The form shows what a choice would bring; sent, approved and followed it ends with an answer of the model."""
    async with stage(Options(speed=4)) as running:
        page = await opened(browser, running.workspace, "?as=ben&theme=light", height=1400)
        await typed(page, "/deploy")
        form = page.get_by_role("dialog")
        await form.get_by_text("Choose a model").wait_for()
        await form.get_by_label("Namespace").fill("llm")
        await form.get_by_label("Model").select_option(label="GLM-4.7-Flash")
        await form.get_by_text(
            "1 replica of GLM-4.7-Flash bf16 on 1 H200 would start now", exact=False
        ).first.wait_for()
        await page.screenshot(path=screenshots / "deploy-form.png")
        await form.get_by_role("button", name="Ask for it").click()
        await page.get_by_role("button", name="Have change 1 done").click()
        await page.get_by_text("▶", exact=False).first.wait_for(timeout=30_000)
        await page.screenshot(path=screenshots / "deploy-clock.png")
        await page.get_by_text("Done: change 1", exact=False).first.wait_for(timeout=60_000)
        await page.get_by_text("It answers.", exact=False).first.wait_for()
        await page.screenshot(path=screenshots / "deploy-done.png")
