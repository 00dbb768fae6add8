"""Claims that a pod names and that do not exist: for volumes, and for devices."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.nearest import nearest, there_are
from bot.why.shell import kubectl, quoted


def no_claim(case: Case, pod: Pod, name: str, *, ephemeral: bool) -> Finding:
    there = [one.name for one in case.view.persistentvolumeclaims.values() if one.namespace == pod.namespace]
    like = nearest(name, there)
    elsewhere = sorted(one.namespace for one in case.view.persistentvolumeclaims.values() if one.name == name)
    other = (
        f"; one of that name is in {names(elsewhere)}, but a pod can only use those of its own namespace"
        if elsewhere
        else ""
    )
    hint = f" (`{like}` does: a typing mistake?)" if like else ""
    made = ", which is made for the pod by kube-controller-manager" if ephemeral else ""
    return Finding(
        "references.no-claim",
        f"it uses PersistentVolumeClaim `{name}`{made}, which does not exist in namespace {pod.namespace}{hint}{other}",
        evidence=(there_are(there, "PersistentVolumeClaim"),),
        remedies=(
            Remedy("Create the claim: the pod goes on by itself", kubectl("get", "pvc", namespace=pod.namespace)),
            Remedy("Or name the right one in the template: the volumes of a pod cannot be changed"),
        ),
    )


def no_devices(case: Case, pod: Pod) -> Iterator[Finding]:
    """Without its claims a pod never enters the scheduler's queue, and no event of the scheduler says so."""
    made = dict(pod.made_claims)
    for claim in pod.spec.claims:
        if claim.claim:
            yield from _no_device_claim(case, pod, claim.claim)
        elif claim.template and claim.name not in made:
            yield from _no_template(case, pod, claim.name, claim.template)


def _no_device_claim(case: Case, pod: Pod, name: str) -> Iterator[Finding]:
    view = case.view
    if f"{pod.namespace}/{name}" in view.resourceclaims or not view.knows("resourceclaims"):
        return
    there = [one.name for one in view.resourceclaims.values() if one.namespace == pod.namespace]
    like = nearest(name, there)
    yield Finding(
        "references.no-resource-claim",
        f"it uses ResourceClaim `{name}`, which does not exist in namespace "
        f"{pod.namespace}{f' (`{like}` does: a typing mistake?)' if like else ''}; until it does, the scheduler does "
        "not look at the pod and says nothing",
        evidence=(there_are(there, "ResourceClaim"),),
        remedies=(
            Remedy(
                "Create the claim: the pod goes on by itself", kubectl("get", "resourceclaims", namespace=pod.namespace)
            ),
        ),
    )


def _no_template(case: Case, pod: Pod, name: str, template: str) -> Iterator[Finding]:
    """No claim was made from the template, mostly because there is none of that name."""
    there = [one.name for one in case.view.things("resourceclaimtemplates").values() if one.namespace == pod.namespace]
    event = next((one for one in case.events if one.reason == "FailedResourceClaimCreation"), None)
    absent = template not in there and case.view.knows("resourceclaimtemplates")
    if not absent and event is None:
        return
    like = nearest(template, there) if absent else ""
    why = (
        f"ResourceClaimTemplate `{template}` does not exist in namespace "
        f"{pod.namespace}{f' (`{like}` does: a typing mistake?)' if like else ''}"
        if absent
        else f"no claim could be made from ResourceClaimTemplate `{template}`"
    )
    yield Finding(
        "references.no-claim-template",
        f"{why}: its devices `{name}` have no claim, and until then the scheduler does not look at the pod and says "
        "nothing",
        evidence=(
            *((there_are(there, "ResourceClaimTemplate"),) if absent else ()),
            *((f"Event {event.reason}: {quoted(event.message)}",) if event else ()),
        ),
        remedies=(
            Remedy(
                "Create the template: the pod goes on by itself",
                kubectl("get", "resourceclaimtemplates", namespace=pod.namespace),
            ),
        ),
    )
