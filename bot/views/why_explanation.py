"""One explanation: the verdict, what blocks how many nodes, who holds, what helps with commands, what was not seen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from bot.domain.answer import Answer, Cause, HolderLine, Remedy
from bot.domain.document import Bold, Bullets, Code, Line, Part, line, paragraph, sentence
from bot.domain.text import inert
from bot.domain.words import capped, names
from bot.views import sources, why_history, why_nodes
from bot.why.answering import Asked
from bot.why.explain import Explanation
from bot.why.finding import Finding, Group, Level

NEEDED = ("nodes", "pods")
EVIDENCE_SHOWN, ALSO_SHOWN, REMEDIES_SHOWN, NOTES_SHOWN, UNKNOWN_SHOWN = 6, 4, 5, 2, 5
VERDICT_MAX, LINE_MAX, COMMAND_MAX = 900, 400, 900
TRIED = "tried on a copy of the cluster"
HOLDERS = "Who holds"  # how titles of such groups begin


class Worth(IntEnum):
    """What is kept longest where not all fits."""

    NOTES = 1
    HISTORY = 2
    TABLE = 3
    ALSO = 4
    USELESS = 5
    EVIDENCE = 6
    GROUPS = 7
    UNKNOWN = 8
    UNTIL = 9
    REMEDIES = 10


@dataclass(frozen=True, slots=True)
class Ranked:
    part: Part
    worth: Worth


def verdict(result: Explanation) -> str:
    """What somebody reads on a phone."""
    return capped(result.sentence, VERDICT_MAX)


def parts(result: Explanation, asked: Asked) -> list[Ranked]:
    """All but the verdict and the footer, in the order in which they are read."""
    return [Ranked(part, worth) for worth, part in _parts(result, asked)]


def _parts(result: Explanation, asked: Asked) -> Iterator[tuple[Worth, Part]]:
    main = result.main
    for group in (group for one in main for group in one.groups):
        yield Worth.GROUPS, Bullets(group.title, _lines(group.lines))
    if evidence := _evidence(main):
        yield Worth.EVIDENCE, Bullets("What shows it", _lines(evidence))
    if until := _until(result):
        yield Worth.UNTIL, paragraph(line(Bold("Waiting is right"), " until ", *sentence(f"{until}.")))
    if remedies := _remedies(result):
        yield Worth.REMEDIES, _helps(remedies)
    if useless := [_whole(text) for one in main for text in one.useless][:3]:
        yield Worth.USELESS, Bullets("What does not", _lines(useless))
    also, notes = _beside(result)
    if also:
        yield Worth.ALSO, Bullets("Also" if result.first else "What there is to see", _lines(list(_proved(also))))
    if notes:
        yield Worth.NOTES, Bullets("Worth knowing", _lines([_told(one) for one in notes]))
    pod = result.case.pod
    if asked.history is not None and pod is not None and result.case.waits:
        yield Worth.HISTORY, paragraph(*why_history.lines(asked.view, pod, asked.history, asked.now))
    if asked.question.details and (nodes := why_nodes.table_of(result)):
        yield Worth.TABLE, nodes
    if unknown := _unknown(result):
        yield Worth.UNKNOWN, Bullets("Could not be seen", _lines(unknown))


def _evidence(main: Sequence[Finding]) -> list[str]:
    """Two stages may quote one message: it is shown once."""
    found: dict[str, str] = {}
    for text in (text for one in main for text in one.evidence):
        quote = text.partition("“")[2].removeprefix("Pod was rejected: ")[:60]
        found.setdefault(quote or text, text)
    return list(found.values())[:EVIDENCE_SHOWN]


def _until(result: Explanation) -> str:
    """Of the verdict; where there is none, of whatever waits."""
    told = result.main or result.others
    return next((one.until for one in told if one.until), "")


def _beside(result: Explanation) -> tuple[list[Finding], list[Finding]]:
    """What else is in the way, and what is only worth knowing: that comes first where nothing is in the way."""
    quiet = not result.main or result.standing.well
    also = [one for one in result.others if quiet or one.level is not Level.NOTE][:ALSO_SHOWN]
    return also, [one for one in result.others if one not in also][:NOTES_SHOWN]


def _proved(also: Sequence[Finding]) -> Iterator[str]:
    """Each with its first proofs."""
    for one in also:
        yield _told(one)
        yield from (f"  {text}" for text in one.evidence[: 2 if len(also) > 1 else 5])


def _told(one: Finding) -> str:
    """A sentence of its own. A name keeps its small letters."""
    text = one.sentence
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if one.level is Level.CAUSE and first.isalpha() else text


def _remedies(result: Explanation) -> list[Remedy]:
    """The root's first: what mends it mends the rest."""
    order = [one for one in (result.root, result.first) if one is not None]
    order = [one for one in order if one.sole] or order
    found = [remedy for one in order for remedy in one.remedies]
    if not found and not any(one.sole for one in order):
        found = [remedy for one in result.others for remedy in one.remedies if one.level is not Level.NOTE]
    unique: dict[str, Remedy] = {}
    for one in found:
        unique.setdefault(one.command or one.action, one)
    return list(unique.values())[:REMEDIES_SHOWN]


