"""A post-mortem draft as a document, and as Markdown to be filled in."""

from collections.abc import Iterator

from bot.domain.document import Bullets, Document, Line, Part, Table, paragraph, table
from bot.domain.incident import Entry
from bot.domain.text import inert
from bot.domain.words import clock, count, duration, names
from bot.incidents.report import Report
from bot.views.incident_root import hit, title
from bot.views.shortened import shortened

_ASKS = (
    "Why could it happen, and why was nothing in its way?",
    "What made it shorter, and what longer?",
    "What will be changed, by whom, until when?",
)


def document(told: Report) -> Document:
    incident = told.incident
    verdict = (f"Report of incident {incident.number}, {inert(incident.cluster)}: {title(incident.content)}",)
    return shortened(Document(verdict, tuple(_parts(told)), ("a draft from what gpubot saw: people write the rest",)))


def _parts(told: Report) -> Iterator[Part]:
    incident = told.incident
    yield _times(told)
    yield Bullets("What it hit", tuple(_hits(told)) or (("nobody that is known",),))
    yield Bullets("Cause, as far as gpubot can tell", ((f"{incident.content.cause}: {title(incident.content)}",),))
    if incident.before:
        yield Bullets("Changed shortly before", tuple((inert(one),) for one in incident.before))
    yield Bullets("What people did", tuple(_line(told, one) for one in told.deeds) or (("nothing that was noted",),))
    yield Bullets("Timeline", tuple(_line(told, one) for one in incident.timeline))
    if told.parts:
        merged = [f"incident {one.number}: {title(one.content)}" for one in told.parts]
        yield Bullets("Merged into it", tuple((one,) for one in merged))
    yield Bullets("For people to answer", tuple((one,) for one in _ASKS))
    if told.people:
        yield paragraph((f"People: {names(list(told.people), 20)}.",))


def _times(told: Report) -> Table:
    times = told.times
    rows = [("first seen", duration(times.seen) if times.seen else "at once")]
    rows += [("taken", _after(times.taken)), ("mitigated", _after(times.mitigated)), ("over", _after(times.ended))]
    if told.incident.reopened:
        rows.append(("came back", count(told.incident.reopened, "time")))
    return table(("", "after the first sign"), rows)


def _after(seconds: float | None) -> str:
    return "not" if seconds is None else duration(seconds)


def _hits(told: Report) -> Iterator[Line]:
    incident = told.incident
    now = {one.owner: one for one in incident.content.hits}
    for owner in dict.fromkeys((*incident.hit, *now)):
        yield (hit(now[owner]) if owner in now and not incident.state.over else f"{inert(owner)} lacked replicas",)


def _line(told: Report, entry: Entry) -> Line:
    who = f"{inert(entry.name or entry.by)} " if entry.by else ""
    note = "notes: " if entry.what == "noted" else ""
    return (
        f"{clock(entry.at, told.incident.opened_at)} {who}{note}{inert(entry.says)} {inert(entry.given_to)}".strip(),
    )


def markdown(told: Report) -> str:
    """The whole of it, however long."""
    incident = told.incident
    lines = [f"# Incident {incident.number} ({_plain(incident.cluster)}): {_plain(title(incident.content))}", ""]
    for part in _parts(told):
        lines += [*_markdown(part), ""]
    return "\n".join(lines)


def _markdown(part: Part) -> list[str]:
    match part:
        case Bullets(heading, lines):
            return [f"## {heading}", "", *(f"- {_plain(''.join(map(str, line)))}" for line in lines)]
        case Table(columns, rows):
            head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
            return [*head, *(f"| {' | '.join(map(_plain, row))} |" for row in rows)]
        case _:
            return ["".join(_plain(str(span)) for span in line) for line in part.lines]


def _plain(text: str) -> str:
    """No word of a cluster becomes markup."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>#|!" else one for one in text)
