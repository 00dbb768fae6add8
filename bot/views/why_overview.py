"""The list of all that does not run: one line for each owner and cause, with the first thing that helps."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from bot.domain.document import Bullets, Code, Line, Part, line, paragraph, sentence
from bot.domain.time import seconds_since
from bot.domain.words import capped, count, duration, names
from bot.why.overview import Line as Group
from bot.why.overview import Overview

SHOWN = 12
CAUSE_MAX, REMEDY_MAX = 260, 160


def parts(result: Overview, now: datetime, *, known: bool, most: int = SHOWN) -> tuple[str, list[Part]]:
    """The first line and the rest, at most so many groups. `known`: whether all pods could be read."""
    if not result.lines:
        if not known:
            return "What waits cannot be told: pods could not be read.", []
        return "Nothing waits: every pod has its place, and none is failing.", []
    causes = len({one.explanation.id for one in result.lines})
    verdict = f"{', '.join(_numbers(result))}: {count(causes, 'cause')}."
    together = _by_cause(result.lines)
    shown = together[:most]
    found: list[Part] = [Bullets("", tuple(_line(one, now) for one in shown))]
    left = sum(len(one) for one in together[most:]) + result.more
    if left > 0:
        more = f"and {count(left, 'more group')}: ask for one namespace, "
        found.append(paragraph(line(more, Code("/why pending namespace=NAME"))))
    first = result.lines[0].explanation.case.subject
    found.append(paragraph(line("One of them in full: ", Code(f"/why {first.typed}"))))
    return verdict, found


def _numbers(result: Overview) -> Iterator[str]:
    """How many wait, how many have a node and do not run, how many owners lack some."""
    stuck = result.pods - result.waiting
    unmade = sum(1 for one in result.lines if not one.pods)
    if result.waiting:
        yield f"{count(result.waiting, 'pod')} wait{'s' if result.waiting == 1 else ''} for a node"
    if stuck == 1:
        yield "1 pod has one but does not run" if result.waiting else "1 pod has a node but does not run"
    elif stuck:
        yield f"{stuck:,} pods have {'one' if result.waiting else 'a node'} but do not run"
    if unmade:
        yield f"{count(unmade, 'owner')} lack{'s' if unmade == 1 else ''} pods"


def _line(together: list[Group], now: datetime) -> Line:
    """One cause and all whom it keeps, by name as far as that helps."""
    first = together[0]
    fix = (" → ", *sentence(capped(_first_fix(first), REMEDY_MAX))) if _first_fix(first) else ()
    who = names([f"{one.owner}{_size(one, now)}" for one in together], shown=3)
    return (f"{who}: ", *sentence(capped(_told(first), CAUSE_MAX)), *fix)


def _by_cause(lines: Sequence[Group]) -> list[list[Group]]:
    """Owners of whom the same is said are told together, where the first of them stands."""
    found: dict[tuple[str, str], list[Group]] = {}
    for one in lines:
        found.setdefault((_told(one), _first_fix(one)), []).append(one)
    return list(found.values())


def _told(one: Group) -> str:
    cause, root = one.explanation.first, one.explanation.root
    told = cause.sentence if cause else _unexplained(one)
    return f"{told}. {root.sentence}" if root is not None and root is not cause else told


def _unexplained(one: Group) -> str:
    """At least what its containers say: not all groups are looked into."""
    pod = one.explanation.case.pod
    said = next((state for state in pod.states if state.waiting), None) if pod else None
    if said is None:
        return "nothing that gpubot can see keeps it from running"
    return f"`{said.name}` says {said.waiting}; asked about alone, it is looked into"


def _size(one: Group, now: datetime) -> str:
    """` (500 pods, 500 GPUs, 5 h)`; nothing for an owner without pods."""
    if not one.pods:
        return ""
    age = seconds_since(one.oldest, now)
    told = [count(one.pods, "pod")]
    if one.gpus:
        told.append(count(one.gpus, "GPU"))
    if age is not None:
        told.append(duration(max(1.0, age)))
    return f" ({', '.join(told)})"


def _first_fix(group: Group) -> str:
    for one in (group.explanation.root, group.explanation.first):
        if one is not None and one.until:
            return f"Wait until {one.until}"
        if one is not None and one.remedies:
            return one.remedies[0].action
    return ""
