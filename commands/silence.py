"""`/gpu silence`: for a while, and for a reason, certain alerts are not told. They are remembered all the same.

    /gpu silence                                      those that hold, by whom, why and until when
    /gpu silence gpu-9 2h because its GPU is replaced     whatever is called that: a node, an owner, a cause, a team
    /gpu silence 12 1h because ana works on it        one incident
    /gpu silence cause=heat.* namespace=train until 18:00 because the chiller is serviced
    /gpu silence end 3                                before its time

Every silence has an end (30 days at most) and a reason. `*` stands for anything. Conditions must all hold. What still
fires when it ends is told then. Beginning and ending are for operators.
"""

from datetime import datetime

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.errors import ForbiddenError, UsageError
from bot.domain.incident import Book, EndSilence, SetSilence
from bot.domain.lasting import lasting, next_at
from bot.domain.silence import Matcher
from bot.grammar import quoted
from bot.incidents import silences
from bot.views import incidents
from bot.views import silence as views

_USAGE = "write it as `/gpu silence gpu-9 2h because its GPU is replaced`"
_FIELDS = ("cause", "node", "owner", "namespace", "team", "severity", "subject", "incident")


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, ConflictError; ForbiddenError for a person who may only read."""
    reader = request.cluster.incidents
    if reader is None:
        return incidents.not_here()
    book = reader.incidents(request.cluster.name)
    if not request.words and not request.options:
        return views.show(book, request.now)
    if request.asker.id and request.asker.access < Access.OPERATE:
        raise ForbiddenError("You may not silence alerts: this needs the role operator. Ask one of access.operators.")
    if request.words and request.words[0].casefold() == "end" and not request.options:
        return _end(book, request)
    intent = _intent(request)
    silence = silences.begin(book, intent, request.asker, request.now)[1]
    return views.preview(book, silence, intent, request.now)


def _end(book: Book, request: Request) -> Reply:
    words = request.words[1:]
    number = words[0].lstrip("#") if len(words) == 1 else ""
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError("Say which silence ends, such as `/gpu silence end 3`; `/gpu silence` lists them.")
    intent = EndSilence(int(number))
    return views.ending(silences.end(book, intent, request.now)[1], intent)


def _intent(request: Request) -> SetSilence:
    folded = [word.casefold() for word in request.words]
    at = folded.index("because") if "because" in folded else len(folded)
    because = " ".join(request.words[at + 1 :])
    what, until = _split(request.words[:at], request.now)
    matchers = [Matcher(name, _starred(value, request.typed)) for name, value in request.options.items()]
    matchers += [_matcher(_starred(word, request.typed)) for word in what]
    if until is None:
        raise UsageError(f"A silence needs an end: {_USAGE}.")
    intent = SetSilence(tuple(matchers), until, because)
    silences.check(intent, request.now)
    return intent


def _split(words: tuple[str, ...], now: datetime) -> tuple[list[str], datetime | None]:
    """What is silenced, and until when: one length or time of day, wherever it stands."""
    what: list[str] = []
    until: datetime | None = None
    for word in words:
        if word.casefold() in ("for", "until"):
            continue
        length = lasting(word)
        found = now + length if length else next_at(word, now)
        if found is None:
            what.append(word)
        elif until is not None:
            raise UsageError(f"{quoted(word)} is a second end; {_USAGE}.")
        else:
            until = found
    return what, until


def _starred(word: str, typed: str) -> str:
    """With the `*` at its end that it was typed with: stars around a word are taken for bold, and off."""
    tokens = (token.partition("=")[2] if "=" in token else token for token in typed.split())
    return f"{word}*" if f"{word}*" in tokens else word


def _matcher(word: str) -> Matcher:
    """A number is an incident's."""
    number = word.lstrip("#")
    return Matcher("incident", number) if number.isascii() and number.isdigit() else Matcher("any", word)


COMMAND = Command(
    words=("silence",),
    summary="Say nothing of something for a while, for a reason",
    access=Access.READ,
    examples=("/gpu silence", "/gpu silence gpu-9 2h because its GPU is replaced", "/gpu silence end 3"),
    run=run,
    options=tuple(
        Option(name, f"only alerts with that {name}; * stands for anything", f"{name}={example}")
        for name, example in zip(
            _FIELDS, ("heat.*", "gpu-9", "llm/glm", "llm", "llm", "warning", "gpu-9*", "12"), strict=True
        )
    ),
    takes_words="[WHAT 2h because WHY | end N]",
    page=__doc__ or "",
)
