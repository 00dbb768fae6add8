"""The HTTP of an engine: OpenAI's completions, streaming or whole, with tool calls; health, version, models, metrics.

vllm-project/vllm:vllm/entrypoints/openai/api_server.py. Before an engine serves, nothing listens on its port, so the
answer to everything is a refused connection: `NotServingError`.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.local.engine import metrics
from bot.local.engine.engine import Engine
from bot.local.engine.startup import VERSION

Json = dict[str, Any]
_WORDS = "The GPUs of this cluster are simulated and so is this answer but its tokens came over real HTTP".split()
_MOST_TOKENS = 256
_LOOK_SECONDS = 0.05


class NotServingError(Exception):
    """Nobody listens there yet."""


async def handle(engine: Engine, request: web.BaseRequest, path: str) -> web.StreamResponse:
    """path: as the engine sees it. Raises NotServingError."""
    if not engine.serves:
        raise NotServingError(f"{engine.args.served_name} does not listen yet")
    handler = _ROUTES.get((request.method, path.rstrip("/") or "/"))
    if handler is None:
        return _json({"detail": "Not Found"}, 404)
    return await handler(engine, request)


async def _health(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    return web.Response(status=503 if engine.faults.dead else 200)


async def _version(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del engine, request
    return _json({"version": VERSION})


async def _models(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    model = {
        "id": engine.args.served_name,
        "object": "model",
        "created": int(time.time()),
        "owned_by": "vllm",
        "root": engine.args.model,
        "parent": None,
        "max_model_len": engine.args.context_tokens,
    }
    return _json({"object": "list", "data": [model]})


async def _metrics(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    return web.Response(text=metrics.text(engine), content_type="text/plain", charset="utf-8")


async def _chat(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    return await _completion(engine, request, chat=True)


async def _complete(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    return await _completion(engine, request, chat=False)


_ROUTES: dict[tuple[str, str], Callable[[Engine, web.BaseRequest], Awaitable[web.StreamResponse]]] = {
    ("GET", "/health"): _health,
    ("GET", "/ping"): _health,
    ("GET", "/version"): _version,
    ("GET", "/v1/models"): _models,
    ("GET", "/metrics"): _metrics,
    ("POST", "/v1/chat/completions"): _chat,
    ("POST", "/v1/completions"): _complete,
}


async def _completion(engine: Engine, request: web.BaseRequest, *, chat: bool) -> web.StreamResponse:
    body = await _body(request)
    if body is None:
        return _error(400, "BadRequestError", "the body is no JSON object")
    if body.get("model") not in (None, engine.args.served_name):
        told = f"The model `{body['model']}` does not exist."
        return _error(404, "NotFoundError", told)
    if engine.faults.failing:
        engine.own.failed += 1
        return _error(500, "InternalServerError", "EngineCore encountered an issue.")
    calls = bool(body.get("tools")) and body.get("tool_choice", "auto") != "none"
    if calls and not engine.args.tool_parser:
        told = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        return _error(400, "BadRequestError", told)
    if body.get("stream"):
        return await _streamed(engine, request, body, chat=chat, calls=calls)
    tokens = [token async for token in _tokens(engine, body)]
    return _json(_whole(engine, body, tokens, chat=chat, calls=calls))


async def _tokens(engine: Engine, body: Json) -> AsyncIterator[str]:
    """As many as asked for, at the engine's pace; none while it hangs."""
    asked = body.get("max_completion_tokens") or body.get("max_tokens") or 16
    number = min(int(asked), _MOST_TOKENS)
    engine.running += 1
    try:
        await asyncio.sleep(engine.first_token_seconds)
        engine.own.prompt_tokens += _prompt_tokens(body)
        for index in range(number):
            await _unless_hung(engine)
            yield _WORDS[index % len(_WORDS)]
            engine.own.generated_tokens += 1
            await asyncio.sleep(engine.token_seconds)
        engine.own.finished += 1
    finally:
        engine.running -= 1


async def _unless_hung(engine: Engine) -> None:
    while engine.faults.hung:  # noqa: ASYNC110  # a fault is a flag that a test sets at any time
        await asyncio.sleep(_LOOK_SECONDS)


def _prompt_tokens(body: Json) -> int:
    told = body.get("messages") or [{"content": body.get("prompt", "")}]
    return max(1, sum(len(str(one.get("content", "")).split()) for one in told if isinstance(one, dict)))


def _whole(engine: Engine, body: Json, tokens: list[str], *, chat: bool, calls: bool) -> Json:
    text, prompt = " ".join(tokens), _prompt_tokens(body)
    usage = {"prompt_tokens": prompt, "completion_tokens": len(tokens), "total_tokens": prompt + len(tokens)}
    choice: Json = {"index": 0, "finish_reason": "tool_calls" if calls else "length", "logprobs": None}
    if chat:
        choice["message"] = _message(engine, body, text, calls=calls)
    else:
        choice["text"] = text
    kind = "chat.completion" if chat else "text_completion"
    return {
        "id": engine.next_id("chatcmpl" if chat else "cmpl"),
        "object": kind,
        "created": int(time.time()),
        "model": engine.args.served_name,
        "choices": [choice],
        "usage": usage,
    }


def _message(engine: Engine, body: Json, text: str, *, calls: bool) -> Json:
    if not calls:
        return {"role": "assistant", "content": text, "tool_calls": []}
    return {"role": "assistant", "content": None, "tool_calls": [_call(engine, body)]}


def _call(engine: Engine, body: Json) -> Json:
    """The first tool, each of its parameters filled in."""
    function = body["tools"][0]["function"]
    known = function.get("parameters", {}).get("properties", {})
    told = {name: _filled(kind.get("type", "string")) for name, kind in known.items()}
    return {
        "id": engine.next_id("call"),
        "type": "function",
        "function": {"name": function["name"], "arguments": json.dumps(told)},
    }


def _filled(kind: str) -> object:
    return {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}.get(kind, "Berlin")


async def _streamed(
    engine: Engine, request: web.BaseRequest, body: Json, *, chat: bool, calls: bool
) -> web.StreamResponse:
    """Server-sent events, one a token."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    kind, ident = ("chat.completion.chunk", engine.next_id("chatcmpl")) if chat else ("text_completion", "cmpl-0")
    first = True
    async for token in _tokens(engine, body):
        delta: Json = {"content": token if first else f" {token}"}
        if calls:
            delta = {"tool_calls": [{"index": 0, **_call(engine, body)}]} if first else {}
        choice = {"index": 0, "delta": delta} if chat else {"index": 0, "text": delta.get("content", "")}
        await _event(response, {"id": ident, "object": kind, "model": engine.args.served_name, "choices": [choice]})
        first = False
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "length"}
    await _event(response, {"id": ident, "object": kind, "model": engine.args.served_name, "choices": [end]})
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


async def _event(response: web.StreamResponse, told: Json) -> None:
    await response.write(f"data: {json.dumps(told)}\n\n".encode())


async def _body(request: web.BaseRequest) -> Json | None:
    try:
        found = json.loads(await request.text())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _error(status: int, kind: str, message: str) -> web.Response:
    return _json({"error": {"message": message, "type": kind, "param": None, "code": status}}, status)


def _json(told: Json, status: int = 200) -> web.Response:
    return web.json_response(told, status=status)
