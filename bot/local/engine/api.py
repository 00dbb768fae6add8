"""The HTTP of an engine: completions, health, version, models, metrics.

vllm-project/vllm:vllm/entrypoints/openai/api_server.py; sgl-project/sglang:python/sglang/srt/entrypoints.
Before an engine serves, nothing listens on its port, so the answer to everything is a refused connection:
`NotServingError`.
"""

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.local.engine import metrics, metrics_sglang
from bot.local.engine.completions import complete
from bot.local.engine.engine import Engine

Json = dict[str, Any]
Handler = Callable[[Engine, web.BaseRequest], Awaitable[web.StreamResponse]]
_ASIDE = frozenset({"/health", "/ping", "/metrics", "/version", "/v1/models"})  # what monitors and probes ask for
_LONGEST_HEALTH_SECONDS = 20.0
_LOOK_SECONDS = 0.05


class NotServingError(Exception):
    """Nobody listens there yet, or any more."""


async def handle(engine: Engine, request: web.BaseRequest, path: str) -> web.StreamResponse:
    """path: as the engine sees it. Raises NotServingError."""
    if not engine.serves:
        raise NotServingError(f"{engine.args.served_name} does not listen")
    plain = path.rstrip("/") or "/"
    handler = _ROUTES.get((request.method, plain))
    if handler is None:
        known = any(route == plain for _, route in _ROUTES)
        return _json({"detail": "Method Not Allowed" if known else "Not Found"}, 405 if known else 404)
    if plain.startswith("/v1") and not _may(engine, request):
        return _json({"error": "Unauthorized"}, 401)
    response = await handler(engine, request)
    if plain not in _ASIDE:
        address = request.remote or "127.0.0.1"
        engine.said.append(f'INFO:     {address}:0 - "{request.method} {plain} HTTP/1.1" {response.status}')
    return response


def _may(engine: Engine, request: web.BaseRequest) -> bool:
    key = engine.args.api_key
    told = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return not key or hmac.compare_digest(told.encode(), key.encode())


async def _health(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    """vLLM's says nothing of hangs; SGLang's makes a token, so a hung one does not answer in time."""
    del request
    if engine.args.engine == "sglang" and engine.faults.hung:
        deadline = time.monotonic() + _LONGEST_HEALTH_SECONDS
        while engine.faults.hung and time.monotonic() < deadline:  # noqa: ASYNC110  # a flag that a test sets
            await asyncio.sleep(_LOOK_SECONDS)
        return web.Response(status=503 if engine.faults.hung else 200)
    return web.Response(status=503 if engine.faults.dead else 200)


async def _version(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    return _json({"version": engine.args.version})


async def _load(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    return _json({"server_load": engine.running_now + engine.waiting_now})


async def _models(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    model = {
        "id": engine.args.served_name,
        "object": "model",
        "created": int(engine.started_at.timestamp()),
        "owned_by": engine.args.engine,
        "root": engine.args.model,
        "parent": None,
        "max_model_len": engine.args.context_tokens,
    }
    return _json({"object": "list", "data": [model]})


async def _metrics(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    del request
    if not engine.args.shows_metrics:
        return _json({"detail": "Not Found"}, 404)
    page = metrics.text(engine) if engine.args.engine == "vllm" else metrics_sglang.text(engine)
    return web.Response(body=page.encode(), headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})


async def _chat(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    return await complete(engine, request, chat=True)


async def _complete(engine: Engine, request: web.BaseRequest) -> web.StreamResponse:
    return await complete(engine, request, chat=False)


_ROUTES: dict[tuple[str, str], Handler] = {
    ("GET", "/health"): _health,
    ("GET", "/ping"): _health,
    ("POST", "/ping"): _health,
    ("GET", "/version"): _version,
    ("GET", "/load"): _load,
    ("GET", "/v1/models"): _models,
    ("GET", "/metrics"): _metrics,
    ("POST", "/v1/chat/completions"): _chat,
    ("POST", "/v1/completions"): _complete,
}


def _json(told: Json, status: int = 200) -> web.Response:
    return web.json_response(told, status=status)
