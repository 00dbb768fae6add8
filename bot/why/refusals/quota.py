"""A namespace's ResourceQuota says no: by how much, who uses it, what to raise.

A quota counts every pod that is not finished, Pending ones too. It is the API server that refuses, so free GPUs in the
cluster do not matter. kubernetes/apiserver:pkg/admission/plugin/resourcequota/controller.go.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.gpu.owners import top_owner
from bot.why.amounts import amount_of, hard_of, number, of_template
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.refusals import finished_pods
from bot.why.refusals.refused import NO_POD, Refused
from bot.why.rolling import one_at_a_time
from bot.why.shell import kubectl, patch

LAST_RETRY_SECONDS = (
    1_000  # the longest wait of a controller's queue: client-go:util/workqueue/default_rate_limiters.go
)
SHOWN = 4


def exceeded(refused: Refused) -> Finding:
    """`exceeded quota`: in numbers of now, where the quota is read, else in those of the message."""
    refusal = refused.refusal
    quota = refused.case.view.thing("ResourceQuota", refused.namespace, refusal.name)
    fields = refused.case.fields(quota) if quota else Fields()
    used = fields.map("status", "used") or dict(refusal.used)
    hard = hard_of(fields) or dict(refusal.limited)
    over = [one for one in refusal.requested if not _fits(one, refusal.requested[one], used, hard)]
    if not over:
        return _room_again(refused)
    resource = min(over, key=lambda name: (not _is_device(name), name))
    told = f"{_said(resource, used)} of {_said(resource, hard)} `{resource}` are used"
    asked = f"{'it' if refusal.claim else 'each pod'} asks for {_said(resource, refusal.requested)}"
    return refused.finding(
        _clause(refused, told, asked),
        *_numbers(over, refusal.requested, used, hard),
        *_users(refused, resource),
        *finished_pods.told(refused, resource),
        *_next(refused),
        remedies=(
            *finished_pods.remedies(refused, resource),
            *_surge_remedies(refused),
            _raise(refused, over, used, hard),
        ),
        useless=("Free GPUs and more nodes do not help: the quota is what is full, not the cluster",),
        what="quota-surge" if _is_surge(refused) else "",
    )


def _is_surge(refused: Refused) -> bool:
    """Whether only the extra pod of a rolling update is missing."""
    rolling = refused.rolling
    if rolling is None or rolling.recreate or not rolling.surge or not rolling.under_way:
        return False
    return refused.maker.thing is rolling.new and len(rolling.old_pods) + len(rolling.new_pods) >= rolling.wanted


def _clause(refused: Refused, told: str, asked: str) -> str:
    name, rolling = refused.refusal.name, refused.rolling
    if rolling is None or not _is_surge(refused):
        return (
            f"quota `{name}` of namespace {refused.namespace} has no room for {refused.pods}: {told}, {asked}; {NO_POD}"
        )
    serve = f", {count(len(rolling.serving), 'old pod')} still serve" if rolling.serving else ""
    return (
        f"the rolling update begins with an extra pod (surge: {rolling.words}) and quota `{name}` has no room for it: "
        f"{told}, {asked}; {NO_POD}{serve}"
    )


def _surge_remedies(refused: Refused) -> tuple[Remedy, ...]:
    if refused.rolling is None or not _is_surge(refused):
        return ()
    return (one_at_a_time(refused.rolling, "one pod fewer serves while each new one starts"),)


def _raise(refused: Refused, over: list[str], used: Mapping[str, str], hard: Mapping[str, str]) -> Remedy:
    """To what the missing pods need, not more."""
    pods = 1 if _is_surge(refused) else refused.missing
    wanted = {one: _quantity(one, _amount(one, used) + pods * _amount(one, refused.refusal.requested)) for one in over}
    words = ", ".join(f"{one} from {hard.get(one, '?')} to {value}" for one, value in wanted.items())
    change = json.dumps({"spec": {"hard": wanted}})
    command = patch("resourcequota", refused.refusal.name, change, namespace=refused.namespace)
    return Remedy(
        f"Raise the quota by {count(pods, 'pod')}: {words}", command, cost="whoever gave the quota should agree"
    )


def _room_again(refused: Refused) -> Finding:
    """The numbers have changed since the refusal: the controller has not tried again yet."""
    title, namespace = refused.maker.thing.title, refused.namespace
    return refused.finding(
        f"quota `{refused.refusal.name}` refused {refused.pods}, but has room by now: the controller tries again at "
        f"the latest {LAST_RETRY_SECONDS // 60} min after its last try",
        remedies=(
            Remedy("Have it try at once", kubectl("annotate", title, "retry=now", "--overwrite", namespace=namespace)),
        ),
        what="quota-room-again",
    )


def _next(refused: Refused) -> Iterator[str]:
    """Another quota that has no room either: the API server tells only the first."""
    quotas = refused.case.view.things("resourcequotas").values()
    for quota in (one for one in quotas if one.namespace == refused.namespace and one.name != refused.refusal.name):
        if asked := would_exceed(refused.case, quota, refused.template):
            amounts = ", ".join(f"`{one}` {value}" for one, value in asked.items())
            yield f"Quota `{quota.name}` has no room for it either (one more pod: {amounts})"
            return


# ---- without a message -----------------------------------------------------------------------------------------------


def would_exceed(case: Case, quota: Thing, template: Fields) -> dict[str, str]:
    """What one more pod of that template asks of the quota, where it has no room for that; empty where it has.

    Quotas with scopes are left out: which pods they mean is not told by requests.
    """
    fields = case.fields(quota)
    if fields.get("spec", "scopes") or fields.get("spec", "scopeSelector"):
        return {}
    hard, used = fields.map("status", "hard"), fields.map("status", "used")
    asked = of_template(template)
    wanted = {one: _of_pod(one, asked) for one in hard}
    requested = {one: _quantity(one, value) for one, value in wanted.items() if value}
    return requested if any(not _fits(one, requested[one], used, hard) for one in requested) else {}


def _of_pod(resource: str, asked: Mapping[str, int]) -> int:
    if resource in ("pods", "count/pods"):
        return 1
    return 0 if resource.startswith("limits.") else asked.get(_base(resource), 0)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(
    over: list[str], requested: Mapping[str, str], used: Mapping[str, str], hard: Mapping[str, str]
) -> tuple[str, ...]:
    return tuple(
        f"`{one}`: {_said(one, used)} used + {_said(one, requested)} for one more pod > {_said(one, hard)} allowed"
        for one in over[:3]
    )


def _users(refused: Refused, resource: str) -> tuple[str, ...]:
    """Who in the namespace has how much of it. Only what pods request can be added up."""
    if resource.startswith("limits.") or not refused.case.view.knows("pods"):
        return ()
    used: Counter[str] = Counter()
    for pod in refused.case.view.pods.values():
        if pod.namespace == refused.namespace and not pod.finished:
            kind, name = top_owner(refused.case.view, pod)
            used[f"{kind.lower()}/{name}"] += _of_pod(resource, pod.requests)
    most = [f"`{who}` {number(_base(resource), value)}" for who, value in used.most_common(SHOWN) if value]
    return (f"Who uses it: {', '.join(most)}",) if most else ()


def _fits(resource: str, asked: str, used: Mapping[str, str], hard: Mapping[str, str]) -> bool:
    if resource not in hard:
        return True
    return _amount(resource, used) + _amount(resource, {resource: asked}) <= _amount(resource, hard)


def _base(resource: str) -> str:
    return resource.removeprefix("requests.").removeprefix("limits.")


def _is_device(resource: str) -> bool:
    return "/" in resource and not resource.startswith("count/")


def _amount(resource: str, told: Mapping[str, str]) -> int:
    return amount_of(_base(resource), told.get(resource, "0"))


def _said(resource: str, told: Mapping[str, str]) -> str:
    return number(_base(resource), _amount(resource, told)) if resource in told else "0"


def _quantity(resource: str, value: int) -> str:
    """As the API takes it: millicores for CPU, the largest binary unit that comes out even for bytes."""
    if _base(resource) == "cpu":
        return str(value // 1000) if value % 1000 == 0 else f"{value}m"
    if _base(resource) in ("memory", "storage", "ephemeral-storage"):
        power = min(4, (math.gcd(value, 2**40).bit_length() - 1) // 10) if value else 0
        return f"{value // 2 ** (10 * power)}{('', 'Ki', 'Mi', 'Gi', 'Ti')[power]}"
    return str(value)
