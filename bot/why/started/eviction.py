"""What a kubelet says when it evicts a pod, taken apart.

kubernetes/kubernetes:pkg/kubelet/eviction/helpers.go and eviction_manager.go. For ephemeral storage a container's use
is its own root disk and its logs; volumes are counted for the pod, not for the container.
"""

from dataclasses import dataclass
from fractions import Fraction

from bot.domain.pattern import Pattern
from bot.domain.quantity import parsed

DISK = "ephemeral-storage"
LITTLE = 2**30  # bytes: less than that on its own root disk fills no node

_LOW = Pattern(r"The node was low on resource: ([\w.-]{1,60}?)\.(?: |$)")
_THRESHOLD = Pattern(r"Threshold quantity: (\w{1,30}), available: (\w{1,30})\b")
_USER = Pattern(r"Container ([\w.-]{1,80}) was using (\w{1,30}), request is (\w{1,30}), has larger consumption")
_CONTAINER_LIMIT = Pattern(r"Container ([\w.-]{1,80}) exceeded its local ephemeral storage limit \"?(\w{1,30})")
_POD_LIMIT = Pattern(r"Pod ephemeral local storage usage exceeds the total limit of containers (\w{1,30})\b")
_VOLUME_LIMIT = Pattern(r"Usage of EmptyDir volume \"?([\w.-]{1,80}?)\"? exceeds the limit \"?(\w{1,30})")
_CONDITION = Pattern(r"The node had condition: \[([\w, ]{1,120})\]")


@dataclass(frozen=True, slots=True)
class User:
    """A container that used more than it asked for."""

    container: str
    used: str
    asked: str

    @property
    def asked_nothing(self) -> bool:
        return self.asked in ("0", "")

    @property
    def used_bytes(self) -> Fraction:
        """0 where the quantity cannot be read."""
        return parsed(self.used) or Fraction(0)


@dataclass(frozen=True, slots=True)
class Eviction:
    """`resource`: what the node ran short of. `limit_of` with `limit`: whose own limit was passed instead."""

    resource: str = ""
    threshold: str = ""
    available: str = ""
    users: tuple[User, ...] = ()
    limit_of: str = ""
    limit: str = ""
    condition: str = ""
    volume: str = ""  # the emptyDir whose limit was passed

    @property
    def user(self) -> User | None:
        """Who used most."""
        return max(self.users, key=lambda one: one.used_bytes, default=None)

    @property
    def by_others(self) -> bool:
        """Whether something else filled the disk: kubelets list all that are above their request, even by a bit."""
        return self.resource == DISK and self.user is not None and self.user.used_bytes < LITTLE


def read_eviction(message: str) -> Eviction:
    """Never raises; what a release words otherwise is left empty."""
    low, threshold, condition = _LOW.search(message), _THRESHOLD.search(message), _CONDITION.search(message)
    whose, limit = _limit(message)
    return Eviction(
        resource=low[1] if low else "",
        threshold=threshold[1] if threshold else "",
        available=threshold[2] if threshold else "",
        users=tuple(User(*found.groups()) for found in _USER.finditer(message)),
        limit_of=whose,
        limit=limit,
        condition=condition[1] if condition else "",
        volume=volume[1] if (volume := _VOLUME_LIMIT.search(message)) else "",
    )


def _limit(message: str) -> tuple[str, str]:
    if found := _CONTAINER_LIMIT.search(message):
        return f"container `{found[1]}`", found[2]
    if found := _VOLUME_LIMIT.search(message):
        return f"the emptyDir volume `{found[1]}`", found[2]
    if found := _POD_LIMIT.search(message):
        return "the pod", found[1]
    return "", ""
