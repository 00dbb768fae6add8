"""Foreign words, moments, sizes and commands as answers show them."""

from datetime import UTC
from fractions import Fraction

from bot.domain.pod import Pod
from bot.domain.quantity import parsed
from bot.domain.time import read_time
from bot.domain.words import duration
from bot.serving.mask import mask
from bot.why.case import Case
from bot.why.shell import kubectl
from bot.why.started.plain import plain

LONGEST_QUOTE = 220
_UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def quote(text: str, longest: int = LONGEST_QUOTE) -> str:
    """What a cluster wrote, in quotation marks: secrets masked, one line, capped, no backticks."""
    shown = plain(mask(text[:4000]), longest)
    return f"“{shown if shown.endswith('..') else shown.removesuffix('.')}”"


def clock(case: Case, time: str) -> str:
    """`at 11:42 (18 min ago)`; `on 2026-11-28 at 09:10` where that was on another day; nothing for no time."""
    moment = read_time(time)
    if moment is None:
        return ""
    moment = moment.astimezone(UTC)
    seconds = case.age_seconds(time) or 0.0
    if moment.date() != case.now.astimezone(UTC).date():
        return f"on {moment:%Y-%m-%d} at {moment:%H:%M}"
    return f"at {moment:%H:%M} ({duration(max(1.0, seconds))} ago)"


def lasted(seconds: float | None) -> str:
    """` for 8 min`; nothing where it is not known."""
    return "" if seconds is None else f" for {duration(max(1.0, seconds))}"


def it(case: Case) -> str:
    """The pod that is looked at: `it` where it was asked about, its name where its owner was."""
    return "it" if case.pod is None or case.subject.pod is not None else f"pod {case.pod.name}"


def of_it(case: Case) -> str:
    """` of glm-0` after a container's name, where the pod's owner was asked about."""
    return "" if case.pod is None or case.subject.pod is not None else f" of {case.pod.name}"


def exactly(seconds: float) -> str:
    """`150 s`, and `31 min` from ten minutes on: budgets are compared with figures in a manifest."""
    return f"{seconds:.0f} s" if seconds < 600 else duration(seconds)


def size(quantity: str | Fraction | int) -> str:
    """`55.2 GiB`; a text that is no quantity is shown as it is."""
    number = parsed(quantity) if isinstance(quantity, str) else quantity
    if number is None:
        return plain(str(quantity), 40)
    for unit, factor in _UNITS:
        if number >= factor:
            amount = f"{float(number / factor):.1f}" if isinstance(number, Fraction) else f"{number / factor:.1f}"
            return f"{amount.removesuffix('.0')} {unit}"
    return f"{int(number)} B"


def delete_pod(pod: Pod) -> str:
    return kubectl("-n", pod.namespace, "delete", "pod", pod.name)
