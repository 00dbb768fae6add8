"""What a request for a completion asks for, read from its JSON; what an engine would refuse is refused alike.

vllm-project/vllm:vllm/entrypoints/openai/protocol.py, serving_chat.py
"""

from dataclasses import dataclass
from typing import Any

from bot.local.engine.arguments import EngineArgs

Json = dict[str, Any]
ANSWER = "The GPUs of this cluster are simulated and so is this answer but its tokens came over real HTTP".split()
THOUGHT = "The user wants an answer and I have none of my own so I shall say what I am".split()
_MOST_TOKENS = 4096
_CALL_TOKENS = 12


class RefusedError(Exception):
    """`status` and `kind` as the engine's error has them."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


@dataclass(frozen=True, slots=True)
class Wish:
    """`thought`, `words`: tokens to come, one each. tool: the function to call, where one is to be called."""

    chat: bool
    prompt_tokens: int
    thought: tuple[str, ...]
    words: tuple[str, ...]
    finish: str
    tool: Json | None = None
    streams: bool = False
    tells_usage: bool = False

    @property
    def tokens(self) -> int:
        return len(self.thought) + len(self.words)


def wish_of(body: object, args: EngineArgs, *, chat: bool) -> Wish:
    """Raises RefusedError."""
    if not isinstance(body, dict) or not isinstance(body.get("messages" if chat else "prompt"), list | str):
        raise RefusedError(400, "BadRequestError", f"Field required: {'messages' if chat else 'prompt'}")
    if body.get("model") not in (None, args.served_name):
        raise RefusedError(404, "NotFoundError", f"The model `{body['model']}` does not exist.")
    tool = _tool(body, args) if chat else None
    prompt = _prompt_tokens(body)
    asked = _asked(body, args, prompt)
    thought = _thought(body, args) if chat else ()
    most = 16 if asked is None and not chat else asked if asked is not None else _MOST_TOKENS
    thought, left = thought[:most], max(0, most - len(thought))
    words, whole = _words(left, tool, endless=body.get("ignore_eos") is True and asked is not None)
    finish = "length" if not whole else "tool_calls" if tool else "stop"
    options = body.get("stream_options")
    return Wish(
        chat, prompt, thought, words, finish, tool if whole or not tool else None, body.get("stream") is True,
        isinstance(options, dict) and options.get("include_usage") is True,
    )  # fmt: skip


def _words(left: int, tool: Json | None, *, endless: bool) -> tuple[tuple[str, ...], bool]:
    """At most `left`, and whether they are all."""
    if endless and not tool:
        return tuple(ANSWER[n % len(ANSWER)] for n in range(left)), False
    whole = tuple(ANSWER[:_CALL_TOKENS]) if tool else tuple(ANSWER)
    return whole[:left], left >= len(whole)


def _thought(body: Json, args: EngineArgs) -> tuple[str, ...]:
    """GLM thinks unless it is told not to."""
    options = body.get("chat_template_kwargs")
    off = isinstance(options, dict) and options.get("enable_thinking") is False
    return () if off or not args.reasoning_parser else tuple(THOUGHT)


def _asked(body: Json, args: EngineArgs, prompt: int) -> int | None:
    """Tokens at most; None where the request does not say."""
    asked = body.get("max_completion_tokens") or body.get("max_tokens")
    if asked is None:
        told = prompt
    elif not isinstance(asked, int) or isinstance(asked, bool) or asked < 1:
        raise RefusedError(400, "BadRequestError", f"max_tokens must be at least 1, got {asked}.")
    else:
        told = prompt + asked
    if told > args.context_tokens:
        longest = f"This model's maximum context length is {args.context_tokens} tokens."
        raise RefusedError(400, "BadRequestError", f"{longest} However, you requested {told} tokens.")
    return None if asked is None else min(asked, _MOST_TOKENS)


def _tool(body: Json, args: EngineArgs) -> Json | None:
    """The function that is called: the one that is named, else the first."""
    tools, choice = body.get("tools"), body.get("tool_choice", "auto")
    if not isinstance(tools, list) or not tools or choice == "none":
        return None
    if choice == "auto" and not args.tool_parser:
        told = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        raise RefusedError(400, "BadRequestError", told)
    functions = [one["function"] for one in tools if isinstance(one, dict) and isinstance(one.get("function"), dict)]
    named = choice["function"].get("name") if isinstance(choice, dict) and "function" in choice else None
    found = next((one for one in functions if named in (None, one.get("name"))), None)
    if found is None or not isinstance(found.get("name"), str):
        raise RefusedError(400, "BadRequestError", "tool_choice names no function of tools")
    return dict(found)


def _prompt_tokens(body: Json) -> int:
    """A word is a token."""
    told = body.get("messages") or [{"content": body.get("prompt", "")}]
    return max(1, sum(len(str(one.get("content", "")).split()) for one in told if isinstance(one, dict)))
