"""All GPU nodes against all ten points, by pool, and the verdict that a gate in CI goes by.

Not ready: some point of some node is not OK. Unknown: none is, and a required point of some node was not told, or
there is no GPU node to judge. What passes by itself (a node that comes up or goes away, an upgrade under way) keeps
nobody from being ready.
"""

import enum
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

import msgspec

from bot.checks import look
from bot.checks.check import AnyCheck
from bot.checks.collect import checks
from bot.checks.finding import Finding
from bot.checks.finding import State as Answered
from bot.checks.preflight.attributed import point_of
from bot.checks.preflight.ground import Ground, found
from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.shared import Shared, model, pool_of, shared
from bot.checks.run import run
from bot.checks.scene import Reads, Scene
from bot.domain.errors import NotFoundError
from bot.domain.evidence import Evidence, ObjectRef, Wanted
from bot.domain.node_past import FleetPast
from bot.domain.text import natural
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.policy import Policy
from bot.grammar import quoted
from bot.registry import collect

WHOLE_PODS = 24  # one of each owner is looked up as a whole, for where its weights come from


class Verdict(enum.StrEnum):
    """Of a node, a pool, or the fleet."""

    READY = "ready"
    NOT_READY = "not ready"
    UNKNOWN = "unknown"


class NodeReport(msgspec.Struct, frozen=True, kw_only=True):
    """One node; `points` has an outcome for each of the ten, in their order. `changing`: what passes by itself."""

    name: str
    pool: str
    model: str
    verdict: Verdict
    points: tuple[Outcome, ...]
    changing: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part: pools whose name contains `pool`, the node called `node`; empty for all."""

    pool: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """`nodes` by pool and name."""

    asked: Asked
    nodes: tuple[NodeReport, ...]
    verdict: Verdict

    def of(self, verdict: Verdict) -> list[NodeReport]:
        """Nodes with that verdict, by name."""
        return sorted((node for node in self.nodes if node.verdict is verdict), key=lambda one: natural(one.name))

    @property
    def pools(self) -> dict[str, list[NodeReport]]:
        sorted_into: dict[str, list[NodeReport]] = {}
        for node in self.nodes:
            sorted_into.setdefault(node.pool, []).append(node)
        return sorted_into

    def each(self, state: State) -> Iterator[tuple[NodeReport, Point, Outcome]]:
        """Every node and point with that answer, by point and node."""
        by_name = sorted(self.nodes, key=lambda one: natural(one.name))
        for place, point in enumerate(points()):
            for node in by_name:
                if node.points[place].state is state:
                    yield node, point, node.points[place]


@cache
def points() -> tuple[Point, ...]:
    """The ten, from the card upwards."""
    return tuple(sorted(collect(sys.modules[__package__], "POINT", Point), key=lambda one: one.number))


def report(
    view: View, policy: Policy, evidence: Evidence, now: datetime, asked: Asked, past: FleetPast | None = None
) -> Report:
    """`past`: what nodes ran before. Raises NotFoundError where no GPU node is called so, or no pool."""
    scenes = list(look.scenes(view, policy, evidence, now, past=past))
    facts = shared(view, scenes)
    reports = sorted(
        (judged(scene, facts) for scene in _chosen(scenes, asked)),
        key=lambda one: (natural(one.pool), natural(one.name)),
    )
    return Report(asked, tuple(reports), _together(one.verdict for one in reports))


def wanted(view: View, policy: Policy, now: datetime, asked: Asked) -> Wanted:
    """What to look up: what the checks want of these nodes, and one whole pod of each owner on them."""
    return wanted_of(view, policy, now, _chosen(list(look.scenes(view, policy, Evidence(), now)), asked))


def wanted_of(view: View, policy: Policy, now: datetime, scenes: list[Scene]) -> Wanted:
    """The same for nodes that were chosen already."""
    whole: dict[str, ObjectRef] = {}
    for scene in scenes:
        for pod in scene.sight.users:
            whole.setdefault(pod.owner.uid if pod.owner else pod.key, ObjectRef("Pod", pod.namespace, pod.name))
    nodes = [scene.node for scene in scenes]
    return (look.wanted(view, policy, now, nodes) if nodes else Wanted()) + Wanted(tuple(whole.values())[:WHOLE_PODS])


def _chosen(scenes: list[Scene], asked: Asked) -> list[Scene]:
    """Where there is no GPU node at all, or nodes were not read, no name can be wrong: that is unknown."""
    pools = sorted({pool_of(scene) for scene in scenes}, key=natural)
    inside = [scene for scene in scenes if asked.pool.casefold() in pool_of(scene).casefold()]
    if scenes and not inside:
        raise NotFoundError(f"No pool of GPU nodes is called {quoted(asked.pool)}; there are: {names(pools, 12)}.")
    chosen = [scene for scene in inside if asked.node in ("", scene.name)]
    if inside and not chosen:
        there = names([scene.name for scene in inside], 8)
        raise NotFoundError(f"No GPU node is called {quoted(asked.node)}; there are: {there}.")
    return chosen


def judged(scene: Scene, facts: Shared) -> NodeReport:
    """One node against all ten points; `facts` are those of the whole fleet."""
    ground = Ground(scene, tuple(_found(scene)), facts, pool_of(scene))
    outcomes: list[Outcome] = []
    for point in points():
        outcome = _outcome(ground, point)
        outcomes.append(outcome)
        if outcome.state is State.NOT_OK and ground.broken is None:
            ground.broken = point
    return NodeReport(
        name=scene.name,
        pool=ground.pool,
        model=model(scene),
        verdict=_together(_verdict(point, one) for point, one in zip(points(), outcomes, strict=True)),
        points=tuple(outcomes),
        changing=ground.changing,
    )


def _found(scene: Scene) -> Iterator[Finding]:
    """What fires there. Checks that could only say that nobody told are not asked: points say that themselves."""
    asked = [check for check in _asked_checks() if Reads.API in check.reads or check.reads & scene.at_hand]
    return (one for one in run(scene, asked) if one.state is Answered.FIRING)


@cache
def _asked_checks() -> tuple[AnyCheck, ...]:
    return tuple(check for check in checks() if point_of(check.id))


def _outcome(ground: Ground, point: Point) -> Outcome:
    notes = ground.notes(point)
    if failing := ground.failing(point):
        return found(failing, notes)
    outcome = point.judge(ground)
    explained = ground.broken.id if ground.broken is not None and outcome.state is not State.OK else ""
    return msgspec.structs.replace(outcome, notes=(*outcome.notes, *notes), follows=explained)


def _verdict(point: Point, outcome: Outcome) -> Verdict:
    if outcome.state is State.NOT_OK:
        return Verdict.NOT_READY
    silent = outcome.state is State.UNKNOWN and point.required and not outcome.passes
    return Verdict.UNKNOWN if silent else Verdict.READY


def _together(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst; unknown where there is nothing to judge."""
    given = set(verdicts)
    if Verdict.NOT_READY in given:
        return Verdict.NOT_READY
    return Verdict.UNKNOWN if Verdict.UNKNOWN in given or not given else Verdict.READY
