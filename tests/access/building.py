"""People, plans and changes with defaults: a test names only what matters to it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.access.rules import Grant, Rules
from bot.domain.change import Approval, Change, ChangeState, Plan, Size, Step, Target, Verb
from bot.domain.person import Access, Asker

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # a Monday
HOME, OTHER = "T0HOME", "T0OTHER"
ANA, BEN, CHEN, DORA = "U0ANA", "U0BEN", "U0CHEN", "U0DORA"
RULES = Rules(
    workspaces=frozenset({HOME}),
    operators=(Grant(users=frozenset({ANA, BEN, CHEN})),),
    admins=(Grant(users=frozenset({DORA})),),
)


def minutes(number: float) -> datetime:
    return NOW + timedelta(minutes=number)


def a_person(person: str = ANA, access: Access = Access.OPERATE, **changed: Any) -> Asker:
    return Asker(**({"id": person, "workspace": HOME, "name": "", "channel": "C0OPS", "access": access} | changed))


def a_step(
    name: str = "gpu-3", body: dict[str, Any] | None = None, *, kind: str = "Node", namespace: str = "", **changed: Any
) -> Step:
    target = Target(
        api_version="v1" if kind in ("Node", "Pod") else "apps/v1",
        kind=kind,
        resource=f"{kind.lower()}s",
        namespace=namespace,
        name=name,
    )
    return Step(verb=changed.pop("verb", Verb.PATCH), target=target, body=body or {}, **changed)


CORDON = a_step(body={"spec": {"unschedulable": True}})
UNCORDON = a_step(body={"spec": {"unschedulable": None}})


def a_plan(**changed: Any) -> Plan:
    """A cordon of gpu-3; with `undo=()` there is no way back."""
    size = changed.pop("size", {"nodes": 1})
    defaults: dict[str, Any] = {
        "kind": "cordon",
        "arguments": {"node": "gpu-3"},
        "title": "cordon gpu-3",
        "steps": (CORDON,),
        "undo": (UNCORDON,),
        "size": size if isinstance(size, Size) else Size(**size),
    }
    return Plan(**(defaults | changed))


def a_change(number: int = 1, state: ChangeState = ChangeState.PROPOSED, **changed: Any) -> Change:
    """Asked for by ana two minutes ago, good for half an hour."""
    defaults: dict[str, Any] = {
        "cluster": "prod",
        "plan": a_plan(),
        "requester": ANA,
        "workspace": HOME,
        "channel": "C0OPS",
        "requested_at": minutes(-2),
        "expires_at": minutes(28),
        "needed": 1,
        "nonce": "n1",
    }
    return Change(number=number, state=state, **(defaults | changed))


def a_yes(person: str = BEN, at: datetime = NOW) -> Approval:
    return Approval(person, HOME, at)
