"""What people do with incidents: take, hand on, note, merge, close, open again. Each is a book in and a book out.

What is refused says why. Nobody's deed makes an alert forgotten: what is closed while it fires is told again when it
comes back after it was gone.
"""

from datetime import datetime
from typing import Any

import msgspec

from bot.domain.errors import ConflictError, NotFoundError, UsageError
from bot.domain.incident import Book, Deed, Happening, Incident, ManageIncident
from bot.domain.person import Asker
from bot.domain.text import inert
from bot.incidents import table
from bot.incidents.follow import noted

TEXT_MAX = 1_000


def do(book: Book, intent: ManageIncident, asker: Asker, now: datetime) -> Book:
    """Raises NotFoundError, ConflictError, UsageError: then nothing is changed."""
    incident = found(book, intent.number)
    text = inert(intent.text, TEXT_MAX)
    match intent.deed:
        case Deed.TAKE:
            return _take(book, incident, asker, now)
        case Deed.HAND:
            return _hand(book, incident, intent.person, asker, now)
        case Deed.NOTE:
            if not text:
                raise UsageError(f"Say what to note, such as `/gpu incident note {intent.number} power is back`.")
            return _step(book, incident, Happening.NOTED, text, asker, now)
        case Deed.MERGE:
            return _merge(book, incident, found(book, intent.other), asker, now)
        case Deed.CLOSE:
            return _close(book, incident, text, asker, now)
        case Deed.REOPEN:
            return _reopen(book, incident, text, asker, now)


def found(book: Book, number: int) -> Incident:
    """Raises NotFoundError."""
    incident = book.incidents.get(number)
    if incident is None:
        raise NotFoundError(f"There is no incident {number} of {book.cluster}; `/gpu incident` lists them.")
    return incident


def _take(book: Book, incident: Incident, asker: Asker, now: datetime) -> Book:
    if incident.taken_by == asker.id and not incident.state.over:
        raise ConflictError(f"You have incident {incident.number} already.")
    says = "took it over" if incident.taken_by else "took it"
    return _given(book, incident, Happening.TAKEN, asker.id, says, asker, now)


def _hand(book: Book, incident: Incident, person: str, asker: Asker, now: datetime) -> Book:
    if not person:
        raise UsageError(f"Say to whom, such as `/gpu incident hand {incident.number} @ana`.")
    return _given(book, incident, Happening.HANDED, person, "handed it to", asker, now)


def _given(book: Book, incident: Incident, what: Happening, to: str, says: str, asker: Asker, now: datetime) -> Book:
    first = incident.taken_at or now
    changed = {"taken_by": to, "workspace": asker.workspace, "taken_at": first, "quiet": ""}
    named = to if what is Happening.HANDED else ""
    after = _step(book, incident, what, says, asker, now, given_to=named, **changed)
    return _group(after, incident.number, quiet="")


def _merge(book: Book, incident: Incident, into: Incident, asker: Asker, now: datetime) -> Book:
    """Its alerts are told with those of the other from now on, and stay together."""
    if incident.number == into.number:
        raise UsageError(f"Incident {incident.number} is the same as itself already.")
    if into.state.over:
        raise ConflictError(
            f"Incident {into.number} is {into.state}: merge {into.number} into {incident.number} instead."
        )
    after = _step(book, incident, Happening.MERGED, f"with incident {into.number}", asker, now, into=into.number)
    after = _step(after, into, Happening.ABSORBED, f"incident {incident.number}", asker, now)
    alerts = {
        name: msgspec.structs.replace(one, incident=into.number) if one.incident == incident.number else one
        for name, one in after.alerts.alerts.items()
    }
    groups = {number: one for number, one in after.alerts.groups.items() if number != incident.number}
    kept = _with_groups(after, groups, alerts=alerts)
    return _group(kept, into.number, pinned=True)


def _close(book: Book, incident: Incident, text: str, asker: Asker, now: datetime) -> Book:
    says = f"closed it{f': {text}' if text else ''}"
    after = _step(book, incident, Happening.CLOSED, says, asker, now, closed_at=now)
    return _group(after, incident.number, closed=True)


def _reopen(book: Book, incident: Incident, text: str, asker: Asker, now: datetime) -> Book:
    """Where nothing of it fires any more, it is over again at the next look, unless somebody finds out otherwise."""
    says = f"opened it again{f': {text}' if text else ''}"
    if incident.number not in book.alerts.groups:
        raise ConflictError(f"Nothing of incident {incident.number} fires or fired lately: a note can be added to it.")
    after = _step(book, incident, Happening.REOPENED, says, asker, now, closed_at=None, resolved_at=None)
    return _group(after, incident.number, closed=False, resolved_at=None)


def _step(
    book: Book,
    incident: Incident,
    what: Happening,
    says: str,
    asker: Asker,
    now: datetime,
    *,
    given_to: str = "",
    **changed: Any,
) -> Book:
    taken = bool(changed.get("taken_by") or incident.taken_by)
    state = table.after(incident.state, what, taken=taken, number=incident.number)
    reopened = incident.reopened + (what is Happening.REOPENED)
    told = msgspec.structs.replace(incident, state=state, reopened=reopened, **changed)
    after = noted(told, now, what, says, by=asker.id, name=asker.name, given_to=given_to)
    return msgspec.structs.replace(book, incidents={**book.incidents, incident.number: after})


def _group(book: Book, number: int, **changed: Any) -> Book:
    group = book.alerts.groups.get(number)
    if group is None:
        return book
    return _with_groups(book, {**book.alerts.groups, number: msgspec.structs.replace(group, **changed)})


def _with_groups(book: Book, groups: dict[int, Any], **changed: Any) -> Book:
    return msgspec.structs.replace(book, alerts=msgspec.structs.replace(book.alerts, groups=groups, **changed))
