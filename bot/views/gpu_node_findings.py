"""What is wrong with a node, in one line, and what helps: faults of its GPU stack and what checks found, as one list.

A fault that a check tells as well is told once. Of those that are as bad the deepest comes first: it explains others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from bot.checks.by_fault import told
from bot.checks.check import AnyCheck
from bot.checks.finding import Finding, Severity, State
from bot.checks.run import run
from bot.checks.scene import Reads, Scene
from bot.domain.document import Bullets, Code, Line, line, sentence
from bot.domain.text import inert
from bot.domain.words import count
from bot.gpu import cordon, leaving
from bot.gpu.row import Row
from bot.gpu.stack.expected import FOR_MACHINES, for_machines

EVIDENCE_SHOWN, REMEDIES_SHOWN, ALSO_SHOWN = 3, 3, 4
TEXT_MAX, COMMAND_MAX = 220, 300


@dataclass(frozen=True)
class Judged:
    """`firing`: what is wrong or going on, the worst first. `unknown`: checks that had nothing to read."""

    firing: tuple[Finding, ...]
    unknown: tuple[Finding, ...]

    @property
    def alarming(self) -> list[Finding]:
        return [one for one in self.firing if one.alarming]


def judged(scene: Scene, checks: Iterable[AnyCheck]) -> Judged:
    """Works with no check at all: the faults of the stack are told anyway."""
    found = run(scene, checks)
    firing = [one for one in found if one.state is State.FIRING]
    said = {one.sentence for one in firing}
    firing += [_of_stack(scene, index) for index, one in enumerate(scene.faults) if one.sentence not in said]
    depth = {one.sentence: index for index, one in enumerate(scene.faults)}
    firing.sort(key=lambda one: (one.severity.rank, depth.get(one.sentence, len(depth)), str(one.subject)))
    return Judged(tuple(firing), tuple(one for one in found if one.state is State.UNKNOWN))


def _of_stack(scene: Scene, index: int) -> Finding:
    fault = scene.faults[index]
    return msgspec.structs.replace(told(scene, fault, Severity.CRITICAL), check=f"stack.{fault.id}")


# ---- the first line ------------------------------------------------------------------------------------------------


def verdict(scene: Scene, found: Judged) -> tuple[str, str]:
    """A stable id, and the sentence for somebody on a phone."""
    ident, text = _verdict(scene, found)
    return ident, f"{text}{_cordoned(scene, ident)}."


def _verdict(scene: Scene, found: Judged) -> tuple[str, str]:
    name, node = scene.name, scene.node
    if why := leaving.why(node, scene.sight.events):
        return "node.leaving", f"{name} is going away: {why}; nothing on it has to be repaired"
    if node.ready is not True:
        return _not_ready(scene, found)
    if alarming := found.alarming:
        more = f"; {count(len(alarming) - 1, 'more fault')} below" if alarming[1:] else ""
        return alarming[0].check, f"{alarming[0].sentence}{more}"
    passing = next((one for one in found.firing if one.passes), None)
    if passing is not None:
        return passing.check, passing.sentence
    return _well(scene)


def _not_ready(scene: Scene, found: Judged) -> tuple[str, str]:
    condition = scene.node.condition("Ready")
    since = f" {scene.sight.ago(condition.since)}".rstrip() if condition else ""
    more = f"; {count(len(found.alarming), 'fault')} of its GPUs below" if found.alarming else ""
    if scene.node.ready is None:
        return "node.silent", f"{scene.name}'s kubelet stopped reporting{since}, so nobody knows what runs{more}"
    why = f" ({inert(condition.reason, 60)})" if condition and condition.reason else ""
    return "node.not_ready", f"{scene.name}'s kubelet says that it is not ready{since}{why}{more}"


def _well(scene: Scene) -> tuple[str, str]:
    if machines := for_machines(scene.node):
        clause = f"hands its GPUs to virtual machines (`{FOR_MACHINES}={inert(machines, 40)}`) and none to pods"
        return "node.for_machines", f"{scene.name} {clause}"
    if scene.sight.gpus is None:
        return "node.no_gpus", f"{scene.name} has no GPUs: no resource, label or device speaks of any"
    has = "; ".join(offered(row) for row in scene.sight.gpus.rows) or "it offers no GPUs"
    if {Reads.AGENT, Reads.DCGM} & scene.at_hand:
        return "node.well", f"Nothing is wrong with {scene.name}: {has}"
    return "node.well_as_told", f"Kubernetes sees nothing wrong with {scene.name}: {has}; its GPUs were not asked"


def offered(row: Row) -> str:
    """`8 H200, 6 used`, or `7 of 8 H200, 6 used`."""
    amount = f"{row.allocatable} of {row.total}" if row.total != row.allocatable else f"{row.allocatable}"
    return f"{amount} {row.kind.title}, {row.requested} used"


def _cordoned(scene: Scene, ident: str) -> str:
    if not scene.node.unschedulable or ident == "node.leaving":
        return ""
    who = cordon.who(scene.node)
    by = f" {who}" if who.startswith("by ") else f" ({who})" if who else ""
    return f"; it is cordoned{by}"


# ---- what is behind it ---------------------------------------------------------------------------------------------


def main(found: Judged) -> Finding | None:
    """What the first line tells, or would tell if the node were ready."""
    return next(iter(found.alarming), None) or next((one for one in found.firing if one.passes), None)


def evidence(found: Judged) -> tuple[str, ...]:
    first = main(found)
    return first.evidence if first else ()


def helps(found: Judged) -> Bullets | None:
    """Safest first. A command is whole or not at all: half of one must not be pasted."""
    first = main(found)
    remedies = first.remedies[:REMEDIES_SHOWN] if first else ()
    lines: list[Line] = []
    for number, one in enumerate(remedies, start=1):
        command = (" ", Code(one.command)) if one.command and len(one.command) <= COMMAND_MAX else ()
        cost = (f" Cost: {_end(one.cost)}",) if one.cost else ()
        lines.append((f"{number}. ", *sentence(_end(inert(one.action))), *command, *cost))
    return Bullets("What helps", tuple(lines)) if lines else None


def also(found: Judged) -> Bullets | None:
    """The other findings, the worst first."""
    first = main(found)
    others = [one for one in found.firing if one is not first]
    lines = [sentence(inert(one.sentence, TEXT_MAX)) for one in others[:ALSO_SHOWN]]
    if len(others) > ALSO_SHOWN:
        lines.append(line(f"and {len(others) - ALSO_SHOWN} more"))
    title = "Also" if any(one.alarming for one in others) else "Worth knowing"
    return Bullets(title, tuple(lines)) if lines else None


def shows(found: Judged) -> Bullets | None:
    lines = tuple(_quoted(evidence(found)))
    return Bullets("What shows it", lines) if lines else None


def _quoted(texts: Iterable[str]) -> Iterator[Line]:
    for text in list(texts)[:EVIDENCE_SHOWN]:
        yield sentence(inert(text, TEXT_MAX))


def _end(text: str) -> str:
    return text if text.endswith((".", "…")) else f"{text}."
