"""Asks a served model through the API server's proxy: one answer, one tool call, and how fast at several at once."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import aiohttp

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, explain
from bot.adapters.cluster.outgoing import Outgoing
from bot.domain.probing import Endpoint, Pace, Smoke
from bot.domain.text import inert

SILENCE_SECONDS = 60.0
TOKENS = 64
AT_ONCE = (1, 8)
LINE_BYTES = 65_536
_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city now",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@dataclass(frozen=True, slots=True)
class _Told:
    """One streamed answer. first: seconds to its first token, None where none came."""

    text: str = ""
    tokens: int = 0
    first: float | None = None
    seconds: float = 0.0
    wrong: str = ""


class ClusterProbe:
    """Requests are bounded: a few, of a few tokens, none waited for longer than a minute of silence."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def smoke(self, where: Endpoint) -> Smoke:
        """Never raises: whatever is wrong is told."""
        first = await self._ask(where, "Say hello in one short sentence.")
        if first.wrong or not first.tokens:
            return Smoke("", wrong=first.wrong or "it answered without a single token")
        called, wrong = await self._call(where) if where.tools else (None, "")
        paces = [await self.pace(where, number) for number in AT_ONCE]
        failed = next((f"{one.failed} of {one.at_once} requests at once failed" for one in paces if one.failed), "")
        return Smoke(inert(first.text, 200), tuple(paces), called, wrong or failed)

    async def pace(self, where: Endpoint, at_once: int, tokens: int = TOKENS) -> Pace:
        """So many requests at the same time."""
        began = time.monotonic()
        told = await asyncio.gather(*(self._ask(where, "Count from one upwards.", tokens) for _ in range(at_once)))
        took = time.monotonic() - began
        firsts = [one.first for one in told if one.first is not None]
        made = sum(one.tokens for one in told)
        failed = sum(1 for one in told if one.wrong)
        return Pace(at_once, median(firsts) if firsts else None, made / took if took else 0.0, failed)

    async def _ask(self, where: Endpoint, words: str, tokens: int = TOKENS) -> _Told:
        body = {**_asked(where, words, tokens), "stream": True, "ignore_eos": True}
        began = time.monotonic()
        try:
            async with self._connection.streamed(_request(where, body), silence_seconds=SILENCE_SECONDS) as answer:
                if answer.status != 200:
                    return _Told(wrong=f"{answer.status}: {inert((await answer.text())[:LINE_BYTES], 200)}")
                return await _read(answer, began)
        except TROUBLE as error:
            return _Told(wrong=str(explain(error, self._connection.access)))

    async def _call(self, where: Endpoint) -> tuple[bool, str]:
        """Whether a tool call came with arguments that are JSON, and what is wrong with it."""
        body = {**_asked(where, "What is the weather in Berlin? Use the tool.", 256), "tools": [_TOOL]}
        try:
            async with self._connection.streamed(_request(where, body), silence_seconds=SILENCE_SECONDS) as answer:
                text = await answer.text()
        except TROUBLE as error:
            return False, f"the tool call got no answer: {explain(error, self._connection.access)}"
        return _parsed(answer.status, text)


def _asked(where: Endpoint, words: str, tokens: int) -> dict[str, Any]:
    """Without thinking, which would fill all tokens with reasoning."""
    return {
        "model": where.model,
        "messages": [{"role": "user", "content": words}],
        "max_tokens": tokens,
        "temperature": 0,
        "chat_template_kwargs": {"enable_thinking": False},
    }


def _request(where: Endpoint, body: dict[str, Any]) -> Outgoing:
    place = f"/api/v1/namespaces/{where.namespace}/services/{where.service}:{where.port}/proxy"
    return Outgoing("POST", f"{place}/v1/chat/completions", body)


async def _read(answer: aiohttp.ClientResponse, began: float) -> _Told:
    parts: list[str] = []
    tokens, first = 0, None
    async for line in answer.content:
        if not line.startswith(b"data: ") or line.strip() == b"data: [DONE]" or len(line) > LINE_BYTES:
            continue
        said = _delta(line)
        if said:
            first = first if first is not None else time.monotonic() - began
            tokens += 1
            parts.append(said)
    return _Told("".join(parts), tokens, first, time.monotonic() - began)


def _delta(line: bytes) -> str:
    """What one event adds, thoughts included."""
    try:
        choices = json.loads(line.removeprefix(b"data: ")).get("choices") or [{}]
        delta = choices[0].get("delta") or {}
    except (ValueError, AttributeError, IndexError):
        return ""
    return str(delta.get("content") or delta.get("reasoning_content") or delta.get("reasoning") or "")


def _parsed(status: int, text: str) -> tuple[bool, str]:
    if status != 200:
        return False, f"the tool call was refused with {status}: {inert(text, 200)}"
    try:
        calls: Sequence[Any] = json.loads(text)["choices"][0]["message"].get("tool_calls") or ()
        arguments = [json.loads(one["function"]["arguments"]) for one in calls]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        return False, f"the tool call did not parse: {inert(str(error), 100)}"
    if not arguments:
        return False, "no tool call came although a tool was offered"
    return True, ""
