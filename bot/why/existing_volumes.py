"""A claim for which nobody makes a volume: of those that exist one must fit, or be the one that it names."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim
from bot.domain.words import count
from bot.why.case import Case
from bot.why.claim_finding import claim_finding
from bot.why.finding import Finding
from bot.why.nearest import there_are
from bot.why.shell import kubectl
from bot.why.volume_fit import misfit, size

STATIC = ("", "kubernetes.io/no-provisioner")
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
SHOWN = 4


def asks_for_one(case: Case, claim: PersistentVolumeClaim) -> Finding | None:
    """It names its volume: whether that is there and free."""
    volume = case.view.persistentvolumes.get(claim.volume)
    if volume is None:
        if not case.view.knows("persistentvolumes"):
            return None
        lost = claim.phase == "Lost"
        clause = "has lost its volume" if lost else "is not bound: it asks for volume"
        return claim_finding(
            case,
            claim,
            "volume-missing",
            f"{clause} `{claim.volume}`, which does not exist{' any more' if lost else ''}",
            remedies=tuple(_anew(claim)),
        )
    why = misfit(claim, volume)
    return (
        claim_finding(case, claim, "volume-taken", f"is not bound: volume `{volume.name}`, which it asks for, {why}")
        if why
        else None
    )


def _anew(claim: PersistentVolumeClaim) -> Iterator[Remedy]:
    yield Remedy(
        f"If the data still lies in the storage: make PersistentVolume `{claim.volume}` for it again, with its handle"
    )
    yield Remedy(
        "Else delete the claim and make it anew: it gets an empty volume",
        kubectl("delete", "pvc", claim.name, namespace=claim.namespace),
        cost="what was on the volume has to be copied or downloaded again",
    )


def no_volume(case: Case, claim: PersistentVolumeClaim) -> Finding:
    """Nobody makes volumes for it: one that exists must fit."""
    volumes = of_its_class(case, claim)
    cls = (
        f"class `{claim.storage_class}` has no provisioner"
        if claim.storage_class
        else "it names no StorageClass and there is no default"
    )
    lines = [f"`{one.name}` {misfit(claim, one)}" for one in volumes[:SHOWN]]
    classes = sorted(one.name for one in case.view.storageclasses.values() if one.provisioner not in STATIC)
    lines += [there_are(classes, "StorageClass")] if classes else []
    fits = f"none of {count(len(volumes), 'volume')} that could fit" if volumes else "there is no volume of its class"
    want = ", ".join(filter(None, (size(claim.size), *sorted(claim.access_modes))))
    return claim_finding(
        case,
        claim,
        "no-volume",
        f"is not bound: {cls}, and {fits}{f' is free and suits ({want})' if volumes else f' (it asks for {want})'}",
        *lines,
        remedies=(
            *_default_class(claim, classes),
            Remedy("Make the claim with a StorageClass that has a provisioner", "kubectl get storageclass"),
            Remedy(f"Or create a volume of at least {size(claim.size) or 'its size'} for it"),
        ),
        unknown=case.not_read("persistentvolumes", "storageclasses"),
    )


def _default_class(claim: PersistentVolumeClaim, classes: list[str]) -> Iterator[Remedy]:
    """Claims that name no class get the default one also later (kubernetes/kubernetes:pkg/controller/volume/
    persistentvolume/pv_controller.go, assignDefaultStorageClass; since 1.28, before that behind a gate).
    """
    if not claim.storage_class and classes:
        yield Remedy(
            f"Make a class the default, such as `{classes[0]}`: claims that name none then get it",
            kubectl("annotate", "storageclass", classes[0], f"{DEFAULT_CLASS}=true", "--overwrite"),
            cost="it is the default for the whole cluster; releases before 1.26 give it to new claims only",
        )


def of_its_class(case: Case, claim: PersistentVolumeClaim) -> list[PersistentVolume]:
    found = [one for one in case.view.persistentvolumes.values() if one.storage_class == claim.storage_class]
    return sorted(found, key=lambda one: (one.claim is not None, one.name))
