"""What comes of one call that changes a cluster: done, refused with who could help, or not known.

The three are kept apart because the caller goes on differently: a refused call changed nothing and may be told as it
is; of one whose outcome is unknown nothing may be repeated before the object is read again.
"""

import enum
from dataclasses import dataclass, field
from typing import Any

from bot.domain.errors import ClusterError


class Refusal(enum.StrEnum):
    """Why the API server refused, as far as it makes a difference for what to do next."""

    CREDENTIALS = "credentials"  # gpubot itself is not let in
    FORBIDDEN = "forbidden"  # RBAC or another authorizer; in impersonation: the person's rights
    QUOTA = "quota"  # a ResourceQuota is used up
    ADMISSION = "admission"  # a webhook, a policy or another admission plugin
    INVALID = "invalid"  # the object would not be valid
    OWNED = "owned"  # server-side apply: another field manager owns the fields (`owners`)
    REPLACED = "replaced"  # an object of that name is there, but it is another one than was planned for
    CHANGED = "changed"  # it was changed in the meantime
    DISRUPTION = "disruption"  # a PodDisruptionBudget forbids it now
    ABSENT = "absent"  # no such object, or no such kind
    EXISTS = "exists"  # an object of that name is there already
    BUSY = "busy"  # too many requests: later it may go
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FieldOwner:
    """One field that server-side apply will not take from its owner. field: as the API server writes it."""

    manager: str
    field: str


@dataclass(frozen=True, slots=True)
class Done:
    """The API server did it, or would (dry run).

    audit_id: of the API server's audit log, the `Audit-Id` header of its answer; empty where a look was enough. object:
    what it answered, {} where there is nothing left. already: there was nothing to do, since the object was gone.
    warnings: its own, in its words.
    """

    audit_id: str
    object: dict[str, Any] = field(default_factory=dict)
    already: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """May they? allowed: None where nobody could say. reason: one sentence, also for a yes."""

    allowed: bool | None
    reason: str


class WriteRefusedError(ClusterError):
    """Nothing was changed. The text is one sentence: what was refused, why, and who could help.

    status, message: the API server's, 0 and empty where it was not asked. retry_after_seconds: None where it did not
    say. owners: whose fields stand in the way of a server-side apply.
    """

    def __init__(
        self,
        sentence: str,
        *,
        refusal: Refusal,
        status: int = 0,
        reason: str = "",
        message: str = "",
        retry_after_seconds: float | None = None,
        owners: tuple[FieldOwner, ...] = (),
        audit_id: str = "",
    ) -> None:
        super().__init__(sentence, retryable=refusal in (Refusal.BUSY, Refusal.DISRUPTION))
        self.refusal = refusal
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after_seconds = retry_after_seconds
        self.owners = owners
        self.audit_id = audit_id


class WriteUnknownError(ClusterError):
    """It was sent and no answer came, or one that leaves it open: read the object before anything else is done."""

    def __init__(self, sentence: str, *, audit_id: str = "") -> None:
        super().__init__(sentence, retryable=False)
        self.audit_id = audit_id
