"""Debian's chromium on the workspace's page, with the real Bolt answering."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Channel, Setup, SlashCommand, User, Workspace
from tests.browser.show_bot import incident, show_bot

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.browser

SETUP = Setup(
    team_name="Reef Research",
    users=(
        User("U1", "ana", "Ana", "ana@example.test", is_admin=True),
        User("U2", "ben", "Ben", "ben@example.test"),
        User("U3", "chi", "Chi", "chi@example.test"),
    ),
    channels=(
        Channel("C1", "gpu-ops", ("U1", "U2"), topic="Incidents, rollouts and questions about the GPU clusters"),
        Channel("C2", "llm-serving", ("U1", "U2", "U3"), topic="Models in production"),
        Channel("C3", "leads", ("U1",), is_private=True),
    ),
    commands=(
        SlashCommand("/gpu", "Status, health and everything else", "status | why | node | help",
                     ("status", "status --by team", "node gpu-9", "why pending glm-0", "help")),
        SlashCommand("/why", "Why is this pod not running?", "pending POD", ("pending glm-0",)),
        SlashCommand("/broken", "Never answers", ""),
    ),
    bot_channels=("C1", "C2"),
)  # fmt: skip


@pytest.fixture
async def workspace(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workspace]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    workspace = Workspace(SETUP)
    await workspace.start()
    client = AsyncWebClient(token=SETUP.bot_token, base_url=workspace.api_url)
    handler = AsyncSocketModeHandler(show_bot(client), SETUP.app_token, ping_interval=3)
    await handler.connect_async()
    await workspace.connected(5)
    yield workspace
    await handler.close_async()
    await workspace.stop()


async def opened(
    browser: Browser, workspace: Workspace, query: str, width: int = 1360, height: int = 860, **more: Any
) -> Page:
    """A fresh tab; whatever the page logs as an error or loads from elsewhere fails the test."""
    context = await browser.new_context(viewport={"width": width, "height": height}, **more)
    page = await context.new_page()
    page.set_default_timeout(8000)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.on("console", lambda line: pytest.fail(line.text) if line.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith(workspace.page_url) else pytest.fail(request.url))
    await page.goto(workspace.page_url + query)
    await page.wait_for_selector('body[data-live="on"]')
    return page


async def story(workspace: Workspace) -> str:
    """Something to look at: an incident with a thread, questions, answers. Returns the incident's ts."""
    client = AsyncWebClient(token=SETUP.bot_token, base_url=workspace.api_url)
    await workspace.say("ben", "gpu-ops", "Good morning. glm-prod feels slow, is that us or the traffic?")
    root = (await client.chat_postMessage(channel="C1", text="gpu-9 lost GPU 3", blocks=incident()))["ts"]
    await client.reactions_add(channel="C1", timestamp=root, name="eyes")
    await client.chat_postMessage(channel="C1", thread_ts=root, text="10:02:11Z  XID 94 on GPU 3 (`gpu-9`), contained.")
    await workspace.say("ben", "gpu-ops", "I look at the queue meanwhile.", thread_ts=root)
    await workspace.say("ana", "gpu-ops", "It was us: one replica is gone.")
    question = await workspace.say("ana", "gpu-ops", f"<@{workspace.bot_user_id}> what is free?")
    await workspace.next_message("gpu-ops", "ana", after=question)
    await workspace.say("chi", "llm-serving", "Rollout of glm-5.2 starts at noon.")
    return str(root)


