"""NodeVolumeLimits: how many volumes of a driver a node may attach (CSINode).

`detail` is a Limit. kubernetes/kubernetes:pkg/scheduler/framework/plugins/nodevolumelimits
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.pod_spec import Volume
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim
from bot.domain.view import View
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.volumes import claims, in_tree

EXCEEDED = ("node(s) exceed max volume count",)
READS = ("persistentvolumeclaims", "persistentvolumes", "storageclasses", "csinodes", "volumeattachments")

Handles = dict[tuple[str, str], str]  # driver and handle → driver


@dataclass(frozen=True, slots=True)
class Limit:
    """Volumes of one driver on a node: at most `most`, `attached` now, and so many `new` ones of the pod."""

    driver: str
    most: int
    attached: int
    new: int


class UncountableError(Exception):
    """A claim that cannot be counted; `code` says what that means for the node."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.failure = Failure(code, (reason,))


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    """Attachments by node, once for all nodes."""
    counted = (one for one in pod.volumes if claims.has_claim(one) or (one.disk and one.disk.kind in in_tree.MOVED))
    if next(counted, None) is None:
        return SKIP
    attached: dict[str, Handles] = {}
    for one in state.view.volumeattachments.values():
        volume = state.view.persistentvolumes.get(one.volume)
        if one.attacher and volume is not None and volume.driver:
            attached.setdefault(one.node, {})[one.attacher, volume.handle] = one.attacher
    return PreFilterResult(data=attached)


def node_volume_limits(pod: Pod, info: NodeInfo, data: Mapping[str, Handles], state: State) -> Failure | None:
    view = state.view
    csi_node = view.csinodes.get(info.node.name)
    moved = csi_node is not None
    try:
        new = _handles(view, pod, moved=moved, new=True)
        limits = {name: most for name, most in csi_node.drivers.items() if most is not None} if csi_node else {}
        if not new or not limits:
            return None
        used: Handles = {}
        for other in info.live:
            if other.volumes:
                used |= _handles(view, other, moved=moved, new=False)
    except UncountableError as error:
        return error.failure
    return _exceeded(new, used, data.get(info.node.name, {}), limits)


def _exceeded(new: Handles, used: Handles, attached: Handles, limits: Mapping[str, int]) -> Failure | None:
    fresh = [driver for handle, driver in new.items() if handle not in used]
    there = [*used.values(), *(driver for handle, driver in attached.items() if handle not in used)]
    for driver in dict.fromkeys(fresh):
        most = limits.get(driver)
        if most is not None and there.count(driver) + fresh.count(driver) > most:
            limit = Limit(driver, most, there.count(driver), fresh.count(driver))
            return Failure(Code.UNSCHEDULABLE, EXCEEDED, limit)
    return None


def _handles(view: View, pod: Pod, *, moved: bool, new: bool) -> Handles:
    """What the pod attaches. A claim that is missing matters for a new pod only. Raises UncountableError."""
    found: Handles = {}
    for volume in pod.volumes:
        if not claims.has_claim(volume):
            counted = _of_disk(volume) if moved else None
        elif not volume.claim:
            raise UncountableError(Code.ERROR, "PersistentVolumeClaim had no name")
        else:
            claim = claims.find(view, pod, volume)
            if claim is None and new:
                reason = f"looking up PVC {pod.namespace}/{volume.claim}: {claims.missing(volume.claim)}"
                raise UncountableError(Code.UNRESOLVABLE, reason)
            if claim is None:
                continue
            if volume.ephemeral and not claims.is_owned(claim, pod):
                raise UncountableError(Code.ERROR, claims.stranger(claim, pod))
            counted = _of_claim(view, claim, moved)
        if counted is not None and all(counted):
            found[counted] = counted[0]
    return found


def _of_disk(volume: Volume) -> tuple[str, str] | None:
    """A disk that the pod names itself. Raises UncountableError."""
    try:
        return in_tree.attached_as(volume.disk) if volume.disk else None
    except in_tree.TranslationError as error:
        reason = f"converting volume({volume.name}) from inline to csi: {error}"
        raise UncountableError(Code.ERROR, reason) from error


def _translated(volume: PersistentVolume) -> tuple[str, str] | None:
    """One that makes no sense to its driver is not counted."""
    try:
        return in_tree.attached_as(volume.disk, volume.labels) if volume.disk else None
    except in_tree.TranslationError:
        return None


def _of_claim(view: View, claim: PersistentVolumeClaim, moved: bool) -> tuple[str, str] | None:
    """Driver and handle; a volume that is still to be made has a handle of its own, for the driver of its class."""
    volume = view.persistentvolumes.get(claim.volume) if claim.volume else None
    if volume is not None:
        if volume.driver:
            return volume.driver, volume.handle
        return _translated(volume) if moved else None
    storage_class = view.storageclasses.get(claim.storage_class)
    if storage_class is None:
        return None
    provisioner, handle = storage_class.provisioner, f"\0{claim.namespace}/{claim.name}"
    if provisioner in in_tree.UNCOUNTED:
        return None
    if (plugin := in_tree.BY_PLUGIN.get(provisioner)) is not None:
        return (plugin.driver, handle) if moved else None
    return provisioner, handle


def minds(data: Mapping[str, Handles], other: Pod) -> bool:
    del data
    return bool(other.volumes)


FILTER = Filter(
    name="NodeVolumeLimits",
    docs="https://kubernetes.io/docs/concepts/storage/storage-limits/",
    prefilter=prefilter,
    filter=node_volume_limits,
    minds=minds,
)
