"""How silences look: those that hold, one that would begin, began or ended, and what it silences now."""

from datetime import datetime

from bot.alerts.silence import fits
from bot.command import Reply
from bot.domain.alert_state import Phase
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Part, Person, paragraph
from bot.domain.incident import Book, EndSilence, SetSilence
from bot.domain.silence import Silence
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.views.freeze import told

FITTING = 5


def show(book: Book, now: datetime) -> Reply:
    held = sorted(book.standing_silences(now), key=lambda one: one.until)
    if not held:
        verdict = f"Nothing of {inert(book.cluster)} is silenced."
        hint = paragraph(("For example: ", Code("/gpu silence gpu-9 2h because its GPU is replaced")))
        return Reply(Answer(cause=Cause("silence.none", verdict)), Document((verdict,), (hint,)))
    holds = "holds" if len(held) == 1 else "hold"
    verdict = f"{count(len(held), 'silence')} of {inert(book.cluster)} {holds}."
    lines = tuple(_line(one, book, now) for one in held)
    end = paragraph(("To end one: ", Code(f"/gpu silence end {held[0].number}")))
    numbers = {"silences": [{"number": one.number, "what": one.what, "until": one.until.isoformat()} for one in held]}
    return Reply(
        Answer(cause=Cause("silence.some", verdict), numbers=numbers), Document((verdict,), (Bullets("", lines), end))
    )


def preview(book: Book, silence: Silence, intent: SetSilence, now: datetime) -> Reply:
    """What it would silence now, with the intent."""
    what = f"Would say nothing of {inert(silence.what)} until {told(silence.until, now)}."
    return Reply(Answer(cause=Cause("silence.preview", what)), Document((what,), (_now(silence, book),)), (intent,))


def ending(silence: Silence, intent: EndSilence) -> Reply:
    what = f"Would end silence {silence.number} of {inert(silence.what)}."
    return Reply(Answer(cause=Cause("silence.preview", what)), Document((what,)), (intent,))


def begun(silence: Silence, book: Book, now: datetime) -> Document:
    verdict = f"Silence {silence.number}: nothing is said of {inert(silence.what)} until {told(silence.until, now)}."
    end = paragraph(("To end it before: ", Code(f"/gpu silence end {silence.number}")))
    return Document((verdict,), (_now(silence, book), end))


def ended(silence: Silence, now: datetime) -> Document:
    return Document((f"Silence {silence.number} of {inert(silence.what)} is over: what still fires is told again.",))


def _now(silence: Silence, book: Book) -> Part:
    """Silencing nothing may be meant: the fault is yet to come. It may also be a slip of the pen."""
    subjects = [
        f"{one.alert.cause} of {one.alert.subject}"
        for one in book.alerts.alerts.values()
        if one.phase is not Phase.GONE and fits(silence, one)
    ]
    if not subjects:
        return paragraph(("Nothing that fires now fits it.",))
    return paragraph(
        (f"It fits {count(len(subjects), 'alert')} now: {names([inert(one) for one in subjects], FITTING)}.",)
    )


def _line(one: Silence, book: Book, now: datetime) -> Line:
    fitting = sum(1 for other in book.alerts.alerts.values() if other.silence == one.number)
    head = f"{one.number}: {inert(one.what)} until {told(one.until, now)}, {count(fitting, 'alert')} now, by "
    return (head, Person(one.by), f", because {inert(one.because)}")
