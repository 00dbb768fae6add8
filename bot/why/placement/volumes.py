"""Volumes that keep a pod from its GPUs: where the volume could be instead, tried by leaving the volume out."""

from collections.abc import Iterator

import msgspec

from bot.domain.answer import Remedy
from bot.domain.storage import PersistentVolumeClaim
from bot.domain.words import names
from bot.scheduling.filters.node_volume_limits import Limit
from bot.scheduling.filters.volume_binding import Problem
from bot.scheduling.filters.volume_restrictions import ClaimInUse
from bot.why.change import End, World
from bot.why.placement.blocker import Kind
from bot.why.placement.commands import kubectl
from bot.why.placement.nodes import Survey
from bot.why.placement.storage import ZONE

SELECTED = "volume.kubernetes.io/selected-node"
NODES_TRIED = 6


def remedies(survey: Survey, world: World) -> Iterator[Remedy]:
    """For the first claim that is in the way of nodes which would do otherwise."""
    yield from _detached(survey, world)
    for group in survey.groups:
        for one in group.blockers:
            if one.kind is not Kind.VOLUME or not one.about:
                continue
            without = tuple(volume for volume in world.pod.volumes if volume.claim != one.about)
            fits = World(msgspec.structs.replace(world.pod, volumes=without), world.state).fits(group.nodes)
            if fits:
                if isinstance(one.detail, ClaimInUse):
                    yield from _shared(survey, one.about, one.detail, fits)
                else:
                    yield from _for_claim(survey, one.about, one.detail, fits)
                return


def _detached(survey: Survey, world: World) -> Iterator[Remedy]:
    """No more disks can be attached to a node: one pod there that has some would have to go."""
    for group in survey.groups:
        if not any(isinstance(one.detail, Limit) for one in group.blockers):
            continue
        for name in group.nodes[:NODES_TRIED]:
            there = sorted((pod for pod in survey.state.info(name).live if pod.volumes), key=lambda pod: pod.key)
            enough = [pod.key for pod in there if End((pod,), "").apply(world).fits([name])]
            if enough:
                yield Remedy(
                    f"It fits on {name} once one pod with a volume there is gone: {names(enough)}", verified=True
                )
                return


def _shared(survey: Survey, claim: str, detail: ClaimInUse, fits: tuple[str, ...]) -> Iterator[Remedy]:
    """ReadWriteOncePod: one pod at a time, by the claim's own wish."""
    space = survey.pod.namespace
    yield Remedy(
        f"Wait until {names(detail.holders)} has ended: it then fits on {names(fits)}",
        verified=True,
        cost="none, if that pod ends by itself",
    )
    yield Remedy(
        f"Or give it a claim of its own, or one that several pods may use (`ReadWriteOnce` on one node, "
        f"`ReadWriteMany` on any): the access mode of `{claim}` cannot be changed",
        kubectl(space, "get", "pvc", claim, "-o", "yaml"),
        cost="the data has to be copied",
    )


def _for_claim(survey: Survey, claim: str, detail: object, fits: tuple[str, ...]) -> Iterator[Remedy]:
    space = survey.pod.namespace
    record = survey.state.view.persistentvolumeclaims.get(f"{space}/{claim}")
    zones = sorted({zone for name in fits if (zone := survey.state.info(name).node.labels.get(ZONE))})
    where = f" in {names(zones)}" if zones else ""
    if isinstance(detail, Problem) and detail.elsewhere and record is not None and not record.volume:
        yield Remedy(
            f"Let the scheduler choose another node for the volume of `{claim}` than {detail.elsewhere}: "
            f"it then fits on {names(fits)}",
            kubectl(space, "annotate", "pvc", claim, f"{SELECTED}-"),
            verified=True,
            cost="none: no volume has been made yet",
        )
        return
    yield Remedy(
        f"Have the data where the GPUs are: a new claim in place of `{claim}` whose volume is made for the node that "
        f"is chosen{_class(survey, record)}; the pod then fits on {names(fits)}{where}",
        kubectl(space, "get", "pvc", claim, "-o", "yaml"),
        verified=True,
        cost="the data has to be copied or downloaded again; the old volume stays until it is deleted",
    )
    yield Remedy(
        f"Or keep it on storage that every zone reaches (ReadWriteMany or ReadOnlyMany): it then fits on {names(fits)}",
        "",
        verified=True,
        cost="shared storage reads slower than a disk",
    )


def _class(survey: Survey, record: PersistentVolumeClaim | None) -> str:
    """Which storage class does that: one that is there, else what to set."""
    late = sorted(
        one.name for one in survey.state.view.storageclasses.values() if one.binding_mode == "WaitForFirstConsumer"
    )
    own = record.storage_class if record else ""
    if own in late:
        return f" (class `{own}` does that)"
    return (
        f" (class {names([f'`{one}`' for one in late])})"
        if late
        else " (a storage class with `volumeBindingMode: WaitForFirstConsumer`)"
    )
