"""A refused write as one sentence: what was refused, why, and who could help. Pure.

What the API server says is shown, never obeyed: admission webhooks and policies write what they like.
"""

import re
from collections.abc import Callable

from bot.adapters.cluster import refusals
from bot.adapters.cluster.errors import RefusedError
from bot.domain.change import Step, Verb
from bot.domain.person import Identity
from bot.domain.text import inert
from bot.domain.writing import FieldOwner, Refusal, WriteRefusedError

_DOING = {Verb.PATCH: "change", Verb.APPLY: "change", Verb.CREATE: "create", Verb.DELETE: "delete", Verb.EVICT: "evict"}
_STRICT = "strict decoding error: "
_DENIED = re.compile(
    r'User "(?P<user>.*?)" cannot (?P<verb>[a-z:-]+) resource "(?P<resource>.*?)" in API group "(?P<group>.*?)"'
    r'(?: in the namespace "(?P<namespace>.*?)")?'
)


def refused(error: RefusedError, step: Step, as_: Identity | None) -> WriteRefusedError:
    """The error to raise."""
    refusal, owners = refusals.kind_of(error), refusals.owners_of(error)
    doing = f"{_DOING[step.verb]} {place(step)}"
    return WriteRefusedError(
        _WORDS.get(refusal, _other)(_Told(doing, error, owners, as_)),
        refusal=refusal,
        status=error.status,
        reason=error.reason,
        message=inert(error.message, 1000),
        retry_after_seconds=error.retry_after_seconds,
        owners=owners,
        audit_id=error.audit_id,
    )


def place(step: Step) -> str:
    """`deployment/glm in llm`."""
    target = step.target
    sub = f" ({target.subresource})" if target.subresource else ""
    return inert(f"{target}{sub}{f' in {target.namespace}' if target.namespace else ''}")


class _Told:
    """What there is to tell from."""

    def __init__(self, doing: str, error: RefusedError, owners: tuple[FieldOwner, ...], as_: Identity | None) -> None:
        self.doing = doing
        self.error = error
        self.owners = owners
        self.who = inert(as_.user) if as_ else "gpubot"

    @property
    def said(self) -> str:
        """The server's words; of a strict decoding error, which quotes the whole object, only its end."""
        message = self.error.message
        return inert(message[message.rindex(_STRICT) :] if _STRICT in message else message)


def _credentials(told: _Told) -> str:
    return f"Cannot {told.doing}: gpubot's credentials are not accepted (401); ask whoever installed it."


def _forbidden(told: _Told) -> str:
    denied = _DENIED.search(told.error.message)
    if refusals.is_impersonation(told.error):
        return (
            f"Cannot {told.doing}: gpubot may not act in the name of {told.who}; an administrator of the cluster can "
            f"let it impersonate that user and those groups (docs/rights.md)."
        )
    if denied is None:
        return f"Cannot {told.doing}: the API server forbids it to {told.who} ({told.said})."
    where = f"namespace {denied['namespace']}" if denied["namespace"] else "whole cluster"
    resource = f"{denied['resource']}{'.' if denied['group'] else ''}{denied['group']}"
    return inert(
        f"Cannot {told.doing}: {told.who} lacks the verb {denied['verb']} on {resource} for the {where}; whoever "
        f"grants roles there can give it.",
        400,
    )


def _quota(told: _Told) -> str:
    return f"Cannot {told.doing}: no quota is left ({told.said}); whoever keeps that ResourceQuota can raise it."


def _admission(told: _Told) -> str:
    return f"Cannot {told.doing}: an admission rule of the cluster refuses it ({told.said}); ask whoever keeps it."


def _invalid(told: _Told) -> str:
    return f"Cannot {told.doing}: it would not be valid ({told.said})."


def _owned(told: _Told) -> str:
    fields = ", ".join(f"{owner.field} belongs to {owner.manager}" for owner in told.owners) or told.said
    return inert(f"Cannot {told.doing}: {fields}; change it where that manager takes it from.", 600)


def _replaced(told: _Told) -> str:
    return f"Cannot {told.doing}: it was deleted and made anew since this was planned; plan it again."


def _changed(told: _Told) -> str:
    return f"Cannot {told.doing}: somebody changed it at the same time ({told.said}); plan it again."


def _disruption(told: _Told) -> str:
    budgets = "; ".join(cause.message for cause in told.error.causes if cause.reason == "DisruptionBudget")
    why = inert(budgets) or told.said
    return f"Cannot {told.doing} now: a PodDisruptionBudget forbids it ({why}); its owner can allow more."


def _absent(told: _Told) -> str:
    return f"Cannot {told.doing}: the API server knows no such thing ({told.said})."


def _exists(told: _Told) -> str:
    return f"Cannot {told.doing}: one of that name is there already."


def _busy(told: _Told) -> str:
    wait = told.error.retry_after_seconds
    return f"Cannot {told.doing} now: the API server is busy{f', it asks to wait {wait:g} s' if wait else ''}."


def _other(told: _Told) -> str:
    return f"Cannot {told.doing}: the API server answered {told.error.status} ({told.said})."


_WORDS: dict[Refusal, Callable[[_Told], str]] = {
    Refusal.CREDENTIALS: _credentials,
    Refusal.FORBIDDEN: _forbidden,
    Refusal.QUOTA: _quota,
    Refusal.ADMISSION: _admission,
    Refusal.INVALID: _invalid,
    Refusal.OWNED: _owned,
    Refusal.REPLACED: _replaced,
    Refusal.CHANGED: _changed,
    Refusal.DISRUPTION: _disruption,
    Refusal.ABSENT: _absent,
    Refusal.EXISTS: _exists,
    Refusal.BUSY: _busy,
}
