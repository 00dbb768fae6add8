"""`/gpu incident`: what is going wrong, who has it, and how each went.

    /gpu incident                        those that last, and the last that are over
    /gpu incident 12                     one of them: whom it hits, evidence, what changed before, what helps
    /gpu incident take 12                it is yours; hand 12 @somebody gives it on
    /gpu incident note 12 TEXT           a line for its timeline
    /gpu incident merge 12 into 9        they have one cause: told as 9 from now on
    /gpu incident close 12 because WHY   also while it fires: it is told again when it comes back after it was gone
    /gpu incident reopen 12              it was closed by mistake
    /gpu incident report 12              a draft of a post-mortem from its timeline

Taking, noting and the rest are for operators, and stand in the incident's thread with who did it and when.
"""

import re

from bot.command import Access, Command, Reply, Request
from bot.domain.errors import ForbiddenError, UsageError
from bot.domain.incident import Book, Deed, ManageIncident
from bot.grammar import nearest, quoted
from bot.incidents import deeds
from bot.views import incident_show, incidents

_PERSON = re.compile(r"<?@?([UW][A-Z0-9]{2,})>?")
_TRY = "try `/gpu incident 12`, `/gpu incident take 12` or `/gpu incident report 12`"
_VERBS = {str(deed): deed for deed in Deed} | {"ack": Deed.TAKE, "give": Deed.HAND, "resolve": Deed.CLOSE}


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, ConflictError; ForbiddenError for a person who may only read."""
    reader = request.cluster.incidents
    if reader is None:
        return incidents.not_here()
    book = reader.incidents(request.cluster.name)
    if not request.words:
        return incidents.show(book, request.now)
    first, *rest = request.words
    verb = first.casefold()
    if _number(first):
        return incident_show.show(deeds.found(book, _number(first)), request.now)
    if verb in ("show", "report") and rest:
        incident = deeds.found(book, _needed(rest))
        return incident_show.told(book, incident) if verb == "report" else incident_show.show(incident, request.now)
    if verb in _VERBS and rest:
        return _deed(request, book, _intent(_VERBS[verb], _needed(rest), rest[1:]))
    close = nearest(verb, ["report", "show", *_VERBS])
    hint = f"did you mean `/gpu incident {close} 12`?" if close and rest else f"{_TRY}."
    raise UsageError(f"{quoted(' '.join(request.words))} is not understood; {hint}")


def _deed(request: Request, book: Book, intent: ManageIncident) -> Reply:
    """Tried here as well, so that what cannot be done is told before anything is."""
    if request.asker.id and request.asker.access < Access.OPERATE:
        raise ForbiddenError("You may only read incidents: this needs the role operator. Ask one of access.operators.")
    incident = deeds.found(book, intent.number)
    deeds.do(book, intent, request.asker, request.now)
    return incident_show.preview(incident, intent)


def _intent(deed: Deed, number: int, words: list[str]) -> ManageIncident:
    plain = [word for word in words if word.casefold() not in ("to", "into", "with", "because")]
    match deed:
        case Deed.HAND:
            found = _PERSON.fullmatch(plain[0]) if len(plain) == 1 else None
            if found is None:
                raise UsageError(f"Mention the person that it is for, such as `/gpu incident hand {number} @ana`.")
            return ManageIncident(number, deed, person=found[1])
        case Deed.MERGE:
            other = _number(plain[0]) if len(plain) == 1 else 0
            if not other:
                raise UsageError(f"Say into which incident, such as `/gpu incident merge {number} into 9`.")
            return ManageIncident(number, deed, other=other)
        case Deed.TAKE:
            if plain:
                raise UsageError(f"{quoted(' '.join(words))} is not understood after `/gpu incident take {number}`.")
            return ManageIncident(number, deed)
        case _:
            text = " ".join(words).removeprefix("because ")
            return ManageIncident(number, deed, text)


def _needed(words: list[str]) -> int:
    number = _number(words[0])
    if not number:
        raise UsageError(f"{quoted(words[0])} is no incident's number; {_TRY}.")
    return number


def _number(text: str) -> int:
    """0 for what is none."""
    plain = text.lstrip("#")
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < 10 else 0


COMMAND = Command(
    words=("incident",),
    summary="What is going wrong, who has it, and how it went",
    access=Access.READ,
    examples=("/gpu incident", "/gpu incident 12", "/gpu incident take 12", "/gpu incident report 12"),
    run=run,
    takes_words="[N | take N | hand N WHO | note N TEXT | merge N into M | close N | reopen N | report N]",
    page=__doc__ or "",
)
