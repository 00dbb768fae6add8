"""Silences in the book: begun with an end and a reason, ended by people or the clock, remembered for a while."""

from datetime import datetime, timedelta

import msgspec

from bot.domain.errors import ConflictError, NotFoundError, UsageError
from bot.domain.incident import Book, EndSilence, SetSilence
from bot.domain.person import Asker
from bot.domain.silence import Silence
from bot.domain.text import inert

LONGEST = timedelta(days=30)
REASON_MAX = 300
KEPT = timedelta(days=30)


def begin(book: Book, intent: SetSilence, asker: Asker, now: datetime) -> tuple[Book, Silence]:
    """Raises UsageError for one without an end, a reason or a condition."""
    check(intent, now)
    made = Silence(
        number=book.next_silence,
        cluster=book.cluster,
        matchers=intent.matchers,
        because=inert(intent.because, REASON_MAX),
        by=asker.id,
        since=now,
        until=intent.until,
    )
    silences = {**_lately(book, now), made.number: made}
    return msgspec.structs.replace(book, silences=silences, next_silence=made.number + 1), made


def check(intent: SetSilence, now: datetime) -> None:
    """Raises UsageError."""
    if not intent.matchers:
        raise UsageError("A silence needs something to be silent about, such as `/gpu silence gpu-9 2h because …`.")
    if not intent.because.strip():
        raise UsageError("A silence needs a reason, such as `/gpu silence gpu-9 2h because its GPU is replaced`.")
    if intent.until <= now:
        raise UsageError("A silence needs an end that is still to come, such as `2h`.")
    if intent.until - now > LONGEST:
        raise UsageError(f"A silence lasts at most {LONGEST.days} days: it can be set again.")


def end(book: Book, intent: EndSilence, now: datetime) -> tuple[Book, Silence]:
    """Raises NotFoundError, ConflictError."""
    silence = book.silences.get(intent.number)
    if silence is None:
        raise NotFoundError(f"There is no silence {intent.number} of {book.cluster}; `/gpu silence` lists them.")
    if not silence.holds(now):
        raise ConflictError(f"Silence {intent.number} is over already.")
    ended = msgspec.structs.replace(silence, ended_at=now)
    return msgspec.structs.replace(book, silences={**book.silences, ended.number: ended}), ended


def _lately(book: Book, now: datetime) -> dict[int, Silence]:
    return {number: one for number, one in book.silences.items() if (one.ended_at or one.until) > now - KEPT}
