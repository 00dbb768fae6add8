"""Volumes that only one node, or only one pod, can use at a time: more replicas than one then wait for ever to mount.

kubernetes/api:core/v1/types.go (PersistentVolumeAccessMode). The scheduler does not look at ReadWriteOnce: such a pod
gets a node and hangs there with a Multi-Attach error, its GPUs held. On the node that has the volume it would start.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.storage import PersistentVolumeClaim
from bot.domain.view import View
from bot.scheduling.volumes.claims import ONE_POD

ONE_NODE = "ReadWriteOnce"


@dataclass(frozen=True, slots=True)
class Single:
    """`claim` is shared by all replicas and only one node can mount it. `node` has it now, empty for none yet."""

    claim: PersistentVolumeClaim
    node: str
    holder: str = ""

    @property
    def one_pod(self) -> bool:
        return ONE_POD in self.claim.access_modes

    def starts(self, node: str) -> bool:
        """Whether a pod there could mount it."""
        return not self.one_pod and self.node in ("", node)


def singles(view: View, pod: Pod, own: Container[str] = ()) -> Iterator[Single]:
    """Claims that the template itself names: of volumes in `own` each pod has one of its own."""
    for volume in pod.volumes:
        claim = view.persistentvolumeclaims.get(f"{pod.namespace}/{volume.claim}") if volume.claim else None
        if claim is None or volume.ephemeral or volume.name in own or not _single(claim):
            continue
        users = sorted(_users(view, pod.namespace, volume.claim), key=lambda one: (one.phase != "Running", one.key))
        attached = next((one.node for one in users if one.phase == "Running"), _attached(view, claim))
        yield Single(claim, attached, next((one.name for one in users if one.node == attached), ""))


def _single(claim: PersistentVolumeClaim) -> bool:
    return bool(claim.access_modes) and claim.access_modes <= {ONE_NODE, ONE_POD}


def _users(view: View, namespace: str, claim: str) -> Iterator[Pod]:
    for pods in view.pods_by_node.values():
        for pod in pods:
            if pod.volumes and pod.namespace == namespace and not pod.finished and _mounts(pod, claim):
                yield pod


def _mounts(pod: Pod, claim: str) -> bool:
    return any(one.claim == claim for one in pod.volumes)


def _attached(view: View, claim: PersistentVolumeClaim) -> str:
    return next(
        (one.node for one in view.volumeattachments.values() if claim.volume and one.volume == claim.volume), ""
    )


def kept_out(single: Single, nodes: Sequence[str]) -> int:
    """How many of the pods that land on these nodes would hang, the first of all being the one that mounts it."""
    home = single.node or (nodes[0] if nodes else "")
    return sum(1 for node in nodes if single.one_pod or node != home) - (1 if single.one_pod and not single.node else 0)
