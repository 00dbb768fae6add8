"""More replicas: how many may be made, where each would go, which would wait, and why."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from bot.domain.evidence import Evidence
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scaling.fresh_claims import Fresh, fresh_claims, with_claims, without
from bot.scaling.fresh_devices import known, with_devices
from bot.scaling.growing import Growth, growth
from bot.scaling.like import Likeness, likeness, named
from bot.scaling.placing import MOST_PLACED, Placing, place
from bot.scaling.ration import Ration
from bot.scaling.rationing import rations
from bot.scaling.standing import Standing
from bot.scaling.starting import Starting, starting
from bot.scaling.storage import Single, kept_out, singles
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import DEFAULT_SCHEDULER, State
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.placement.nodes import Survey, survey
from bot.why.stages import placement
from bot.why.subject import of_pod

MANY_NODES = 1_000  # beyond them only those remedies are tried that are found at once


@dataclass(frozen=True, slots=True)
class Up:
    """More replicas. starts + hangs + waits + refused = added.

    starts: get a node and can start there. hangs: get a node and cannot mount what another node has. waits: are made
    and find no place, or are not admitted. refused: are not made at all.
    """

    added: int
    starts: int
    hangs: int
    waits: int
    refused: int
    like: Likeness
    rations: tuple[Ration, ...]
    placing: Placing
    stuck: Finding | None
    gates: tuple[str, ...]
    singles: tuple[Single, ...]
    growth: Growth | None
    fresh: Fresh
    starting: Starting
    ahead: int = 0  # pods of it that are asked for already and get nodes before
    blind: str = ""  # why places cannot be told at all


def more(
    view: View,
    policy: Policy,
    now: Standing,
    added: int,
    at: datetime,
    evidence: Evidence,
    snapshot: Snapshot | None = None,
) -> Up:
    like = _countable(view, likeness(view, now))
    ration = rations(now, like.pods, added)
    made = min([added, *(one.room for one in ration if one.refuses)])
    admitted = min([made, *(one.room for one in ration)])
    gates = tuple(_foreign_gates(now))
    placing, fresh, ahead = _placed(view, now, like, 0 if gates else min(admitted, MOST_PLACED), snapshot)
    single = tuple(singles(view, like.first, _own_claims(now))) if like.pods else ()
    landed = len(placing.landed)
    hangs = min(landed, max((kept_out(one, placing.nodes) for one in single), default=0))
    stuck, found = _stuck(policy, placing, at, evidence)
    missing = admitted - landed
    grow = growth(now, like.pods, missing, found, placing.state) if missing and not gates else None
    return Up(
        added,
        starts=landed - hangs,
        hangs=hangs,
        waits=made - landed,
        refused=added - made,
        like=like,
        rations=ration,
        placing=placing,
        stuck=stuck,
        gates=gates,
        singles=single,
        growth=grow,
        fresh=fresh,
        starting=starting(now.pods, evidence),
        ahead=ahead,
        blind=_blind(view, like),
    )


def _ahead(now: Standing) -> int:
    """Pods that are asked for now and have no node yet, made or not: alike, so that they come before the new ones.

    Those of a StatefulSet and of groups are told apart by their volumes and numbers: they are left out.
    """
    if now.maker.kind != "ReplicaSet":
        return 0
    placed = sum(1 for pod in now.pods if pod.node or pod.nominated)
    return max(0, now.wanted - placed)


def _placed(
    view: View, now: Standing, like: Likeness, number: int, snapshot: Snapshot | None
) -> tuple[Placing, Fresh, int]:
    """Also how many others like them are placed first: their landings are left out."""
    ahead = _ahead(now)
    replicas = list(named(like, now, number + ahead if number else 0))
    fresh = fresh_claims(view, now.thing, [pod for pods in replicas for pod in pods])
    shown = with_devices(with_claims(view, fresh), [pod for pods in replicas for pod in pods])
    ready = [tuple(without(pod, fresh.anywhere) for pod in pods) for pods in replicas]
    placing = place(ready, State(shown, snapshot=snapshot if shown is view else None), now.pods)
    return replace(placing, landed=placing.landed[ahead:]), fresh, min(ahead, len(placing.landed))


def _countable(view: View, like: Likeness) -> Likeness:
    """Gates are told by themselves; claims made from a template that was not read cannot be counted."""
    plain: dict[int, Pod] = {}
    for pod in like.pods:
        counted = pod.spec.claims if known(view, pod) else tuple(one for one in pod.spec.claims if one.claim)
        if id(pod) not in plain and (pod.gated or pod.spec.gates or counted != pod.spec.claims):
            spec = msgspec.structs.replace(pod.spec, claims=counted, gates=())
            plain[id(pod)] = msgspec.structs.replace(pod, gated=False, spec=spec)
    return Likeness(tuple(plain.get(id(pod), pod) for pod in like.pods), like.seen) if plain else like


def _foreign_gates(now: Standing) -> Iterator[str]:
    """Those of the template; Kueue's own is lifted when it admits."""
    template = now.maker.fields.each("spec", "template", "spec", "schedulingGates")
    own = {one.text("name") for one in template}
    return (gate for gate in sorted(own) if not gate.startswith("kueue.x-k8s.io/"))


def _stuck(policy: Policy, placing: Placing, at: datetime, evidence: Evidence) -> tuple[Finding | None, Survey | None]:
    """Why the next replica waits, by the words of `/why`."""
    verdict, view = placing.stuck, placing.state.view
    if verdict is None:
        return None, None
    brief = len(view.nodes) > MANY_NODES
    case = Case(of_pod(verdict.pod), view, at, policy, evidence, verdict.pod, shared=placing.state, brief=brief)
    case.verdict = verdict
    finding = next(iter(placement.judge(case)), None)
    if verdict.nodes and verdict.prefilter is None and not verdict.feasible:
        return finding, survey(verdict.pod, placing.state, verdict)
    return finding, None


def _blind(view: View, like: Likeness) -> str:
    for kind in ("nodes", "pods"):
        if not view.knows(kind):
            source = view.source(kind)
            return f"{kind} could not be read ({source.detail or source.reading})"
    scheduler = like.first.scheduler if like.pods else ""
    if scheduler not in ("", DEFAULT_SCHEDULER):
        return f"another scheduler (`{scheduler}`) places these pods, by rules of its own"
    return ""


def _own_claims(now: Standing) -> frozenset[str]:
    """Volumes of which a StatefulSet makes one for each pod."""
    return frozenset(one.text("metadata", "name") for one in now.thing.fields.each("spec", "volumeClaimTemplates"))
