"""Why a volume claim is not bound: its class, its events, the volumes that exist and why each does not fit.

A class that waits for the first consumer has the volume made on the node that the scheduler has chosen. That choice
stands as an annotation of the claim: if the node vanishes, no other node may have the volume; a pod that names its node
itself never gets one.

kubernetes/kubernetes:pkg/controller/volume/persistentvolume (pv_controller.go, index.go).
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.storage import PersistentVolumeClaim
from bot.domain.words import count
from bot.why.case import Case
from bot.why.claim_finding import claim_finding
from bot.why.existing_volumes import STATIC, asks_for_one, no_volume, of_its_class
from bot.why.finding import Finding, Level
from bot.why.nearest import nearest, there_are
from bot.why.shell import kubectl, quoted
from bot.why.volume_node import node_gone, pinned

WAITS_FOR_POD = "WaitForFirstConsumer"


def why_unbound(case: Case, claim: PersistentVolumeClaim) -> Finding | None:
    """None for a claim that is bound, or that is bound only when its pod is placed."""
    if claim.bound:
        return None
    view = case.view
    if claim.volume:
        return asks_for_one(case, claim)
    cls = view.storageclasses.get(claim.storage_class)
    if claim.storage_class and cls is None and view.knows("storageclasses") and not of_its_class(case, claim):
        return _no_class(case, claim)
    if gone := node_gone(case, claim):
        return claim_finding(case, claim, "node-gone", gone.clause, remedies=gone.remedies)
    failed = next((one for one in _events(case, claim) if one.reason in ("ProvisioningFailed", "VolumeMismatch")), None)
    if failed is not None:
        return _provisioning_failed(case, claim, failed)
    if cls is not None and cls.binding_mode == WAITS_FOR_POD and not claim.selected_node:
        if held := pinned(case, claim):
            return claim_finding(case, claim, "pinned", held.clause, remedies=held.remedies)
        return _waits_for_pod(case, claim)
    if claim.selected_node and case.verdict is not None and not case.verdict.feasible:
        return None  # its volume is for one node, and that node does not take the pod: told with the placement
    if cls is not None and cls.provisioner not in STATIC:
        return _provisioner_silent(case, claim, cls.provisioner)
    return no_volume(case, claim)


def using(case: Case, claim: PersistentVolumeClaim) -> list[Pod]:
    """Pods that are not finished and name the claim."""
    found = (pod for pod in case.view.pods.values() if pod.namespace == claim.namespace and not pod.finished)
    return sorted(
        (pod for pod in found if any(one.claim == claim.name for one in pod.volumes)), key=lambda pod: pod.name
    )


def _events(case: Case, claim: PersistentVolumeClaim) -> list[Event]:
    return case.view.events_on("PersistentVolumeClaim", claim.namespace, claim.name)


def _no_class(case: Case, claim: PersistentVolumeClaim) -> Finding:
    there = list(case.view.storageclasses)
    like = nearest(claim.storage_class, there)
    hint = f" (`{like}` does: a typing mistake?)" if like else ""
    return claim_finding(
        case,
        claim,
        "class-missing",
        f"is not bound: StorageClass `{claim.storage_class}` does not exist{hint}",
        there_are(there, "StorageClass"),
        remedies=(
            Remedy(
                "Make the claim again with a class that exists: the class of a claim cannot be changed",
                kubectl("get", "pvc", claim.name, "-o", "yaml", namespace=claim.namespace),
                cost="nothing is lost: no volume was ever made for it",
            ),
            Remedy(f"Or create StorageClass `{claim.storage_class}`"),
        ),
    )


def _provisioning_failed(case: Case, claim: PersistentVolumeClaim, failed: Event) -> Finding:
    return claim_finding(
        case,
        claim,
        "provisioning",
        f"is not bound: its volume could not be made: {quoted(failed.message, 240)}",
        f"Event {failed.reason}, {count(failed.count, 'time')}, last {failed.time[11:16]}, by "
        f"{failed.source or 'its provisioner'}",
        remedies=(
            Remedy(
                "Correct what the provisioner names; it tries again by itself",
                kubectl("describe", "pvc", claim.name, namespace=claim.namespace),
            ),
        ),
    )


def _waits_for_pod(case: Case, claim: PersistentVolumeClaim) -> Finding | None:
    """Right as it is: the volume is made where its pod is placed."""
    if case.subject.record is not claim:
        return None
    pods = using(case, claim)
    waiting = [pod for pod in pods if not pod.node]
    told = (
        f"no pod uses it, and class `{claim.storage_class}` makes the volume only for a pod that is placed"
        if not pods
        else f"its volume is made when `{(waiting or pods)[0].name}` gets a place, and that pod waits"
    )
    remedy = (
        Remedy("Ask why that pod waits", f"/why {waiting[0].key}")
        if waiting
        else Remedy("Nothing to do: it is bound as soon as a pod that uses it is placed")
    )
    return Finding("references.claim-waits", f"it is not bound yet: {told}", Level.CAUSE, remedies=(remedy,))


def _provisioner_silent(case: Case, claim: PersistentVolumeClaim, provisioner: str) -> Finding:
    """The class names who makes volumes, and nobody did or said anything."""
    view = case.view
    event = next((one for one in _events(case, claim) if one.reason == "ExternalProvisioning"), None)
    gone = view.knows("csidrivers") and provisioner not in view.csidrivers
    why = (
        f"no CSI driver `{provisioner}` is installed"
        if gone
        else f"provisioner `{provisioner}` has not made its volume"
    )
    return claim_finding(
        case,
        claim,
        "provisioner",
        f"is not bound: {why}",
        *((f"Event {event.reason}: {quoted(event.message)}",) if event else ()),
        *((there_are(view.csidrivers, "CSI driver"),) if gone else ()),
        remedies=(
            Remedy(
                f"Look at the pods of `{provisioner}` (its provisioner container)",
                kubectl("describe", "pvc", claim.name, namespace=claim.namespace),
            ),
        ),
        unknown=case.not_read("csidrivers"),
    )


def unbound_claims(case: Case) -> Iterator[PersistentVolumeClaim]:
    """Of the pod, those that exist and are not bound."""
    for volume in case.pod.volumes if case.pod else ():
        claim = case.view.persistentvolumeclaims.get(f"{case.pod.namespace}/{volume.claim}") if case.pod else None
        if claim is not None and not claim.bound:
            yield claim
