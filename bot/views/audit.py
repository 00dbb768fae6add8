"""How the audit looks: one line a row, the newest first, since the last lines give way where there is no room."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.audit import AuditRow, Happened
from bot.domain.document import Bullets, Code, Document, Line, Person, Span
from bot.domain.text import inert
from bot.domain.words import count
from bot.views.shortened import shortened

_WORDS = {
    Happened.PROPOSED: "asked for",
    Happened.APPROVED: "approved",
    Happened.MOVED: "",
    Happened.STEP: "did",
    Happened.REFUSED: "was refused",
    Happened.CLICK_REFUSED: "clicked and was refused",
    Happened.CLICK_STALE: "clicked too late",
    Happened.DENIED: "was denied by the cluster",
    Happened.FROZEN: "froze changes",
    Happened.THAWED: "ended a freeze",
    Happened.MEASURED: "measured",
    Happened.UNREADABLE: "",
}
_CHECK = "gpubot audit verify tells whether any was changed"


def show(rows: Sequence[AuditRow], last: int, *, whole: bool, now: datetime) -> Reply:
    """`whole`: no change or person was asked about."""
    newest = rows[-last:]
    if not newest:
        sentence = "Nothing was asked for or done yet." if whole else "Nothing of that is among the newest rows."
        return Reply(Answer(cause=Cause("audit.none", sentence)), Document((sentence,)))
    refused = sum(row.event.what in (Happened.REFUSED, Happened.CLICK_REFUSED, Happened.DENIED) for row in newest)
    sentence = f"{count(len(newest), 'row')} of the audit, {refused:,} of them refusals."
    lines = tuple(_line(row, now) for row in reversed(newest))
    footer = (f"rows {newest[0].number:,} to {newest[-1].number:,}, the newest first", _CHECK)
    answer = Answer(
        cause=Cause("audit", sentence), numbers={"rows": [_plain(row) for row in newest], "refused": refused}
    )
    return Reply(answer, shortened(Document((sentence,), (Bullets("", lines),), footer)))


def _line(row: AuditRow, now: datetime) -> Line:
    event = row.event
    when = f"{event.at:%H:%M:%S}" if event.at.date() == now.date() else f"{event.at:%Y-%m-%d %H:%M}"
    who: Span = Person(event.person) if event.person else "gpubot"
    word = _WORDS[event.what]
    told = f" {word}: {inert(event.says)}" if word else f": {inert(event.says)}"
    change = f" (change {event.change})" if event.change else ""
    audit_id: tuple[Span, ...] = (" · ", Code(inert(event.audit_id, 40))) if event.audit_id else ()
    return (f"{when} ", who, told + change, *audit_id)


def _plain(row: AuditRow) -> dict[str, Any]:
    event = row.event
    return {
        "number": row.number,
        "what": str(event.what),
        "at": event.at.isoformat(),
        "person": event.person,
        "change": event.change,
        "says": event.says,
        "message": event.message,
        "audit_id": event.audit_id,
    }
