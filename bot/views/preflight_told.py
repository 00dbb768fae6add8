"""What is said in a channel of a node that joined or changed and did not pass the checklist."""

from collections.abc import Iterator

from bot.checks.preflight.kept import Kept
from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.report import points
from bot.domain.document import Bullets, Button, Code, Document, Line, Part, sentence
from bot.domain.text import inert
from bot.domain.words import count
from bot.views.incident_root import ASK

SHOWN, REMEDIES = 4, 3
TEXT_MAX, COMMAND_MAX = 400, 300


def document(kept: Kept) -> Document:
    """The points that are not OK in their order, and what helps first; one that follows from another is left out."""
    broken = [(point, one) for point, one in _of(kept) if one.state is State.NOT_OK and not one.follows]
    passed = sum(one.state is State.OK for one in kept.report.points)
    node = inert(kept.due.node)
    verdict = (
        f"🔴 {node} ({inert(kept.cluster)}) {inert(kept.due.why)} and is not ready for work: "
        f"{passed} of {count(len(kept.report.points), 'point')} of the checklist pass"
    )
    parts: list[Part] = [
        Bullets("What is wrong", tuple(sentence(f"{inert(one.sentence, TEXT_MAX)}.") for _, one in broken[:SHOWN]))
    ]
    if helps := tuple(_helps(broken)):
        parts.append(Bullets("What helps", helps))
    asks = Button("All ten points", ASK, f"preflight node={kept.due.node} @{kept.cluster}", f"The checklist of {node}")
    return Document(sentence(verdict), tuple(parts), (), (asks,))


def _of(kept: Kept) -> Iterator[tuple[Point, Outcome]]:
    return zip(points(), kept.report.points, strict=True)


def _helps(broken: list[tuple[Point, Outcome]]) -> Iterator[Line]:
    """The safest remedy of each, once."""
    first = dict.fromkeys((one.remedies[0].action, one.remedies[0].command) for _, one in broken if one.remedies)
    for action, command in list(first)[:REMEDIES]:
        whole = (" ", Code(command)) if command and len(command) <= COMMAND_MAX else ()
        yield (*sentence(inert(action)), *whole)
