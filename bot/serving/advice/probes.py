"""Probes that a busy engine fails: SGLang's /health makes a token, and answers late under load.

sgl-project/sglang:python/sglang/srt/entrypoints/http_server.py (SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION).
"""

from collections.abc import Iterator

from bot.domain.words import duration
from bot.serving.advice.advice import Advice, Remark, Setup

_LEAST_SECONDS = {"sglang": 20, "vllm": 5}


def judge(setup: Setup) -> Iterator[Remark]:
    probe = setup.container.at("livenessProbe")
    least = _LEAST_SECONDS.get(setup.engine)
    if not probe or least is None:
        return
    timeout = probe.number("timeoutSeconds") or 1
    if timeout < least:
        because = "a busy engine answers late, and would be killed for it"
        yield Remark("liveness probe's timeout", duration(timeout), duration(least), because)


ADVICE = Advice("probes", judge, __doc__ or "")
