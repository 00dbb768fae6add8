"""A change of a cluster as data: planned, shown, approved, checked anew, applied, followed, undone, recorded.

A `Plan` says what would be done and what comes of it; it is made by a pure function of the cluster, so that it can be
made again at the click and compared. A `Change` is a plan on its way, one row of the store.
"""

import enum
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from bot.domain.intent import Intent


class Verb(enum.StrEnum):
    """How one object is changed."""

    PATCH = "patch"  # a JSON merge patch of the object, or of its subresource
    APPLY = "apply"  # server-side apply with field manager gpubot
    CREATE = "create"
    DELETE = "delete"
    EVICT = "evict"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One object. `api_version` as in manifests (`apps/v1`); `resource` is the plural in the API's path.

    uid: where it is set, the step holds only for that very object.
    """

    api_version: str
    kind: str
    resource: str
    namespace: str = ""
    name: str
    uid: str = ""
    subresource: str = ""  # scale, status, eviction

    def __str__(self) -> str:
        return f"{self.kind.lower()}/{self.name}"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One call to the API server. Applied twice it does what it does once.

    body: the patch or the whole object. before and after: what people see of it, field path → value. says: in words.
    command: the same with kubectl, for whoever prefers to do it by hand.
    """

    verb: Verb
    target: Target
    body: dict[str, Any] = {}
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    says: str = ""
    command: str = ""


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How much a plan touches: what approvals and the breaker go by."""

    nodes: int = 0
    replicas: int = 0  # added or taken
    gpus: int = 0
    evictions: int = 0
    namespaces: tuple[str, ...] = ()


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be done, and what comes of it.

    kind and arguments: from these the same plan is made again. title: what is done, as a clause (`scale llm/glm from 2
    to 4`). effects: what comes of it, in sentences. costs: what it takes from whom. warnings: what speaks against it.
    instead: what to do instead, where somebody else would undo it. undo: the steps back, empty where there are none.
    cleanup: steps that are done whatever happens. refused: why it cannot be done at all, empty where it can.
    ends_at: when a temporary change is undone by itself. again: what is typed to ask for the same once more, where that
    makes sense after it has failed.
    """

    kind: str
    arguments: dict[str, str]
    title: str
    because: str = ""
    steps: tuple[Step, ...] = ()
    effects: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    undo: tuple[Step, ...] = ()
    cleanup: tuple[Step, ...] = ()
    size: Size = Size()
    refused: str = ""
    ends_at: datetime | None = None
    again: str = ""

    @property
    def digest(self) -> str:
        """The same as long as the same would be done: what was approved is compared with what holds at the click."""
        told = (self.kind, self.arguments, self.steps, self.undo, self.cleanup, self.size, self.refused, self.ends_at)
        return hashlib.sha256(msgspec.json.encode(told, order="deterministic")).hexdigest()


class ChangeState(enum.StrEnum):
    """Where a change stands. Nothing leaves an end state but APPLIED, which may be undone."""

    PROPOSED = "proposed"  # waits for approvals
    APPROVED = "approved"  # waits to be applied
    APPLYING = "applying"  # some steps may be done
    FOLLOWING = "following"  # all steps are done, the cluster is not there yet
    APPLIED = "applied"  # done and verified
    FAILED = "failed"  # a step was refused, or it never got there: `told` says what is done
    REFUSED = "refused"  # by an approver
    EXPIRED = "expired"
    OUTDATED = "outdated"  # the plan no longer held at the click; a new one was shown
    UNDOING = "undoing"
    UNDONE = "undone"


class Approval(msgspec.Struct, frozen=True):
    """One person's yes or no."""

    person: str
    workspace: str
    at: datetime
    yes: bool = True


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One plan on its way. `done` counts the steps that are recorded as done; `nonce` is all that a button carries."""

    number: int
    cluster: str
    plan: Plan
    state: ChangeState
    requester: str
    workspace: str = ""
    channel: str = ""
    requested_at: datetime
    expires_at: datetime
    needed: int = 0  # approvals by others
    approvals: tuple[Approval, ...] = ()
    nonce: str = ""
    done: int = 0
    applied_at: datetime | None = None
    told: str = ""  # what came of it, a sentence
    undo_at: datetime | None = None
    audit_ids: tuple[str, ...] = ()  # of the API server's own audit log


@dataclass(frozen=True, slots=True)
class Propose(Intent):
    """Ask for that change: the beginning of its way."""

    plan: Plan
