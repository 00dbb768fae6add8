"""The root message of an incident, edited in place: what, since when, whom it hits, who has it, what to do now."""

from collections.abc import Iterator
from datetime import datetime

from bot.domain.alert import Content, Hit
from bot.domain.document import Bold, Button, Document, Line, Paragraph, Person, Span, paragraph, sentence
from bot.domain.incident import Incident, IncidentState
from bot.domain.severity import Severity
from bot.domain.text import inert
from bot.domain.words import capped, clock, count, duration, names

ASK = "ask"  # a button that asks its value as if it were typed
TITLE_MAX, LINE_MAX, HITS = 300, 300, 4
_ICONS = {Severity.CRITICAL: "🔴", Severity.WARNING: "🟠", Severity.INFO: "🔵"}
_DRAINED = "gpu. memory. links. fabric. heat. driver. node.".split()


def root(incident: Incident) -> Document:
    """As it stands."""
    if incident.state is IncidentState.MERGED:
        return _merged(incident)
    if incident.state.over:
        return _over(incident)
    content = incident.content
    head = f"{_ICONS[content.severity]} {content.severity}, {inert(incident.cluster)}: {title(content)}"
    verdict = (f"{head}{_lacks(content)}",)
    lines = (_standing(incident), *_effect(content), *_now(content), *_notes(incident))
    return Document(verdict, (Paragraph(lines),), (f"incident {incident.number}",), tuple(buttons(incident)))


def title(content: Content) -> str:
    return capped(inert(content.title, TITLE_MAX).rstrip("."), TITLE_MAX)


def who(incident: Incident) -> Line:
    return (Person(incident.taken_by), " has it") if incident.taken_by else ("nobody has it yet",)


def since(incident: Incident) -> datetime:
    """When it began, which may be before anybody saw it."""
    began = incident.content.since
    return min(began, incident.opened_at) if began else incident.opened_at


def hit(one: Hit) -> str:
    """`llm/glm has 3 of 4 replicas Ready (25 % less, 8 GPUs concerned, 12 % of all tokens)`."""
    lost = [f"{1 - one.ready / one.wanted:.0%} less capacity"] if 0 <= one.ready < one.wanted else []
    lost += [f"{count(one.gpus, 'GPU')} concerned"] if one.gpus else []
    if one.tokens_share is not None:
        lost.append(f"{one.tokens_share:.0%} of all tokens")
    told = f" ({', '.join(lost)})" if lost else ""
    if not one.wanted:
        return f"{inert(one.owner)} cannot make its pods{told}"
    return f"{inert(one.owner)} has {one.ready} of {count(one.wanted, 'replica')} Ready{told}"


def buttons(incident: Incident) -> Iterator[Button]:
    """At most four. What changes something is only asked for here: it is shown and approved like anything typed."""
    number, at = incident.number, f"@{incident.cluster}"
    if not incident.taken_by:
        yield Button("Take it", ASK, f"incident take {number} {at}", f"Take incident {number}")
    content = incident.content
    if len(content.nodes) == 1 and content.cause.startswith(tuple(_DRAINED)):
        node = content.nodes[0]
        line = f"node drain {node} because incident {number} {at}"
        yield Button(f"Drain {node}…", ASK, line, f"See what draining {node} would do")
    elif content.hits:
        name = content.hits[0].owner
        yield Button("Why…", ASK, f"why {name.partition('/')[2]} {at}", f"Ask why {name} does not work")
    if not incident.silence:
        line = f"silence incident={number} 2h {at} because"  # a line that ends so is asked for its reason
        yield Button("Silence 2 h…", ASK, line, f"Say nothing of incident {number} for two hours")
    yield Button("Details", ASK, f"incident {number} {at}", f"Everything about incident {number}")


def _lacks(content: Content) -> str:
    """`, glm-prod has 3 of 4 replicas`: whom it costs most, in the one line that a notification shows."""
    lacking = next((one for one in content.hits if one.ready < one.wanted), None)
    if lacking is None:
        return ""
    name = inert(lacking.owner).rpartition("/")[2]
    return f", {name} has {lacking.ready} of {count(lacking.wanted, 'replica')}"


def _standing(incident: Incident) -> Line:
    began = clock(since(incident), incident.opened_at)
    state = "" if incident.state in (IncidentState.OPEN, IncidentState.ACKNOWLEDGED) else f" · {incident.state}"
    again = f" · came back {count(incident.reopened, 'time')}" if incident.reopened else ""
    mention: tuple[Span, ...] = (" · ", Person(incident.mention)) if incident.mention else ()
    return (f"since {began}{state}{again} · ", *who(incident), *mention)


def _effect(content: Content) -> Iterator[Line]:
    told = [hit(one) for one in content.hits[:HITS]]
    if len(content.hits) > HITS:
        told.append(f"{len(content.hits) - HITS:,} more owners")
    named = tuple(f"service {one.owner} " for one in content.hits) or ("-",)
    other = [one for one in content.effect if one.startswith(("service ", "no GPU pod")) and not one.startswith(named)]
    text = "; ".join((*told, *other)) or "; ".join(content.effect)
    if text:
        yield (Bold("Effect: "), *sentence(capped(inert(text, 4 * LINE_MAX), LINE_MAX)), ".")


def _now(content: Content) -> Iterator[Line]:
    if content.remedies:
        first = content.remedies[0]
        yield (Bold("Now: "), *sentence(capped(first.action.rstrip("."), LINE_MAX)), ".")


def _notes(incident: Incident) -> Iterator[Line]:
    if incident.known:
        yield (f"Seen before: {names([f'incident {one}' for one in incident.known])}.",)
    if incident.silence:
        yield (f"Silence {incident.silence} holds: what changes is not told.",)


def _over(incident: Incident) -> Document:
    ended = incident.ended_at or incident.opened_at
    lasted = duration(max(0.0, (ended - since(incident)).total_seconds()))
    state = "over" if incident.resolved_at else "closed by a person"
    verdict = (f"🟢 {state}, {inert(incident.cluster)}: {title(incident.content)}",)
    taken: Line = ("took: ", Person(incident.taken_by)) if incident.taken_by else ("nobody took it",)
    told = (
        f"lasted {lasted}, until {clock(ended, incident.opened_at)} · ",
        *taken,
        f" · cause: {incident.content.cause}",
    )
    report = Button(
        "Report", ASK, f"incident report {incident.number} @{incident.cluster}", f"Report of incident {incident.number}"
    )
    return Document(verdict, (paragraph(told),), (f"incident {incident.number}",), (report,))


def _merged(incident: Incident) -> Document:
    verdict = (f"⚪ part of incident {incident.into}, {inert(incident.cluster)}: {title(incident.content)}",)
    return Document(verdict, footer=(f"incident {incident.number}",))
