"""Who used a model lately, as far as its engines tell: how many requests, never whose."""

from collections.abc import Iterator

from bot.domain.words import count, duration
from bot.serving.figures import Figures
from bot.views.model_words import number

WANTED_SECONDS = 3_600.0


def used(seen: Figures) -> Iterator[str]:
    """What it did in the time that is seen."""
    if not seen.known or seen.ended is None or not seen.seconds:
        return
    rate = f", at {number(seen.tokens_per_second)} tokens/s" if seen.tokens_per_second else ""
    least = "at least " if seen.partial else ""
    if seen.ended or seen.running or seen.waiting:
        busy = round((seen.running or 0) + (seen.waiting or 0))
        now = f"{busy:,} {'is' if busy == 1 else 'are'} there{rate}" if busy else "none is there"
        done = count(round(seen.ended), "request")
        yield f"In the last {duration(seen.seconds)} it answered {least}{done}; now {now}"
    else:
        yield f"In the last {duration(seen.seconds)} nobody asked it anything"


def not_seen(seen: Figures) -> Iterator[str]:
    """What of the last hour is not known."""
    if not seen.known or seen.ended is None or not seen.seconds:
        yield "who used it in the last hour: its engines told nothing that is kept here"
        return
    if seen.seconds < WANTED_SECONDS:
        yield f"the rest of the last hour: {duration(seen.seconds)} of metrics are kept"
    yield "who asked: engines count requests and do not tell their callers"
