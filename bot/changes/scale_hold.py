"""Before replicas are taken: requests in flight on the pods that go are waited for, by the engines' own metrics."""

from datetime import UTC, datetime

from bot.domain.change import Plan
from bot.domain.evidence import Evidence, Wanted
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.policy import Policy
from bot.scaling import in_flight as flight
from bot.scaling.forms import replicas_of
from bot.scaling.leaving import leaving
from bot.scaling.standing import standing

DRAINED_SECONDS = 300  # for so long at most
_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)  # which pods there are does not hang on it


def hold(plan: Plan, view: View, now: datetime, approved_at: datetime, evidence: Evidence) -> str:
    """Why it is not begun yet. New requests may come to these pods all the same: that is what the limit is for."""
    waited = (now - approved_at).total_seconds()
    if waited >= DRAINED_SECONDS:
        return ""
    busy = flight.in_flight(_going(plan, view, now, evidence), evidence)
    if not busy.running + busy.queued:
        return ""
    left = DRAINED_SECONDS - int(waited)
    return f"{count(busy.running + busy.queued, 'request')} in flight on the pods that go: waiting, {left} s at most."


def hold_wants(plan: Plan, view: View) -> Wanted:
    thing = _planned(plan, view)
    return Wanted(flight.wanted(standing(view, Policy(), thing, _ANY_TIME).pods)) if thing is not None else Wanted()


def _planned(plan: Plan, view: View) -> Thing | None:
    """Only where the plan takes replicas."""
    thing = view.thing(*(plan.arguments[one] for one in ("kind", "namespace", "name")))
    return thing if thing is not None and int(plan.arguments["replicas"]) < replicas_of(thing) else None


def _going(plan: Plan, view: View, now: datetime, evidence: Evidence) -> tuple[Pod, ...]:
    thing = _planned(plan, view)
    if thing is None:
        return ()
    there = standing(view, Policy(), thing, now)
    return leaving(view, there, there.wanted - int(plan.arguments["replicas"]), now, evidence).pods
