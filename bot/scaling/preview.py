"""All that comes of another number of replicas, worked out on a copy of the cluster."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.evidence import NO_EVIDENCE, Evidence, ObjectRef, Wanted
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.kind import gpus_of
from bot.gpu.policy import Policy
from bot.scaling import in_flight as flight
from bot.scaling import leaving as going
from bot.scaling import ration_refused as refused
from bot.scaling.fewer import Down, fewer
from bot.scaling.fresh_devices import gpus_asked
from bot.scaling.keeper import Keeper
from bot.scaling.keepers import keepers
from bot.scaling.leaving import leaving
from bot.scaling.more import Up, more
from bot.scaling.standing import Standing, standing
from bot.scheduling.snapshot import Snapshot
from bot.why.autoscaler_status import STATUS, autoscalers


@dataclass(frozen=True, slots=True)
class Preview:
    """`wanted` is the number afterwards. Exactly one of `up` and `down` is there, unless the number is the same."""

    now: Standing
    wanted: int
    keepers: tuple[Keeper, ...]
    up: Up | None = None
    down: Down | None = None

    @property
    def thing(self) -> Thing:
        return self.now.thing

    @property
    def delta(self) -> int:
        return self.wanted - self.now.wanted

    @property
    def gpus_each(self) -> int:
        """GPUs of one replica, slices and shares counted as one each."""
        return sum(gpus_of(pod) + gpus_asked(self.now.case.view, pod) for pod in self.one)

    @property
    def one(self) -> tuple[Pod, ...]:
        """The pods of one replica."""
        return self.up.like.pods if self.up is not None else self.now.pods[: self.now.size]

    @property
    def undone(self) -> Keeper | None:
        """Whoever sets the number to another one for sure."""
        return next((one for one in self.keepers if one.back_to is not None and one.back_to != self.wanted), None)


def preview(
    view: View,
    policy: Policy,
    thing: Thing,
    wanted: int,
    at: datetime,
    evidence: Evidence = NO_EVIDENCE,
    snapshot: Snapshot | None = None,
) -> Preview:
    """snapshot: of the view, for several questions about it as it is now."""
    now = standing(view, policy, thing, at, evidence)
    kept = keepers(now, wanted)
    if wanted > now.wanted:
        return Preview(now, wanted, kept, up=more(view, policy, now, wanted - now.wanted, at, evidence, snapshot))
    if wanted < now.wanted:
        return Preview(now, wanted, kept, down=fewer(view, now, now.wanted - wanted, at, evidence))
    return Preview(now, wanted, kept)


def wants(view: View, policy: Policy, thing: Thing, wanted: int, at: datetime) -> Wanted:
    """The object itself (who writes it), its pods (when they became ready, what decides their order), metrics of those
    that go, sizes of node groups.
    """
    now = standing(view, policy, thing, at)
    refs = Wanted((ObjectRef(thing.kind, thing.namespace, thing.name), refused.wanted(thing.namespace)))
    refs += Wanted(going.wanted(now.pods))
    if wanted < now.wanted:
        gone = leaving(view, now, now.wanted - wanted, at, NO_EVIDENCE)
        return refs + Wanted(flight.wanted(now.pods if not gone.sure else gone.pods))
    return refs + (Wanted((STATUS,)) if autoscalers(view) else Wanted())
