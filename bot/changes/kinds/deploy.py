"""A model served: created from nothing, or brought from one version to another; its end is a real answer."""

from datetime import datetime

from bot.changes.deploy_ask import choice_of, pinned, typed, wish_of
from bot.changes.deploy_follow import follow as followed
from bot.changes.deploy_follow import follow_wants
from bot.changes.deploy_smoke import endpoint, smoked
from bot.changes.deploy_steps import steps, undo
from bot.changes.kind import Ask, ChangeKind, Progress
from bot.changes.kinds import scale
from bot.deploying.candidate import Candidate, Choice, Room
from bot.deploying.points.collect import check
from bot.deploying.points.looking import wanted as wanted_of_points
from bot.deploying.points.point import Point
from bot.deploying.said import costs, effects, refusal
from bot.domain.change import Plan, Size
from bot.domain.evidence import NO_EVIDENCE, Wanted
from bot.domain.view import View
from bot.domain.words import count
from bot.why.autoscaler_status import STATUS, autoscalers

FOLLOW_SECONDS = 4 * 3600
NEEDS = scale.CHANGE.needs | {"storageclasses", "namespaces", "services", "localqueues", "jobs"}


def plan(ask: Ask) -> Plan:
    """Raises UsageError."""
    wish = wish_of(ask.arguments)
    return plan_of(ask, choice_of(ask, wish))


def plan_of(ask: Ask, choice: Choice) -> Plan:
    """Of what the planner chose. A plan that cannot be done has no steps."""
    best = choice.best
    if best is None:
        model = wish_of(ask.arguments).model
        return Plan(
            kind=CHANGE.name, arguments={**ask.arguments}, title=f"deploy {model.title}", refused=refusal(choice)
        )
    points = check(best, ask.view, ask.evidence)
    refused = _refused(best, points)
    ground = best.ground
    what = "deploy" if best.replaces is None else "replace the pods of its deployment by"
    arguments = pinned(ask.arguments, best)
    return Plan(
        kind=CHANGE.name,
        arguments={**arguments, "nodes": str(best.draft.nodes_per_replica)},
        title=f"{what} {best.draft.title} as {ground.namespace}/{ground.name}",
        because=ask.because,
        steps=() if refused else steps(best.rendering, ask.view),
        effects=(*effects(best), _asked(points)),
        costs=costs(best),
        warnings=tuple(_warnings(best, points, refused)),
        unknown=tuple(f"{one.told.says}.{_fix(one)}".rstrip(".") for one in points if one.told.ok is None),
        undo=() if refused else undo(best.rendering, ask.view),
        size=Size(
            replicas=ground.wish.replicas,
            gpus=ground.wish.replicas * best.draft.gpus,
            namespaces=(ground.namespace,),
        ),
        refused=refused,
        ends_at=ground.wish.until,
        again=typed(arguments),
    )


def _refused(best: Candidate, points: tuple[Point, ...]) -> str:
    """The first no that stands in the way."""
    if best.ground.wish.until is not None and best.ground.wish.replicas == 0:
        return "there is nothing to keep until then."
    return next((_no(one) for one in points if _stops(best, one)), "")


def _stops(best: Candidate, point: Point) -> bool:
    """Only one who says so lets it wait for room."""
    may_wait = point.id == "room" and (best.ground.wish.waits or best.room is Room.AUTOSCALER)
    return point.told.ok is False and not may_wait


def _no(point: Point) -> str:
    wait = " To let it wait for room, add `wait=yes`." if point.id == "room" else ""
    return f"{point.told.says}.{_fix(point)}{wait}"


def _fix(point: Point) -> str:
    """A sentence of its own."""
    fix = point.told.fix
    return f" {fix[:1].upper()}{fix[1:]}." if fix else ""


def _asked(points: tuple[Point, ...]) -> str:
    """What says no, and what could not be told, stands elsewhere."""
    good = sum(1 for one in points if one.told.ok)
    return f"{good} of {count(len(points), 'point')} of the preflight are as they should be"


def _warnings(best: Candidate, points: tuple[Point, ...], refused: str) -> list[str]:
    """Every other no, too: who mends the first one should not find the next only then."""
    told = [*best.draft.warnings]
    if best.room is Room.AUTOSCALER:
        told.append("It waits until an autoscaler has added nodes")
    nos = [f"{one.told.says}.{_fix(one)}" for one in points if one.told.ok is False]
    return [*told, *(one.rstrip(".") for one in nos if not refused.startswith(one))]


def wants(ask: Ask) -> Wanted:
    """Sizes of node groups, and which storage class is the default."""
    groups = Wanted((STATUS,)) if autoscalers(ask.view) else Wanted()
    return groups + wanted_of_points(ask.view)


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    """By the view alone."""
    return followed(plan, view, now, applied_at, NO_EVIDENCE)


CHANGE = ChangeKind(
    "deploy",
    plan,
    follow,
    needs=NEEDS,
    wants=wants,
    follow_seen=followed,
    follow_wants=follow_wants,
    smoke=endpoint,
    smoked=smoked,
    follow_seconds=FOLLOW_SECONDS,
)
