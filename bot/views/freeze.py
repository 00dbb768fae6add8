"""How freezes look: what holds now, and what was begun or ended."""

from collections.abc import Sequence
from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Person, line, paragraph
from bot.domain.freeze import Freeze, SetFreeze
from bot.domain.text import inert
from bot.domain.words import duration

_UNDO = paragraph(line("What was changed before may still be undone."))


def shown(cluster: str, frozen: Sequence[Freeze] | None, now: datetime) -> Reply:
    """None: nothing is recorded here."""
    if frozen is None:
        sentence = "Freezes are kept where the bot runs: here is no record of any."
        return Reply(Answer(cause=Cause("freeze.unknown", sentence), told=False), Document((sentence,)))
    if not frozen:
        sentence = f"Changes of {inert(cluster)} are not frozen."
        hint = paragraph(line("An admin freezes them: ", Code("/gpu freeze 2h because the launch")))
        return Reply(Answer(cause=Cause("freeze.none", sentence)), Document((sentence,), (hint,)))
    until = max(one.until for one in frozen)
    sentence = f"Changes of {inert(cluster)} are frozen until {told(until, now)}."
    document = Document((sentence,), (Bullets("", tuple(_one(one, now) for one in frozen)), _UNDO))
    numbers = {"freezes": len(frozen), "until": until.isoformat()}
    return Reply(Answer(cause=Cause("freeze", sentence), numbers=numbers), document)


def preview(cluster: str, intent: SetFreeze, now: datetime) -> Reply:
    """What would come of it, with the intent."""
    if intent.until is None:
        sentence = f"Would end every freeze of {inert(cluster)}."
    else:
        sentence = f"Would freeze changes of {inert(cluster)} until {told(intent.until, now)}: {inert(intent.because)}"
    return Reply(Answer(cause=Cause("freeze.preview", sentence)), Document((sentence,)), (intent,))


def begun(cluster: str, freeze: Freeze, now: datetime) -> Document:
    verdict = f"Changes of {inert(cluster)} are frozen until {told(freeze.until, now)}."
    end = paragraph(line("An admin ends it: ", Code("/gpu freeze off")))
    return Document((verdict,), (Bullets("", (_one(freeze, now),)), _UNDO, end))


def ended(cluster: str, freezes: Sequence[Freeze], now: datetime) -> Document:
    if not freezes:
        return Document((f"Changes of {inert(cluster)} were not frozen.",))
    verdict = f"Changes of {inert(cluster)} may be made again."
    return Document((verdict,), (Bullets("Ended", tuple(_one(one, now) for one in freezes)),))


def told(when: datetime, now: datetime) -> str:
    """`14:00 UTC (in 2 h)`, with the date where it is another day."""
    text = f"{when:%H:%M} UTC" if when.date() == now.date() else f"{when:%Y-%m-%d %H:%M} UTC"
    return f"{text} (in {duration((when - now).total_seconds())})"


def _one(freeze: Freeze, now: datetime) -> Line:
    who = (Person(freeze.by),) if freeze.by else ("gpubot",)
    of = "" if freeze.cluster else " of all clusters"
    return line(f"until {told(freeze.until, now)}{of}, by ", *who, f", because {inert(freeze.because)}")
