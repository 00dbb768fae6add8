"""The resource claims of a pod, and what is wrong with them in kube-scheduler's words.

kubernetes/dynamic-resource-allocation:resourceclaim/resourceclaim.go
"""

from collections.abc import Iterator

from bot.domain.dra import ResourceClaim
from bot.domain.pod import Pod
from bot.domain.pod_spec import ClaimRef
from bot.domain.view import View


class MissingError(Exception):
    """A claim that the pod needs is not there, or not its own."""


def of_pod(view: View, pod: Pod) -> list[ResourceClaim]:
    """In the order of the spec; where none was needed, none. Raises MissingError."""
    return [claim for ref in pod.spec.claims if (claim := _of_ref(view, pod, ref)) is not None]


def _of_ref(view: View, pod: Pod, ref: ClaimRef) -> ResourceClaim | None:
    name = ref.claim or _made(pod, ref)
    if not name:
        return None
    claim = view.resourceclaims.get(f"{pod.namespace}/{name}")
    if claim is None:
        raise MissingError(f'could not find ResourceClaim "{pod.namespace}/{name}"')
    if claim.deleted:
        raise MissingError(f'resourceclaim "{claim.name}" is being deleted')
    if not ref.claim and not owned(claim, pod):
        where = f"{claim.namespace}/{claim.name} was not created for Pod {pod.namespace}/{pod.name}"
        raise MissingError(f"ResourceClaim {where} (Pod is not owner)")
    return claim


def _made(pod: Pod, ref: ClaimRef) -> str:
    """The claim that was made from the template; empty where the controller said that none was needed."""
    if not ref.template:
        where = f'pod "{pod.namespace}/{pod.name}", spec.resourceClaim "{ref.name}"'
        raise MissingError(f"{where}: none of the supported fields are set")
    for name, made in pod.made_claims:
        if name == ref.name:
            return made
    raise MissingError(f'pod "{pod.namespace}/{pod.name}": ResourceClaim not created yet')


def owned(claim: ResourceClaim, pod: Pod) -> bool:
    """Files may leave uids out."""
    owner = claim.owner
    if owner is None:
        return False
    return owner.uid == pod.uid if owner.uid and pod.uid else (owner.kind, owner.name) == ("Pod", pod.name)


def left_over(view: View, pod: Pod) -> ResourceClaim | None:
    """The claim that an earlier attempt made for the pod's extended resources."""
    return next(_made_for(view, pod), None)


def _made_for(view: View, pod: Pod) -> Iterator[ResourceClaim]:
    for claim in view.resourceclaims.values():
        if claim.extended and claim.owner is not None and claim.owner.name == pod.name and owned(claim, pod):
            yield claim


def holds_alone(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether nobody else needs what the claim was given, so that the scheduler may take it back."""
    return not claim.reserved_uids or claim.reserved_uids == (pod.uid,)
