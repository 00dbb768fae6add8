"""The JSON of completions, whole and as events (vllm-project/vllm:vllm/entrypoints/openai/protocol.py)."""

import json
from collections.abc import Iterator
from typing import Any

from bot.local.engine.wishes import Wish

Json = dict[str, Any]


def whole(wish: Wish, ident: str, model: str, created: int) -> Json:
    """One answer in one piece."""
    choice: Json = {"index": 0, "finish_reason": wish.finish, "logprobs": None, "stop_reason": None}
    if wish.chat:
        choice["message"] = _message(wish, ident)
    else:
        choice["text"] = " ".join(wish.words)
    kind = "chat.completion" if wish.chat else "text_completion"
    return {**_head(ident, kind, model, created), "choices": [choice], "usage": usage(wish)}


def usage(wish: Wish) -> Json:
    made = wish.tokens
    return {
        "prompt_tokens": wish.prompt_tokens,
        "completion_tokens": made,
        "total_tokens": wish.prompt_tokens + made,
        "prompt_tokens_details": None,
    }


def deltas(wish: Wish, ident: str) -> Iterator[Json]:
    """What each token adds to a streamed answer."""
    for index, word in enumerate(wish.thought):
        yield {"reasoning_content": word if index == 0 else f" {word}"}
    if wish.tool:
        yield from _call_deltas(wish, ident)
        return
    for index, word in enumerate(wish.words):
        yield {"content": word if index == 0 else f" {word}"}


def chunk(wish: Wish, ident: str, model: str, created: int, delta: Json, finish: str | None = None) -> Json:
    """One event. delta: what it adds."""
    choice: Json = {"index": 0, "logprobs": None, "finish_reason": finish}
    if wish.chat:
        choice["delta"] = delta
    else:
        choice["text"] = delta.get("content", "")
    kind = "chat.completion.chunk" if wish.chat else "text_completion"
    return {**_head(ident, kind, model, created), "choices": [choice]}


def last_chunk(wish: Wish, ident: str, model: str, created: int) -> Json:
    """How many tokens it was: an event without a choice."""
    kind = "chat.completion.chunk" if wish.chat else "text_completion"
    return {**_head(ident, kind, model, created), "choices": [], "usage": usage(wish)}


def _head(ident: str, kind: str, model: str, created: int) -> Json:
    return {"id": ident, "object": kind, "created": created, "model": model}


def _message(wish: Wish, ident: str) -> Json:
    thought = " ".join(wish.thought) if wish.thought else None
    calls = [_call(wish.tool, ident)] if wish.tool else []
    content = None if calls or not wish.words else " ".join(wish.words)
    return {"role": "assistant", "content": content, "reasoning_content": thought, "tool_calls": calls}


def _call(tool: Json, ident: str) -> Json:
    function = {"name": tool["name"], "arguments": _arguments(tool)}
    return {"id": ident.replace("chatcmpl", "call"), "type": "function", "function": function}


def _call_deltas(wish: Wish, ident: str) -> Iterator[Json]:
    """The name first, then the arguments piece by piece: as many as there are tokens."""
    call = _call(wish.tool or {}, ident)
    arguments = call["function"]["arguments"]
    yield {"tool_calls": [{"index": 0, **call, "function": {"name": call["function"]["name"], "arguments": ""}}]}
    pieces = len(wish.words) - 1
    for piece in range(pieces):
        part = arguments[len(arguments) * piece // pieces : len(arguments) * (piece + 1) // pieces]
        yield {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}


def _arguments(tool: Json) -> str:
    """Each parameter filled in, by its type."""
    parameters = tool.get("parameters")
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    told = known if isinstance(known, dict) else {}
    return json.dumps({name: _filled(kind if isinstance(kind, dict) else {}) for name, kind in told.items()})


def _filled(kind: Json) -> object:
    values = kind.get("enum")
    if isinstance(values, list) and values:
        return values[0]
    return {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}.get(
        str(kind.get("type")), "Berlin"
    )
