"""Parsers of tool calls and of reasoning: without the model's own its answers come out as raw text.

vLLM needs --enable-auto-tool-choice beside the parser (vllm-project/vllm:vllm/entrypoints/openai/cli_args.py).
"""

from collections.abc import Iterator

from bot.domain.text import inert
from bot.serving.advice.advice import Advice, Remark, Setup

_ALIKE = ({"glm", "glm45", "glm47"},)  # SGLang takes all of them for one class; so does vLLM from 0.33 on


def judge(setup: Setup) -> Iterator[Remark]:
    support = setup.support
    if support is None:
        return
    for flag, wanted, what in (
        ("tool-call-parser", support.tool_parser, "tool calls"),
        ("reasoning-parser", support.reasoning_parser, "its reasoning"),
    ):
        now = setup.flag(flag)
        if not wanted or (now is None and not setup.lacks(flag)) or _same(setup, now, wanted):
            continue
        because = f"{what} would come back as plain text of the answer"
        yield Remark(flag, inert(now, 40) if now else "not set", wanted, because)
    if setup.engine == "vllm" and setup.flag("tool-call-parser") and setup.lacks("enable-auto-tool-choice"):
        because = "without it the parser of tool calls is never asked"
        yield Remark("enable-auto-tool-choice", "not set", "set", because)


def _same(setup: Setup, now: str | None, wanted: str) -> bool:
    if now is None or setup.engine != "sglang":
        return now == wanted
    return now == wanted or any({now, wanted} <= group for group in _ALIKE)


ADVICE = Advice("parsers", judge, __doc__ or "")
