"""How many replicas there are now, of which controller, which template new ones would have, and who belongs to it."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scaling.forms import replicas_of
from bot.why.ask import case_of
from bot.why.case import Case
from bot.why.lws_groups import size_of
from bot.why.makers import children, pods_under
from bot.why.rolling import Rollout, images, ready_replicas, rollout
from bot.why.subject import of_thing


@dataclass(frozen=True, slots=True)
class Standing:
    """`maker`: the controller whose template new pods get (the newest ReplicaSet of a Deployment); else the thing.

    wanted: replicas now. pods: all that count, each pod of a group. size: pods of one replica. old: a paused rollout
    whose new pods have an older template than the object says.
    """

    thing: Thing
    case: Case
    maker: Thing
    wanted: int
    pods: tuple[Pod, ...]
    size: int = 1
    rolling: Rollout | None = None

    @property
    def ready(self) -> int:
        return ready_replicas(self.pods, self.size)

    @property
    def missing(self) -> int:
        """Replicas that are asked for and not made."""
        return max(0, self.wanted - -(-len(self.pods) // self.size))

    @property
    def paused(self) -> bool:
        return self.thing.kind == "Deployment" and self.thing.fields.flag("spec", "paused") is True

    @property
    def old_template(self) -> bool:
        """Whether new pods get another template than the object's own, because its rollout is paused."""
        return self.paused and self.rolling is not None and self.rolling.new is None and self.maker is not self.thing

    @property
    def first_number(self) -> int:
        """Of the first pod of a StatefulSet."""
        return self.thing.fields.number("spec", "ordinals", "start") or 0 if self.thing.kind == "StatefulSet" else 0

    @property
    def next_number(self) -> int:
        """Of the next pod of a StatefulSet, the next group."""
        return self.first_number + self.wanted

    @property
    def numbered(self) -> tuple[Pod | None, ...]:
        """The pods that a StatefulSet should have, in order; None for one that is not there."""
        there = {pod.name: pod for pod in self.pods}
        return tuple(there.get(f"{self.thing.name}-{number}") for number in range(self.first_number, self.next_number))

    @property
    def template_specs(self) -> tuple[Fields, ...]:
        """The pod spec of each pod of one replica."""
        if self.thing.kind != "LeaderWorkerSet":
            return (self.maker.fields.at("spec", "template", "spec"),)
        template = self.thing.fields.at("spec", "leaderWorkerTemplate")
        worker = template.at("workerTemplate", "spec")
        leader = template.at("leaderTemplate", "spec") if template.get("leaderTemplate") else worker
        return (leader, *[worker] * (self.size - 1))

    @property
    def images(self) -> dict[str, str]:
        """Of the pods that would be made."""
        return images(self.maker.fields)


def standing(view: View, policy: Policy, thing: Thing, now: datetime, evidence: Evidence = NO_EVIDENCE) -> Standing:
    case = case_of(of_thing(view, thing), view, policy, now, evidence)
    rolling = rollout(case) if thing.kind == "Deployment" else None
    pods = tuple(pod for pod in case.subject.pods or _loose(view, thing) if not pod.finished and not pod.deleted)
    size = size_of(thing) if thing.kind == "LeaderWorkerSet" else 1
    return Standing(thing, case, _maker(view, thing, rolling), replicas_of(thing), pods, size, rolling)


def _loose(view: View, thing: Thing) -> tuple[Pod, ...]:
    """Objects from files may have no uid: then names tell."""
    below = (pod for one in children(view, thing) for pod in pods_under(view, one))
    return tuple(dict.fromkeys((*pods_under(view, thing), *below)))


def _maker(view: View, thing: Thing, rolling: Rollout | None) -> Thing:
    """Whoever makes the pods. While a rollout is paused the newest ReplicaSet that has pods goes on to be scaled.

    kubernetes/kubernetes:pkg/controller/deployment/deployment_controller.go (syncDeployment: paused → sync only scales)
    """
    if rolling is not None:
        newest = sorted(children(view, thing), key=lambda one: (one.created, one.name), reverse=True)
        found = rolling.new or next(iter(rolling.old or newest), thing)
        return found if found.fields.get("spec", "template") else thing  # of empty ReplicaSets no template is kept
    if thing.kind == "InferenceService":
        below = [one for one in children(view, thing) if one.kind == "Deployment"]
        predictor = [one for one in below if "predictor" in one.name]
        return next(iter(predictor or below), thing)
    return thing