def _helps(remedies: Sequence[Remedy]) -> Bullets:
    """What was tried is said once where that is true of all."""
    every = len(remedies) > 1 and all(one.verified for one in remedies)
    title = f"What helps (each {TRIED})" if every else "What helps"
    return Bullets(title, tuple(_told_remedies(remedies, "" if every else f" ({TRIED})")), ordered=True)


def _told_remedies(remedies: Sequence[Remedy], mark: str) -> Iterator[Line]:
    for one in remedies:
        tried = mark if one.verified else ""
        action = capped(one.action, LINE_MAX).rstrip(".")
        yield (*sentence(action), f"{tried}.", *_command(one), *_cost(one))


def _command(one: Remedy) -> Line:
    """Whole or not at all: half a command must not be pasted."""
    if not one.command:
        return ()
    if len(one.command) > COMMAND_MAX:
        return (" Its command is too long for a message.",)
    return (" ", Code(one.command))


def _cost(one: Remedy) -> Line:
    return (" Cost: ", *sentence(_whole(capped(one.cost, LINE_MAX)))) if one.cost else ()


def _lines(texts: Sequence[str]) -> tuple[Line, ...]:
    return tuple(sentence(capped(text, LINE_MAX)) for text in texts)


def _whole(text: str) -> str:
    """With one full stop at its end."""
    return text if text.endswith((".", "…")) else f"{text}."


def _unknown(result: Explanation) -> list[str]:
    """What stages could not read, what was not found when it was looked up, fields of the wrong type."""
    told = [text for one in result.findings for text in one.unknown]
    if result.case.odd:
        told.append(f"not of the expected type: {names(result.case.odd, shown=3)}")
    return list(dict.fromkeys(told))[:UNKNOWN_SHOWN]


def answer(result: Explanation, asked: Asked) -> Answer:
    """The same as data."""
    main = result.main
    groups = [group for one in main for group in one.groups]
    numbers = {key: value for one in reversed(main) for key, value in one.numbers.items()}
    return Answer(
        cause=Cause(result.id, inert(verdict(result).replace("`", ""), 1000)),
        as_of=asked.view.oldest(*NEEDED),
        evidence=tuple(text for one in (*main, *result.others) for text in one.evidence)[:20],
        holders=tuple(one for group in groups for one in _holders(group)),
        remedies=tuple(_remedies(result)),
        unknown=tuple(_unknown(result)),
        sources=tuple(sources.lines(asked.view, asked.now, NEEDED)),
        numbers=numbers,
        told=result.id != "placement.unknown",
    )


def _holders(group: Group) -> tuple[HolderLine, ...]:
    """With numbers where the stage gave them, else as it is told."""
    if group.holders or not group.title.startswith(HOLDERS):
        return group.holders
    return tuple(HolderLine(text, {}) for text in group.lines)
