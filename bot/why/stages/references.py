"""Things that it names and that do not exist, or are not ready to be used.

    claims       a PersistentVolumeClaim that is missing or not bound; also the answer to `/why pvc/NAME`
    devices      a ResourceClaim or its template that is missing: kube-scheduler says nothing at all about such a pod
    RuntimeClass that was taken away after the pod was made
    ConfigMap    that the kubelet has missed and that exists by now (missing ones are told with the mounts)

A name that is nearly right is told. Events: kubernetes/kubernetes:pkg/controller/resourceclaim.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.evidence import ObjectRef, Wanted
from bot.domain.pod import Pod
from bot.domain.storage import PersistentVolumeClaim
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding, Stage
from bot.why.missing_claims import no_claim, no_devices
from bot.why.nearest import there_are
from bot.why.shell import kubectl, quoted
from bot.why.standing import rank
from bot.why.started.missing_object import missing_object
from bot.why.unbound import unbound_claims, using, why_unbound

WELL = 8


def judge(case: Case) -> Iterator[Finding]:
    if isinstance(case.subject.record, PersistentVolumeClaim):
        yield from _claim_itself(case, case.subject.record)
        return
    pod = case.pod
    if pod is None or pod.finished or pod.deleted or rank(pod)[0] == WELL:
        return
    if not pod.node:
        yield from _claims(case, pod)
        yield from no_devices(case, pod)
        return
    if pod.phase == "Pending":
        yield from _pinned(case)
    yield from _runtime_class(case, pod)
    yield from _made_since(case, pod)


def wants(case: Case) -> Wanted:
    """ConfigMaps that the kubelet has not found: they may be there by now."""
    pod = case.pod
    if pod is None or not pod.node or pod.phase != "Pending":
        return Wanted()
    return Wanted(tuple(ObjectRef("ConfigMap", pod.namespace, name) for name in list(_not_found(case))[:4]))


# ---- volume claims ---------------------------------------------------------------------------------------------------


def _claim_itself(case: Case, claim: PersistentVolumeClaim) -> Iterator[Finding]:
    if claim.deleted:
        pods = [f"`{pod.name}`" for pod in using(case, claim)]
        held = (
            f"{names(pods, 3)} still use{'s' if len(pods) == 1 else ''} it"
            if pods
            else "its volume is still being let go"
        )
        yield Finding("references.claim-deleted", f"it is being deleted and stays until nobody uses it: {held}")
    elif (found := why_unbound(case, claim)) is not None:
        yield found


def _users(case: Case, claim: PersistentVolumeClaim) -> str:
    """Who keeps it from going."""
    others = [f"`{pod.name}`" for pod in using(case, claim) if pod is not case.pod]
    return f", and it stays as long as {names(others, 3)} use{'s' if len(others) == 1 else ''} it" if others else ""


def _claims(case: Case, pod: Pod) -> Iterator[Finding]:
    """Missing ones by name; of unbound ones why."""
    for volume in pod.volumes:
        if not volume.claim or not case.view.knows("persistentvolumeclaims"):
            continue
        claim = case.view.persistentvolumeclaims.get(f"{pod.namespace}/{volume.claim}")
        if claim is None:
            yield no_claim(case, pod, volume.claim, ephemeral=volume.ephemeral)
        elif claim.deleted:
            yield Finding(
                "references.claim-deleted",
                f"its claim `{claim.name}` is being deleted: a new pod may not use it any more{_users(case, claim)}",
                remedies=(
                    Remedy(
                        "Let the deletion end, then create the claim again",
                        kubectl("get", "pvc", claim.name, namespace=pod.namespace),
                    ),
                ),
            )
    for claim in unbound_claims(case):
        found = why_unbound(case, claim) if not claim.deleted else None
        if found is not None:
            yield found


def _pinned(case: Case) -> Iterator[Finding]:
    """It has a node, and a claim that only a scheduler could have bound."""
    for claim in unbound_claims(case):
        found = why_unbound(case, claim) if not claim.deleted else None
        if found is not None and found.id == "references.claim-pinned":
            yield found


# ---- what the kubelet does not find ----------------------------------------------------------------------------------


def _runtime_class(case: Case, pod: Pod) -> Iterator[Finding]:
    name = pod.runtime_class
    if (
        not name
        or pod.phase != "Pending"
        or not case.view.knows("runtimeclasses")
        or name in case.view.things("runtimeclasses")
    ):
        return
    there = list(case.view.things("runtimeclasses"))
    yield Finding(
        "references.no-runtime-class",
        f"it wants RuntimeClass `{name}`, which does not exist (any more), so its node cannot start it",
        evidence=(there_are(there, "RuntimeClass"),),
        remedies=(
            Remedy(f"Create RuntimeClass `{name}` again (the GPU operator makes `nvidia`)", "kubectl get runtimeclass"),
        ),
    )


def _not_found(case: Case) -> dict[str, Event]:
    """ConfigMaps by name, with the newest event that misses them."""
    found: dict[str, Event] = {}
    for event in case.events[:50]:
        missing = missing_object(event.message)
        if missing is not None and missing.kind == "ConfigMap" and missing.name and not missing.key:
            found.setdefault(missing.name, event)
    return found


def _made_since(case: Case, pod: Pod) -> Iterator[Finding]:
    """The kubelet's last word is older than the object: nothing needs to be done."""
    for name, event in _not_found(case).items() if pod.phase == "Pending" else ():
        made = case.evidence.object("ConfigMap", pod.namespace, name).text("metadata", "creationTimestamp")
        if made and event.time < made:
            yield Finding(
                "references.made-since",
                f"ConfigMap `{name}` was missing when the kubelet looked, and is there by now: it looks again "
                "within 2 min",
                evidence=(f"Created {made}; event {event.reason} at {event.time}: {quoted(event.message)}",),
                until="the kubelet mounts it, within 2 min",
            )


STAGE = Stage(
    "references",
    50,
    judge,
    wants=wants,
    needs=frozenset(
        {
            "pods",
            "persistentvolumeclaims",
            "persistentvolumes",
            "storageclasses",
            "csidrivers",
            "resourceclaims",
            "resourceclaimtemplates",
            "runtimeclasses",
            "events",
        }
    ),
    docs=__doc__ or "",
)
