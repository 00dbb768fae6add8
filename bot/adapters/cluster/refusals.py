"""What a refusal of the API server means for a write: which kind it is, and who owns the field in the way. Pure.

Kinds are told by status, reason and causes; by words only where the API server has nothing else. The words are those
of kubernetes/apiserver (pkg/registry/rest, pkg/registry/generic/registry) and of admission plugins, asserted against
a real one in tests/cluster.
"""

import re

from bot.adapters.cluster.errors import RefusedError
from bot.domain.text import inert
from bot.domain.writing import FieldOwner, Refusal

_OTHER_UID = re.compile(r"\bUID in (the )?precondition\b|\buid mismatch\b")
_NO_RIGHT = re.compile(r' cannot [a-z:-]+ resource "')
# since 1.36 also by the verbs of constrained impersonation: impersonate-on:user-info:patch
_IMPERSONATION = re.compile(r' cannot impersonate(-on)?(:[a-z:-]+)? resource "')
_QUOTA = re.compile(r"\b(exceeded|failed) quota: ")
_WEBHOOK = re.compile(r'\badmission webhook "|\bfailed calling webhook "|ValidatingAdmissionPolicy ')
_TWO_BUDGETS = "has more than one PodDisruptionBudget"
_MANAGER = re.compile(r'^conflict with "((?:[^"\\]|\\.)*)"')


def is_certain(error: RefusedError) -> bool:
    """Whether nothing was changed. A 5xx of a gateway, or of a server that lost etcd in between, leaves it open."""
    return error.status < 500 or error.status == 501 or kind_of(error) is not Refusal.OTHER


def kind_of(error: RefusedError) -> Refusal:
    match error.status:
        case 401:
            return Refusal.CREDENTIALS
        case 403:
            return _forbidden(error)
        case 404:
            return Refusal.ABSENT
        case 409:
            return _conflict(error)
        case 429:
            return _too_many(error)
    return _other(error)


def owners_of(error: RefusedError) -> tuple[FieldOwner, ...]:
    """Who owns what server-side apply would have changed (kubernetes/apimachinery:pkg/api/errors, NewApplyConflict)."""
    found = []
    for cause in error.causes:
        named = _MANAGER.match(cause.message)
        if cause.reason == "FieldManagerConflict" and named:
            found.append(FieldOwner(inert(named[1].replace('\\"', '"')), inert(cause.field)))
    return tuple(found)


def is_impersonation(error: RefusedError) -> bool:
    """gpubot itself may not act in that name."""
    return _IMPERSONATION.search(error.message) is not None


def _forbidden(error: RefusedError) -> Refusal:
    if _QUOTA.search(error.message):
        return Refusal.QUOTA
    if _WEBHOOK.search(error.message):
        return Refusal.ADMISSION
    return Refusal.FORBIDDEN if _NO_RIGHT.search(error.message) else Refusal.ADMISSION


def _conflict(error: RefusedError) -> Refusal:
    if error.reason == "AlreadyExists":
        return Refusal.EXISTS
    if any(cause.reason == "FieldManagerConflict" for cause in error.causes):
        return Refusal.OWNED
    return Refusal.REPLACED if _OTHER_UID.search(error.message) else Refusal.CHANGED


def _too_many(error: RefusedError) -> Refusal:
    budget = any(cause.reason == "DisruptionBudget" for cause in error.causes)
    return Refusal.DISRUPTION if budget else Refusal.BUSY


def _other(error: RefusedError) -> Refusal:
    if any(cause.field == "metadata.uid" for cause in error.causes):
        return Refusal.REPLACED
    if _WEBHOOK.search(error.message):
        return Refusal.ADMISSION
    if _TWO_BUDGETS in error.message:
        return Refusal.DISRUPTION
    return Refusal.INVALID if error.status in (400, 405, 413, 415, 422) else Refusal.OTHER
