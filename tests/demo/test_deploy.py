"""A model from its name to its first token, through Slack, on the simulated fleet; and one whose arguments are wrong."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.demo.people import BEN, OPS
from bot.demo.stage import Options, Stage, stage
from bot.local.workspace import Message

SECONDS = 90


@pytest.fixture
async def demo() -> AsyncIterator[Stage]:
    async with stage(Options(speed=4)) as running:
        yield running


def saying(demo: Stage, words: str) -> Message | None:
    return next((one for one in demo.workspace.messages(OPS, BEN) if words in one.text), None)


async def until(demo: Stage, words: str) -> Message:
    async with asyncio.timeout(SECONDS):
        while (found := saying(demo, words)) is None:  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.05)
    return found


async def test_from_a_name_to_tokens(demo: Stage) -> None:
    await demo.workspace.slash(BEN, OPS, "/deploy flash namespace=llm name=flash because a launch")
    asked = await until(demo, "Change 1: deploy GLM-4.7-Flash")
    assert "would get a node now" in asked.text
    await demo.workspace.click(BEN, asked.ts, "change-0")
    await until(demo, "▶")
    done = await until(demo, "Done: change 1")
    assert "It answers." in done.text
    async with asyncio.timeout(SECONDS):
        while not (last := [one for one in _thread(demo, done) if "first token" in one.text]):  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.05)
    for wanted in (
        "tokens per second",
        "curl http://flash.llm.svc:8000/v1/chat/completions",
        "from openai import OpenAI",
    ):
        assert wanted in last[-1].text or wanted in str(last[-1].blocks), last[-1].text
    url = f"{demo.cluster.url}/api/v1/namespaces/llm/services/flash:8000/proxy/v1/models"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        assert (await answer.json())["data"][0]["id"] == "flash"


def _thread(demo: Stage, root: Message) -> list[Message]:
    return demo.workspace.messages(OPS, BEN, thread_ts=root.ts)


async def test_an_engine_that_refuses_its_arguments_is_named_and_can_be_taken_back(demo: Stage) -> None:
    await demo.workspace.slash(BEN, OPS, "/deploy flash namespace=llm name=bad args=--no-such-flag because a test")
    asked = await until(demo, "Change 1: deploy GLM-4.7-Flash")
    await demo.workspace.click(BEN, asked.ts, "change-0")
    failed = await until(demo, "Failed: change 1")
    assert "unrecognized arguments" in failed.text or "does not know" in failed.text or "argument" in failed.text
    assert "Try again…" in str(failed.blocks)
    await demo.workspace.click(BEN, failed.ts, "change")
    await until(demo, "Undone: change 1")
    view = demo.app.clusters["demo"].view
    async with asyncio.timeout(SECONDS):
        while view.thing("Deployment", "llm", "bad") is not None:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.05)
