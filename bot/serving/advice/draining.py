"""How requests in flight end when a pod has to go: the grace period has to outlast what waits inside it.

preStop's sleep and the engine's own --shutdown-timeout (vLLM from 0.18 on) both count against
terminationGracePeriodSeconds; what is left of them then is cut off.
"""

from collections.abc import Iterator

from bot.domain.words import duration
from bot.serving.advice.advice import Advice, Remark, Setup

DEFAULT_SECONDS = 30


def judge(setup: Setup) -> Iterator[Remark]:
    grace = setup.pod.number("terminationGracePeriodSeconds")
    grace = DEFAULT_SECONDS if grace is None else grace
    drains = _whole(setup.flag("shutdown-timeout"))
    sleeps = setup.container.number("lifecycle", "preStop", "sleep", "seconds") or 0
    if drains + sleeps and grace <= drains + sleeps:
        because = f"preStop and the engine's own draining take {duration(drains + sleeps)} together"
        now, advised = duration(grace), f"more than {duration(drains + sleeps)}"
        yield Remark("terminationGracePeriodSeconds", now, advised, because)


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 7 else 0


ADVICE = Advice("draining", judge, __doc__ or "")
