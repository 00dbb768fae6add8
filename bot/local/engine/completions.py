"""Answers requests for completions at the engine's pace, streaming or whole."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from bot.local.engine import shapes
from bot.local.engine.engine import Engine
from bot.local.engine.wishes import RefusedError, Wish, wish_of

_LOOK_SECONDS = 0.05
_STREAM = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}


async def complete(engine: Engine, request: web.BaseRequest, *, chat: bool) -> web.StreamResponse:
    """POST /v1/chat/completions and /v1/completions."""
    try:
        wish = wish_of(await _body(request), engine.args, chat=chat)
    except RefusedError as error:
        return refused(error.status, error.kind, str(error))
    if engine.faults.failing or engine.faults.dead:
        engine.totals.finished["error"] += 1
        told = "EngineCore encountered an issue. See stack trace (above) for the root cause."
        return refused(500, "InternalServerError", told)
    ident = engine.next_id("chatcmpl" if chat else "cmpl")
    if wish.streams:
        return await _streamed(engine, request, wish, ident)
    async for _ in _paced(engine, wish):
        continue
    return web.json_response(shapes.whole(wish, ident, engine.args.served_name, int(time.time())))


def refused(status: int, kind: str, message: str) -> web.Response:
    """OpenAI's error, as vLLM writes it."""
    told = {"error": {"message": message, "type": kind, "param": None, "code": status}}
    return web.json_response(told, status=status)


async def _streamed(engine: Engine, request: web.BaseRequest, wish: Wish, ident: str) -> web.StreamResponse:
    """Server-sent events, one a token."""
    response = web.StreamResponse(headers=_STREAM)
    await response.prepare(request)
    about = (wish, ident, engine.args.served_name, int(time.time()))
    if wish.chat:
        await _event(response, shapes.chunk(*about, {"role": "assistant", "content": ""}))
    deltas = shapes.deltas(wish, ident)
    async for _ in _paced(engine, wish):
        await _event(response, shapes.chunk(*about, next(deltas)))
    await _event(response, shapes.chunk(*about, {}, wish.finish))
    if wish.tells_usage:
        await _event(response, shapes.last_chunk(*about))
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


async def _paced(engine: Engine, wish: Wish) -> AsyncIterator[int]:
    """Once for each token, when it is there; none while the engine hangs. A client that goes has aborted it."""
    began, made, reason = time.monotonic(), 0, "abort"
    try:
        async with _in_batch(engine):
            await asyncio.sleep(engine.first_token_seconds)
            await _unless_hung(engine)
            _prefilled(engine, wish, time.monotonic() - began)
            for index in range(wish.tokens):
                await _unless_hung(engine)
                made += 1
                engine.made(1.0)
                yield index
                await asyncio.sleep(engine.token_seconds)
        reason = "length" if wish.finish == "length" else "stop"
    finally:
        engine.totals.ended(reason, wish.prompt_tokens, made, time.monotonic() - began)


def _prefilled(engine: Engine, wish: Wish, seconds: float) -> None:
    engine.totals.prompt_tokens += wish.prompt_tokens
    engine.totals.observe("time_to_first_token_seconds", seconds)
    engine.totals.observe("request_prefill_time_seconds", seconds)


@asynccontextmanager
async def _in_batch(engine: Engine) -> AsyncIterator[None]:
    """Waits in the queue while the batch is full."""
    began = time.monotonic()
    engine.queued += 1
    try:
        while not engine.has_room:  # noqa: ASYNC110  # a place is free as soon as any request ends
            await asyncio.sleep(_LOOK_SECONDS)
    finally:
        engine.queued -= 1
    engine.totals.observe("request_queue_time_seconds", time.monotonic() - began)
    engine.running += 1
    try:
        yield
    finally:
        engine.running -= 1


async def _unless_hung(engine: Engine) -> None:
    while engine.faults.hung:  # noqa: ASYNC110  # a fault is a flag that a test sets at any time
        await asyncio.sleep(_LOOK_SECONDS)


async def _event(response: web.StreamResponse, told: object) -> None:
    await response.write(f"data: {json.dumps(told)}\n\n".encode())


async def _body(request: web.BaseRequest) -> object:
    try:
        return json.loads(await request.text())
    except ValueError:
        return None
