"""Asks a served model through the API server's proxy: one answer, one tool call, and how fast at several at once."""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from statistics import median
from typing import Any

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, explain
from bot.adapters.cluster.outgoing import Outgoing
from bot.domain.probing import Endpoint, Pace, Smoke
from bot.domain.text import inert

SILENCE_SECONDS = 60.0
TOKENS = 64
AT_ONCE = (1, 8)
LINE_BYTES = 65_536
TOTAL_SECONDS = 180.0  # an answer that trickles without an end is none
EVENTS_KEPT = 4 * TOKENS
MOST_TOKENS = 1_000_000  # of one answer, as an engine counts them
_DATA = b"data: "
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
    """Requests are bounded: a few, of a few tokens, none waited for longer than a minute of silence, or three in all.

    What answers is not trusted: lines, bodies and numbers are capped, and nothing of it raises.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def smoke(self, where: Endpoint) -> Smoke:
        """Never raises: whatever is wrong is told."""
        first = await self._ask(where, _asked(where, "Say hello in one short sentence.", TOKENS))
        if first.wrong or not first.tokens:
            return Smoke("", wrong=first.wrong or "it answered without a single token")
        called, wrong = await self._call(where) if where.tools else (None, "")
        paces = [await self.pace(where, number) for number in AT_ONCE]
        failed = next((f"{one.failed} of {one.at_once} requests at once failed" for one in paces if one.failed), "")
        return Smoke(inert(first.text, 200), tuple(paces), called, wrong or failed)

    async def pace(self, where: Endpoint, at_once: int, tokens: int = TOKENS) -> Pace:
        """So many requests at the same time."""
        began = time.monotonic()
        body = {**_asked(where, "Count from one upwards.", tokens), "ignore_eos": True}  # so that all make as many
        told = await asyncio.gather(*(self._ask(where, body) for _ in range(at_once)))
        took = time.monotonic() - began
        firsts = [one.first for one in told if one.first is not None]
        made = sum(one.tokens for one in told)
        failed = sum(1 for one in told if one.wrong)
        return Pace(at_once, median(firsts) if firsts else None, made / took if took else 0.0, failed)

    async def _ask(self, where: Endpoint, asked: dict[str, Any]) -> _Told:
        body = {**asked, "stream": True, "stream_options": {"include_usage": True}}
        began = time.monotonic()
        try:
            async with asyncio.timeout(TOTAL_SECONDS), self._answer(where, body) as answer:
                if answer.status != 200:
                    return _Told(wrong=f"{answer.status}: {inert(await _body(answer), 200)}")
                return await _read(answer, began)
        except TROUBLE as error:
            return _Told(wrong=str(explain(error, self._connection.access)))
        except (ValueError, HttpProcessingError) as error:  # a line longer than the buffer, as aiohttp tells it
            return _Told(wrong=f"its answer cannot be read: {inert(str(error), 100)}")

    async def _call(self, where: Endpoint) -> tuple[bool, str]:
        """Whether a tool call came with arguments that are JSON, and what is wrong with it."""
        body = {**_asked(where, "What is the weather in Berlin? Use the tool.", 256), "tools": [_TOOL]}
        try:
            async with asyncio.timeout(TOTAL_SECONDS), self._answer(where, body) as answer:
                text = await _body(answer)
        except TROUBLE as error:
            return False, f"the tool call got no answer: {explain(error, self._connection.access)}"
        return _parsed(answer.status, text)

    def _answer(self, where: Endpoint, body: dict[str, Any]) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        return self._connection.streamed(_request(where, body), silence_seconds=SILENCE_SECONDS)


async def _body(answer: aiohttp.ClientResponse) -> str:
    """Its beginning."""
    data = bytearray()
    while len(data) < LINE_BYTES and (chunk := await answer.content.read(LINE_BYTES - len(data))):
        data += chunk
    return data.decode("utf-8", "replace")


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
    """An event may bring several tokens where the engine guesses ahead: its own count goes before that of events."""
    parts: list[str] = []
    counted, first = 0, None
    async for line in answer.content:
        if not line.startswith(_DATA) or line.strip() == b"data: [DONE]" or len(line) > LINE_BYTES:
            continue
        said, used = _event(line)
        counted = used or counted
        if said:
            first = first if first is not None else time.monotonic() - began
            if len(parts) < EVENTS_KEPT:
                parts.append(said)
    return _Told("".join(parts), (counted or len(parts)) if parts else 0, first, time.monotonic() - began)


def _event(line: bytes) -> tuple[str, int]:
    """What one event adds, thoughts included, and how many tokens there were by the engine's count; 0 where it is
    silent.
    """
    try:
        told = json.loads(line.removeprefix(_DATA))
        delta = (told.get("choices") or [{}])[0].get("delta") or {}
        used = (told.get("usage") or {}).get("completion_tokens")
        said = delta.get("content") or delta.get("reasoning_content") or delta.get("reasoning") or ""
    except (ValueError, AttributeError, LookupError, TypeError, RecursionError):
        return "", 0
    return str(said), used if isinstance(used, int) and 0 < used <= MOST_TOKENS else 0


def _arguments(call: Any) -> dict[str, Any]:
    """Raises ValueError and its like for anything but an object."""
    found = json.loads(call["function"]["arguments"])
    if not isinstance(found, dict):
        raise TypeError("its arguments are no object")
    return found


def _parsed(status: int, text: str) -> tuple[bool, str]:
    if status != 200:
        return False, f"the tool call was refused with {status}: {inert(text, 200)}"
    try:
        calls: Sequence[Any] = json.loads(text)["choices"][0]["message"].get("tool_calls") or ()
        arguments = [_arguments(one) for one in calls]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        return False, f"the tool call did not parse: {inert(str(error), 100)}"
    if not arguments:
        return False, "no tool call came although a tool was offered"
    return True, ""
