"""Volume claims that do not exist yet and would be made for new pods: a StatefulSet's own, and ephemeral volumes.

They are put into a view beside the real ones, so that the volume filters judge them as they would be judged: bound
nowhere, waiting for a node, or (Immediate) about to get a volume that nobody can place beforehand.
"""

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.pod_spec import Volume
from bot.domain.record import Owner
from bot.domain.storage import IMMEDIATE, PersistentVolumeClaim
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scheduling.volumes.claims import has_claim


@dataclass(frozen=True, slots=True)
class Fresh:
    """`made` would be made. `anywhere`: those whose volume is made before a node is chosen. `kept` exist already, from
    an earlier pod of the same number.
    """

    made: tuple[PersistentVolumeClaim, ...] = ()
    anywhere: tuple[str, ...] = ()
    kept: tuple[PersistentVolumeClaim, ...] = ()


def fresh_claims(view: View, owner: Thing, pods: Iterable[Pod]) -> Fresh:
    templates = {one.text("metadata", "name"): one for one in owner.fields.each("spec", "volumeClaimTemplates")}
    made: list[PersistentVolumeClaim] = []
    anywhere: list[str] = []
    kept: list[PersistentVolumeClaim] = []
    for pod, volume in _claimed(pods):
        there = view.persistentvolumeclaims.get(f"{pod.namespace}/{volume.claim}")
        if there is not None:
            if volume.name in templates:
                kept.append(there)
        elif volume.ephemeral or volume.name in templates:
            claim = _claim(view, pod, volume, templates.get(volume.name, Fields()))
            made.append(claim)
            if _is_immediate(view, claim):
                anywhere.append(claim.name)
    return Fresh(tuple(made), tuple(anywhere), tuple(kept))


def with_claims(view: View, fresh: Fresh) -> View:
    """The same view with these claims beside the others. Those that are made at once restrict no node: left out."""
    if not fresh.made:
        return view
    other = copy.copy(view)
    other.persistentvolumeclaims = {
        **view.persistentvolumeclaims,
        **{f"{one.namespace}/{one.name}": one for one in fresh.made},
    }
    return other


def without(pod: Pod, names: Iterable[str]) -> Pod:
    """The pod without volumes of these claims."""
    gone = set(names)
    if not gone:
        return pod
    return msgspec.structs.replace(pod, volumes=tuple(one for one in pod.volumes if one.claim not in gone))


def _claimed(pods: Iterable[Pod]) -> Iterator[tuple[Pod, Volume]]:
    for pod in pods:
        for volume in pod.volumes:
            if has_claim(volume) and volume.claim:
                yield pod, volume


def _claim(view: View, pod: Pod, volume: Volume, template: Fields) -> PersistentVolumeClaim:
    name = template.text("spec", "storageClassName") or _default(view)
    owner = Owner("Pod", pod.name) if volume.ephemeral else None
    modes = frozenset(template.texts("spec", "accessModes"))
    return PersistentVolumeClaim(
        name=volume.claim, namespace=pod.namespace, owner=owner, storage_class=name, phase="Pending", access_modes=modes
    )


def _default(view: View) -> str:
    """The only class there is, or one that is called the default; annotations of classes are not kept."""
    known = list(view.storageclasses)
    return known[0] if len(known) == 1 else next((name for name in known if name == "default"), "")


def _is_immediate(view: View, claim: PersistentVolumeClaim) -> bool:
    known = view.storageclasses.get(claim.storage_class)
    return known is None or known.binding_mode == IMMEDIATE
