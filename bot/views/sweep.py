"""How a sweep looks: how many problems, each root in full with whom it hits and what to do, the rest in one line each.

The whole of it fits one screen for any cluster: entries are cut short from the end, and counted.
"""

from collections.abc import Iterator
from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause, Remedy
from bot.domain.document import Bullets, Code, Document, Line, Part, line, paragraph, sentence
from bot.domain.text import inert
from bot.domain.time import read_time
from bot.domain.view import View
from bot.domain.words import count, duration, names
from bot.sweep.sweep import NEEDED
from bot.sweep.trouble import Entry, Sweep, Wait
from bot.views import sources, text

TEXT_MAX = 8_000  # characters, as a terminal shows it
FULL, BRIEF = 8, 12  # entries in full, and in one line
PROOFS, REMEDIES, USELESS, UNDER = 3, 3, 1, 3
SENTENCE_MAX, LINE_MAX, BRIEF_MAX, COMMAND_MAX, HEAD_MAX = 520, 240, 150, 420, 90
WAITS, NOTES, UNSEEN, LASTING = 6, 3, 6, 3


def show(swept: Sweep, view: View, now: datetime) -> Reply:
    """Raises nothing: every state of the data has words."""
    verdict = _verdict(swept)
    remedies = (one for entry in swept.entries for one in _remedies(entry)[:1])
    answer = Answer(
        question="sweep",
        cluster=view.cluster,
        cause=Cause(_id(swept), inert(verdict.replace("`", ""), 1_000)),
        as_of=view.oldest(*NEEDED),
        evidence=tuple(one.root.sentence for one in swept.entries),
        remedies=tuple(dict.fromkeys(remedies)),
        unknown=swept.unseen,
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers={**swept.numbers, "problems": len(swept.entries), "waits": len(swept.waits), "left": swept.left},
        told=swept.told,
    )
    return Reply(answer, _fitting(swept, verdict, view, now))


def _id(swept: Sweep) -> str:
    return "sweep.firing" if swept.entries else "sweep.quiet" if swept.told else "sweep.unknown"


def _verdict(swept: Sweep) -> str:
    if swept.entries:
        heads = [_short(one.root.sentence, HEAD_MAX) for one in swept.entries]
        return f"{count(len(swept.entries), 'problem')}: {names(heads, 2)}."
    numbers = swept.numbers
    looked = (
        f"all is quiet on {count(numbers.get('gpu_nodes', 0), 'GPU node')} ({numbers.get('checks', 0)} checks each) "
        f"and in {count(numbers.get('pods', 0), 'pod')}"
    )
    blind = f"; not seen: {names([one.partition(':')[0] for one in swept.unseen], 3)}" if swept.unseen else ""
    if not swept.told:
        return f"Could not tell: not all that counts was read{blind}."
    return f"Nothing is firing: {looked}{blind}."


# ---- made to fit ---------------------------------------------------------------------------------------------------


def _fitting(swept: Sweep, verdict: str, view: View, now: datetime) -> Document:
    """Entries in full give way to lines, and lines to a number."""
    footer = sources.footer(view, now, NEEDED)
    full, brief = FULL, BRIEF
    while True:
        document = Document(sentence(verdict), tuple(_parts(swept, now, full, brief)), footer)
        if len(text.render(document)) <= TEXT_MAX or not (full or brief):
            return document
        full, brief = (full - 1, brief) if full > 1 else (full, brief - 1) if brief else (0, 0)


def _parts(swept: Sweep, now: datetime, full: int, brief: int) -> Iterator[Part]:
    for number, entry in enumerate(swept.entries[:full], start=1):
        yield Bullets(_title(number, entry, now), tuple(_entry(entry)))
    if others := swept.entries[full : full + brief]:
        lines = [
            sentence(f"{number}. {entry.severity}: {_short(entry.root.sentence, BRIEF_MAX)}")
            for number, entry in enumerate(others, start=full + 1)
        ]
        yield Bullets("In short", tuple(lines))
    left = len(swept.entries) - full - len(others)
    if left > 0:
        yield paragraph(line(f"and {count(left, 'more problem')}; all of them: ", Code("gpubot sweep --json")))
    if swept.left:
        yield paragraph(line(f"{count(swept.left, 'more group')} of pods that do not run: ", Code("/why pending")))
    yield from _beside(swept)


def _beside(swept: Sweep) -> Iterator[Part]:
    if swept.notes:
        yield Bullets("Only noted on those nodes", _some(swept.notes, NOTES))
    if swept.lasting:
        yield Bullets("Due some day, and not firing", _some([_due(one) for one in swept.lasting], LASTING))
    if swept.waits:
        yield Bullets("Only waiting, as it should", _some([_waits(one) for one in swept.waits], WAITS))
    if swept.unseen:
        yield Bullets("Could not be seen", _some(swept.unseen, UNSEEN))


def _some(texts: list[str] | tuple[str, ...], shown: int) -> tuple[Line, ...]:
    left = len(texts) - shown
    lines = [sentence(_short(one, LINE_MAX)) for one in texts[:shown]]
    return (*lines, line(f"and {left:,} more")) if left > 0 else tuple(lines)


# ---- one entry -----------------------------------------------------------------------------------------------------


def _title(number: int, entry: Entry, now: datetime) -> str:
    """`1. critical, for 2 h 7 min (since 09:53): …`."""
    since = read_time(entry.since)
    age = f", for {duration(max(1.0, (now - since).total_seconds()))}" if since else ""
    return f"{number}. {entry.severity}{age} [{entry.root.id}]"


def _entry(entry: Entry) -> Iterator[Line]:
    root = entry.root
    yield sentence(f"{_short(root.sentence, SENTENCE_MAX)}.")
    if entry.effect:
        yield ("Effect: ", *sentence(_short("; ".join(entry.effect), LINE_MAX)))
    yield from (("Proof: ", *sentence(_short(one, LINE_MAX))) for one in root.evidence[:PROOFS])
    for place, remedy in enumerate(_remedies(entry)[:REMEDIES], start=1):
        yield _remedy(place, remedy)
    yield from (("Does not help: ", *sentence(_short(one, LINE_MAX))) for one in root.useless[:USELESS])
    behind = [one.sentence for one in entry.under if one.sentence != root.sentence]
    yield from (("From it: ", *sentence(_short(one, BRIEF_MAX))) for one in behind[:UNDER])
    if len(behind) > UNDER:
        yield line(f"and {count(len(behind) - UNDER, 'more thing')} that follow from it or go with it")


def _remedies(entry: Entry) -> tuple[Remedy, ...]:
    """The root's; where it has none, of what follows from it."""
    return next((one.remedies for one in entry.every if one.remedies), ())


def _remedy(place: int, one: Remedy) -> Line:
    """A command is whole or not at all: half of one must not be pasted."""
    command = (" ", Code(one.command)) if one.command and len(one.command) <= COMMAND_MAX else ()
    cost = (f" Cost: {_short(one.cost, LINE_MAX)}.",) if one.cost else ()
    return (f"Do {place}: ", *sentence(f"{_short(one.action, LINE_MAX).rstrip('.')}."), *command, *cost)


def _due(one: Entry) -> str:
    advice = one.root.remedies[0].action if one.root.remedies else ""
    return f"{one.root.sentence}. {advice}".rstrip(". ")


def _waits(one: Wait) -> str:
    until = f": until {one.until}" if one.until else ""
    return f"{one.who} {one.how}{until}".strip()


def _short(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[: longest - 1]}…"
