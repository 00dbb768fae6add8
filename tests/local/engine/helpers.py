"""Engines on ports of their own, and a client that asks them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp

from bot.local.engine import Engine, EngineArgs, EngineServer, read_args

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
GLM = ["zai-org/GLM-5.2-FP8", "--served-model-name=glm", "--tensor-parallel-size=8", "--port=0"]
TOOLS = ["--enable-auto-tool-choice", "--tool-call-parser=glm47"]
FAST = 0.001  # so many times the usual time of a token


def args_of(*words: str, engine: str = "vllm") -> EngineArgs:
    made = read_args([*GLM, *words] if engine == "vllm" else list(words), engine=engine)
    assert made.error == ""
    return made


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def an_engine(*words: str, load: float = 0.0, engine: str = "vllm") -> tuple[Engine, Hands]:
    """One that serves, on a clock of its own."""
    hands = Hands()
    return Engine(args_of(*words, engine=engine), NOW, NOW, hands, load=load), hands


class Asking:
    """A client of one engine."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session, self.url = session, url

    async def get(self, path: str) -> tuple[int, str]:
        async with self.session.get(self.url + path) as answer:
            return answer.status, await answer.text()

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        async with self.session.post(self.url + path, json=body) as answer:
            return answer.status, await answer.json()

    async def chat(self, **body: Any) -> tuple[int, Any]:
        return await self.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "Say hello"}], **body})

    async def streamed(self, **body: Any) -> list[Any]:
        """The events' JSON; the last one is DONE itself."""
        asked = {"messages": [{"role": "user", "content": "Say hello"}], "stream": True, **body}
        async with self.session.post(f"{self.url}/v1/chat/completions", json=asked) as answer:
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            events = [part.removeprefix("data: ") for part in (await answer.text()).strip().split("\n\n")]
        assert events[-1] == "[DONE]"
        return [json.loads(event) for event in events[:-1]]


@asynccontextmanager
async def serving(*words: str, load: float = 0.0, engine: str = "vllm") -> AsyncIterator[tuple[EngineServer, Asking]]:
    """A fast one."""
    server = EngineServer(args_of(*words, engine=engine), load=load)
    server.engine.breaks(slow=FAST)
    await server.start()
    try:
        async with aiohttp.ClientSession() as session:
            yield server, Asking(session, server.url)
    finally:
        await server.stop()