async def test_a_command_with_completion_shows_a_card_that_only_its_user_sees(browser: Browser, workspace: Workspace):
    page = await opened(browser, workspace, "?as=ana&in=gpu-ops")
    ben = await opened(browser, workspace, "?as=ben&in=gpu-ops")
    field = page.get_by_role("combobox", name="Message #gpu-ops")
    await field.press_sequentially("/g")
    await page.get_by_role("option", name="/gpu").wait_for()
    await field.press("Tab")
    assert await field.input_value() == "/gpu "
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("Enter")
    assert await field.input_value() == "/gpu status --by team"
    await field.press("Enter")
    card = page.locator("article.ephemeral")
    await card.get_by_text("Only visible to you").wait_for()
    assert "H200: 11 of 96 free" in await card.inner_text()
    assert await ben.locator("article").count() == 0
    await card.get_by_role("button", name="Share").click()
    await ben.locator("article").get_by_text("H200: 11 of 96 free").wait_for()
    await page.wait_for_function("!document.querySelector('article.ephemeral')")


async def test_a_dangerous_button_asks_then_a_modal_refuses_then_the_message_changes(
    browser: Browser, workspace: Workspace
):
    await story(workspace)
    page = await opened(browser, workspace, "?as=ana&in=gpu-ops")
    await page.get_by_role("button", name="Drain gpu-9…").click()
    await page.get_by_role("button", name="Not now").click()
    await page.get_by_role("button", name="Drain gpu-9…").click()
    await page.get_by_role("button", name="Look at the plan").click()
    modal = page.get_by_role("dialog", name="Drain gpu-9")
    await modal.get_by_role("button", name="Drain", exact=True).click()
    await modal.get_by_text("Please complete this required field.").first.wait_for()
    await modal.get_by_label("Reason").fill("XID 94")
    await modal.get_by_label("Type the node's name").fill("gpu-7")
    await modal.get_by_role("button", name="Drain", exact=True).click()
    await modal.get_by_text("This is not the node's name: gpu-9").wait_for()
    assert await modal.get_by_label("Reason").input_value() == "XID 94"
    await modal.get_by_label("Type the node's name").fill("gpu-9")
    await modal.get_by_label("Type the node's name").press("Enter")
    await modal.wait_for(state="detached")
    await page.wait_for_function("!document.querySelector('[data-action=drain]')")


async def test_a_thread_opens_beside_the_channel_and_takes_replies(browser: Browser, workspace: Workspace):
    await story(workspace)
    page = await opened(browser, workspace, "?as=ana&in=gpu-ops")
    await page.locator("a.replies").first.click()
    thread = page.get_by_role("complementary", name="Thread")
    await thread.get_by_text("I look at the queue meanwhile.").wait_for()
    await thread.get_by_role("combobox", name="Reply").fill("Thanks, @ben <3")
    await page.keyboard.press("Enter")
    await thread.get_by_text("Thanks, @ben <3").wait_for()
    assert await thread.locator(".reply-line").inner_text() == "3 replies"
    assert await thread.locator(".mention").last.inner_text() == "@ben"
    await page.locator("a.replies").first.get_by_text("3 replies").wait_for()


async def test_another_person_another_screen_and_unread_marks(browser: Browser, workspace: Workspace):
    page = await opened(browser, workspace, "?as=chi&in=llm-serving")
    assert await page.get_by_role("link", name="gpu-ops").count() == 0
    await page.get_by_label("Acting as").select_option(label="Ben")
    await page.wait_for_selector('body[data-as="ben"][data-live="on"]')
    await workspace.say("ana", "gpu-ops", "hello")
    await page.locator("a.unread", has_text="gpu-ops").get_by_text("1", exact=True).wait_for()
    await page.locator("a.unread").click()
    await page.get_by_role("log").get_by_text("hello").wait_for()
    assert await page.locator("a.unread").count() == 0


async def test_a_command_that_nobody_acks_fails_in_words(browser: Browser, workspace: Workspace):
    workspace.backend.sockets.ack_timeout_seconds = 0.3
    page = await opened(browser, workspace, "?as=ana&in=gpu-ops")
    await page.get_by_role("combobox", name="Message #gpu-ops").fill("/broken")
    await page.keyboard.press("Enter")
    await page.locator("article.ephemeral").get_by_text("operation_timeout").wait_for()


