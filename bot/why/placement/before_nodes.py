"""What keeps a pod from all nodes before any is looked at: claims, device classes, an affinity at odds with itself.

Claims that are missing or not bound are told by name with the references: here only what is left of it.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.scheduling.cycle import Rejection
from bot.scheduling.messages import parse, sentence
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.missing_claims import no_devices
from bot.why.nearest import nearest, there_are
from bot.why.shell import kubectl
from bot.why.unbound import unbound_claims, why_unbound


def findings(case: Case, rejection: Rejection) -> Iterator[Finding]:
    """At most one; nothing where the claim behind it is told by name elsewhere."""
    pod = case.pod
    if pod is None or _told_by_name(case, pod):
        return
    if device_class := _missing_class(case, pod):
        yield _no_class(case, pod, *device_class)
        return
    said = ", ".join(sentence(one) for reason in rejection.failure.reasons for one in parse(reason).body)
    yield Finding(f"before-nodes.{rejection.plugin.lower()}", said, weight=-10, numbers={"plugin": rejection.plugin})


def _told_by_name(case: Case, pod: Pod) -> bool:
    claims, known = case.view.persistentvolumeclaims, case.view.knows("persistentvolumeclaims")
    for volume in pod.volumes:
        claim = claims.get(f"{pod.namespace}/{volume.claim}") if volume.claim else None
        if volume.claim and known and (claim is None or claim.deleted):
            return True
    if any(why_unbound(case, claim) is not None for claim in unbound_claims(case)):
        return True
    return any(no_devices(case, pod))


def _missing_class(case: Case, pod: Pod) -> tuple[str, str] | None:
    """Claim and device class, where the claim asks for devices of a class that does not exist."""
    made = dict(pod.made_claims)
    for one in pod.spec.claims:
        name = one.claim or made.get(one.name, "")
        claim = case.view.resourceclaims.get(f"{pod.namespace}/{name}")
        for request in claim.requests if claim and not claim.is_allocated else ():
            for each in request.alternatives or (request,):
                if each.device_class and each.device_class not in case.view.deviceclasses:
                    return name, each.device_class
    return None


def _no_class(case: Case, pod: Pod, claim: str, device_class: str) -> Finding:
    there = list(case.view.deviceclasses)
    like = nearest(device_class, there)
    hint = f" (`{like}` does: a typing mistake?)" if like else ""
    return Finding(
        "references.no-device-class",
        f"its claim `{claim}` asks for devices of class `{device_class}`, which does not exist{hint}",
        evidence=(there_are(there, "DeviceClass"),),
        remedies=(
            Remedy(
                "Name a class that exists in the claim, or in its template: what a claim asks for cannot be changed, "
                "so make the claim and the pod anew",
                kubectl("get", "resourceclaim", claim, "-o", "yaml", namespace=pod.namespace),
            ),
            Remedy(f"Or create DeviceClass `{device_class}` (drivers bring theirs along)", "kubectl get deviceclass"),
        ),
        unknown=case.not_read("deviceclasses"),
    )
