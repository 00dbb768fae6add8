"""What would be: a pod under other circumstances (`if …`), a pod that does not exist yet (`fits …`)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from bot.domain.document import Bullets, Part, line, paragraph, sentence, table
from bot.domain.text import natural
from bot.domain.words import capped, count, names
from bot.why.fitting import Fitting
from bot.why.trial import Trial

VERDICT_MAX, AWAY_SHOWN, FREE_SHOWN = 900, 5, 8
WHAT = "something before the scheduler keeps it"  # where no filter says why


def of_trial(result: Trial) -> str:
    """Yes or no, and what is then in the way."""
    words = " and ".join(change.words for change in result.changes)
    pod = result.pod.key
    if not result.fits:
        still = result.still.sentence if result.still else result.verdict.message if result.verdict else ""
        return _capped(f"No: {words}, {pod} still waits: {(still or WHAT).rstrip('.')}.")
    if result.before:
        return _capped(f"{pod} fits on {names(result.before)} already; {words}, it would fit on {names(result.fits)}.")
    return _capped(f"Yes: {words}, {pod} fits on {names(result.fits)}.")


def behind_trial(result: Trial) -> Iterator[Part]:
    if not result.fits and result.still and result.still.evidence:
        yield Bullets("What shows it", tuple(sentence(_capped(text)) for text in result.still.evidence))
    yield paragraph(line("Tried on a copy of the cluster; nothing was changed."))


def of_fitting(result: Fitting) -> str:
    """Yes, no, or how many of them."""
    what = f"{result.gpus} {result.title}" if result.title else count(result.gpus, "GPU")
    one = f"a pod with {what}"
    all_ = one if result.count == 1 else f"{result.count} pods of {what} each"
    if result.fits:
        return _capped(f"Yes: {all_} {'fits' if result.count == 1 else 'fit'} now, on {_places(result.placed)}.")
    if result.placed:
        fit = "fits" if len(result.placed) == 1 else "fit"
        then = f"no node has {result.gpus} free after that"
        return _capped(f"Only {len(result.placed)} of {all_} {fit} now, on {_places(result.placed)}: {then}.")
    not_now = f"{one} does not fit now" if result.count == 1 else f"none of {all_} fits now"
    return _capped(f"No: {not_now}: {_left(result)}.")


def _left(result: Fitting) -> str:
    """What is free, and why that is not enough."""
    total = sum(result.free.values())
    if not total:
        return f"none of them is free on {count(len(result.free), 'node')}" if result.free else "there is none"
    return f"{total} {'is' if total == 1 else 'are'} free, at most {result.largest} on one node"


def _places(placed: Sequence[str]) -> str:
    """`gpu-1 (2) and gpu-2`: how many on each, where it is more than one."""
    many = Counter(placed)
    return names([f"{name} ({number})" if number > 1 else name for name, number in many.items()])


def behind_fitting(result: Fitting) -> Iterator[Part]:
    if result.away and not result.fits:
        rows = [f"{name}: {why}" for name, why in result.away.items()]
        kept = tuple(sentence(_capped(row)) for row in rows[:AWAY_SHOWN])
        more = ((f"and {count(len(rows) - AWAY_SHOWN, 'more node')}",),) if len(rows) > AWAY_SHOWN else ()
        yield Bullets("Has room, but not for ordinary pods", (*kept, *more))
    free = sorted(result.free.items(), key=lambda pair: (-pair[1], natural(pair[0])))
    rows_free = [pair for pair in free if pair[1]]
    if not result.fits and rows_free:
        left = len(rows_free) - FREE_SHOWN
        more_free = f"and {count(left, 'more node')}" if left > 0 else ""
        yield table(("node", "free"), rows_free[:FREE_SHOWN], numeric=(1,), more=more_free)
    yield paragraph(line("Counted for a pod that asks for nothing but GPUs and tolerates what GPU pods usually do."))


def _capped(text: str) -> str:
    return capped(text, VERDICT_MAX)