async def test_the_page_catches_up_after_it_was_cut_off(browser: Browser, workspace: Workspace):
    page = await opened(browser, workspace, "?as=ana&in=gpu-ops")
    await page.context.set_offline(True)
    workspace.backend.changes.close()
    await page.wait_for_selector('body[data-live="off"]')
    await workspace.say("ben", "gpu-ops", "while you were away")
    await page.context.set_offline(False)
    await page.get_by_text("while you were away").wait_for(timeout=15_000)


async def test_text_of_others_is_never_markup(browser: Browser, workspace: Workspace):
    page = await opened(browser, workspace, "?as=ana&in=gpu-ops")
    await workspace.say("ben", "gpu-ops", "<img src=x onerror=alert(1)> <script>alert(2)</script>")
    await page.get_by_text("<script>alert(2)</script>").wait_for()
    assert await page.locator("article img, article script").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_it_looks_like_a_chat_on_a_desk_and_on_a_phone(
    browser: Browser, workspace: Workspace, screenshots: Path, theme: str
):
    root = await story(workspace)
    newest = workspace.messages("gpu-ops", "ana")[-1].ts
    await workspace.slash("ana", "gpu-ops", "/gpu status")
    await workspace.next_message("gpu-ops", "ana", after=newest)
    query = f"?as=ana&in=gpu-ops&theme={theme}"
    desk = await opened(browser, workspace, query)
    await desk.get_by_role("combobox", name="Message #gpu-ops").fill("/gpu why pending glm-0")
    await desk.keyboard.press("Enter")
    await desk.get_by_text("llm/glm-0 waits").wait_for()
    await desk.screenshot(path=screenshots / f"workspace-why-{theme}.png")
    await desk.get_by_text("Evidence").click()
    await desk.screenshot(path=screenshots / f"workspace-wide-{theme}.png")
    await desk.goto(f"{workspace.page_url}{query}&thread={root}")
    await desk.screenshot(path=screenshots / f"workspace-thread-{theme}.png")
    for name, extra in (("phone", ""), ("phone-thread", f"&thread={root}"), ("phone-home", "&in=home")):
        phone = await opened(
            browser, workspace, query.replace("&in=gpu-ops", extra) if "home" in extra else query + extra, 390, 844,
            has_touch=True, is_mobile=True, device_scale_factor=2,
        )  # fmt: skip
        await phone.screenshot(path=screenshots / f"workspace-{name}-{theme}.png")
        assert await phone.evaluate("document.documentElement.scrollWidth") == 390
        assert await phone.evaluate("document.querySelector('.scroll').scrollWidth <= 390")
    await phone.get_by_role("button", name="Channels and people").click()
    await phone.get_by_role("button", name="Close the channel list").wait_for()
    await phone.wait_for_timeout(200)
    await phone.screenshot(path=screenshots / f"workspace-phone-drawer-{theme}.png")
    background = await desk.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (theme == "light")


async def test_modals_and_completions_are_drawn(browser: Browser, workspace: Workspace, screenshots: Path):
    await story(workspace)
    for theme, width in (("light", 1360), ("dark", 390)):
        page = await opened(browser, workspace, f"?as=ana&in=gpu-ops&theme={theme}", width)
        await page.get_by_role("combobox", name="Message #gpu-ops").fill("/gpu ")
        await page.get_by_role("option", name="/gpu help").wait_for()
        await page.screenshot(path=screenshots / f"workspace-completion-{theme}.png")
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Drain gpu-9…").click()
        await page.screenshot(path=screenshots / f"workspace-confirm-{theme}.png")
        await page.get_by_role("button", name="Look at the plan").click()
        await page.get_by_role("dialog", name="Drain gpu-9").get_by_role("button", name="Drain", exact=True).click()
        await page.get_by_text("Please complete this required field.").first.wait_for()
        await page.screenshot(path=screenshots / f"workspace-modal-{theme}.png")
        await page.keyboard.press("Escape")
        await page.get_by_role("dialog").wait_for(state="detached")
        await page.wait_for_function("document.activeElement.dataset.action === 'drain'")
