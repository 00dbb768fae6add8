"""The pods of one more replica: like one that is there, with all that admission put into it, else from the template."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.pod_spec import Volume
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling.fresh_devices import with_names
from bot.scaling.like_group import of_group
from bot.scaling.standing import Standing
from bot.scaling.template_pod import template_pod
from bot.why.lws_groups import groups_of
from bot.why.makers import pods_under
from bot.why.revisions import REVISION

MOST_IN_GROUP = 256


@dataclass(frozen=True, slots=True)
class Likeness:
    """`pods` of one replica, none of them placed. `seen`: they are like pods that are there."""

    pods: tuple[Pod, ...]
    seen: bool

    @property
    def first(self) -> Pod:
        return self.pods[0]


def likeness(view: View, now: Standing) -> Likeness:
    """What one more replica is made of."""
    if now.thing.kind == "LeaderWorkerSet":
        return _group(view, now)
    live = _newest(view, now)
    if live is not None:
        return Likeness((_loose(live),), seen=True)
    return Likeness((template_pod(view, now.maker, _template(now.maker)),), seen=False)


def _template(maker: Thing) -> Fields:
    if maker.kind == "InferenceService":  # its predictor is the pod's spec as it stands
        return Fields({"metadata": {}, "spec": maker.fields.at("spec", "predictor").data})
    return maker.fields.at("spec", "template")


def _newest(view: View, now: Standing) -> Pod | None:
    """The newest pod of the template that new ones would have."""
    revision = now.maker.fields.text("status", "updateRevision") if now.maker.kind == "StatefulSet" else ""
    pods = [pod for pod in pods_under(view, now.maker) if not pod.finished and not pod.deleted]
    fit = [pod for pod in pods if not revision or pod.labels.get(REVISION, revision) == revision]
    return fit[-1] if fit else None


def _loose(pod: Pod) -> Pod:
    """As its controller would make it again. What bound it to one node is gone with its name."""
    return msgspec.structs.replace(
        pod,
        node="",
        phase="Pending",
        uid="",
        nominated="",
        started="",
        deleted="",
        gated=False,
        made_claims=(),
        claims=tuple(one.claim for one in pod.spec.claims if one.claim),
        conditions=(),
        states=(),
    )


def _group(view: View, now: Standing) -> Likeness:
    """Leader and workers."""
    whole = [group for group in groups_of(view, now.thing) if len(group.pods) >= group.size]
    if whole:
        return Likeness(tuple(_loose(pod) for pod in whole[-1].pods), seen=True)
    template = now.thing.fields.at("spec", "leaderWorkerTemplate")
    worker = template_pod(view, now.thing, template.at("workerTemplate"))
    told = template.at("leaderTemplate")
    leader = template_pod(view, now.thing, told) if told else worker
    return Likeness((leader, *[worker] * (min(now.size, MOST_IN_GROUP) - 1)), seen=False)


def named(like: Likeness, now: Standing, number: int) -> Iterator[tuple[Pod, ...]]:
    """The pods of the next replicas, by the names that they would have as far as names are known beforehand."""
    for ordinal in range(now.next_number, now.next_number + number):
        pods = of_group(like.pods, now.thing, ordinal) if now.thing.kind == "LeaderWorkerSet" else like.pods
        yield tuple(with_names(_named(pod, now, ordinal, place)) for place, pod in enumerate(pods))


def _named(pod: Pod, now: Standing, ordinal: int, place: int) -> Pod:
    if now.thing.kind == "StatefulSet":
        return renamed(pod, f"{now.thing.name}-{ordinal}", now.thing)
    if now.thing.kind == "LeaderWorkerSet":
        return renamed(pod, f"{now.thing.name}-{ordinal}" + (f"-{place}" if place else ""), None)
    return renamed(pod, f"{now.maker.name}-new-{ordinal}", None)


def renamed(pod: Pod, name: str, owner: Thing | None) -> Pod:
    """With the claims that are called after the pod."""
    volumes: Sequence[Volume] = pod.volumes
    if owner is not None:
        own = {one.text("metadata", "name") for one in owner.fields.each("spec", "volumeClaimTemplates")}
        kept = [one for one in volumes if one.name not in own]
        volumes = [*kept, *(Volume(one, claim=f"{one}-{name}") for one in sorted(own))]
    fresh = tuple(Volume(one.name, f"{name}-{one.name}", ephemeral=True) if one.ephemeral else one for one in volumes)
    return msgspec.structs.replace(pod, name=name, volumes=fresh)
