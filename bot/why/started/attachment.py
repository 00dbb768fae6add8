"""A volume that another node holds: whose it is, who uses it there, and why it cannot be in two places."""

from dataclasses import dataclass

from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim
from bot.why.case import Case
from bot.why.started.plain import plain

_VOLUME = Pattern(r"for volume \"([^\"]{1,200})\"")
_USERS = Pattern(r"already used by pod\(s\) ([\w., /-]{1,400})")


@dataclass(frozen=True, slots=True)
class Attachment:
    """`users`: pods elsewhere that use the claim; `said_users`: as the event says. `nodes`: where the volume is."""

    volume: str
    claim: str = ""
    modes: tuple[str, ...] = ()
    users: tuple[Pod, ...] = ()
    nodes: tuple[str, ...] = ()
    said_users: str = ""

    @property
    def one_node_only(self) -> bool:
        return bool(self.modes) and set(self.modes) <= {"ReadWriteOnce", "ReadWriteOncePod"}

    @property
    def leaving(self) -> bool:
        """Whether all that hold it are being ended: then it comes free by itself."""
        return bool(self.users) and all(one.deleted for one in self.users)


def attachment(case: Case, pod: Pod, message: str) -> Attachment:
    """From an event that names the volume; the claim is found through the volume, else through the pod's claims."""
    found = _VOLUME.search(message)
    name = plain(found[1]) if found else ""
    volume = case.view.persistentvolumes.get(name)
    claim = _claim(case, pod, name, volume)
    modes = claim.access_modes if claim else volume.access_modes if volume else frozenset()
    users = _users(case, pod, claim)
    attached = [one.node for one in case.view.volumeattachments.values() if one.volume == name and one.node != pod.node]
    said = _USERS.search(message)
    return Attachment(
        volume=name,
        claim=claim.name if claim else "",
        modes=tuple(sorted(modes)),
        users=users,
        nodes=tuple(sorted({one.node for one in users} | set(attached))),
        said_users=said[1].strip() if said else "",
    )


def _claim(case: Case, pod: Pod, name: str, volume: PersistentVolume | None) -> PersistentVolumeClaim | None:
    table = case.view.persistentvolumeclaims
    if volume is not None and volume.claim is not None:
        return table.get(f"{volume.claim[0]}/{volume.claim[1]}")
    own = [table.get(f"{pod.namespace}/{one.claim}") for one in pod.volumes if one.claim]
    bound = [one for one in own if one is not None]
    return next((one for one in bound if one.volume == name), bound[0] if len(bound) == 1 else None)


def _users(case: Case, pod: Pod, claim: PersistentVolumeClaim | None) -> tuple[Pod, ...]:
    if claim is None:
        return ()
    found = (
        one
        for one in case.view.pods.values()
        if one.namespace == claim.namespace and one.occupies and one.node != pod.node
        if any(volume.claim == claim.name for volume in one.volumes)
    )
    return tuple(sorted(found, key=lambda one: one.key))
