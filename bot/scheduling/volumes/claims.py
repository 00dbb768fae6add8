"""Claims that a pod names, and what is wrong with them in kube-scheduler's words."""

from bot.domain.pod import Pod
from bot.domain.pod_spec import Volume
from bot.domain.storage import PersistentVolumeClaim
from bot.domain.view import View

ONE_POD = "ReadWriteOncePod"
WAITING = "WaitForFirstConsumer"


def find(view: View, pod: Pod, volume: Volume) -> PersistentVolumeClaim | None:
    return view.persistentvolumeclaims.get(f"{pod.namespace}/{volume.claim}")


def has_claim(volume: Volume) -> bool:
    """A claim of its own, or one that is made for an ephemeral volume; its name may be empty in a file."""
    return volume.ephemeral or not (volume.csi_driver or volume.disk)


def missing(name: str) -> str:
    return f'persistentvolumeclaim "{name}" not found'


def is_owned(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Whether the claim of an ephemeral volume was made for this pod; files may leave uids out."""
    owner = claim.owner
    if owner is None:
        return False
    return owner.uid == pod.uid if owner.uid and pod.uid else (owner.kind, owner.name) == ("Pod", pod.name)


def stranger(claim: PersistentVolumeClaim, pod: Pod) -> str:
    return f"PVC {claim.namespace}/{claim.name} was not created for pod {pod.namespace}/{pod.name} (pod is not owner)"


def waits(view: View, claim: PersistentVolumeClaim) -> bool:
    """Whether its volume is chosen once a pod has a node."""
    found = view.storageclasses.get(claim.storage_class)
    return found is not None and found.binding_mode == WAITING
