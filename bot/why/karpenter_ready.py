"""NodePools that Karpenter leaves out because they are not ready: it says so in its log only, never at the pod.

kubernetes-sigs/karpenter:pkg/apis/v1/nodepool_status.go (conditions ValidationSucceeded, NodeClassReady, Ready),
pkg/controllers/provisioning/provisioner.go ("ignoring nodepool, not ready").
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.karpenter_labels import pools
from bot.why.shell import kubectl, quoted

_PARTS = ("ValidationSucceeded", "NodeClassReady")


def not_ready(case: Case) -> Iterator[Finding]:
    """One finding for each such pool, the first two; where others are ready, it is only beside the point."""
    every = pools(case)
    off = [one for one in every if case.fields(one).condition("Ready").text("status") == "False"]
    for pool in off[:2]:
        yield _told(case, pool, alone=len(off) == len(every))


def _told(case: Case, pool: Thing, *, alone: bool) -> Finding:
    fields = case.fields(pool)
    part = next((kind for kind in _PARTS if fields.condition(kind).text("status") == "False"), "Ready")
    told = fields.condition(part)
    said = told.text("message") or told.text("reason")
    class_ = fields.at("spec", "template", "spec", "nodeClassRef")
    why = "" if not class_ else f", because its {class_.text('kind') or 'NodeClass'} `{class_.text('name')}` is not"
    if part == "ValidationSucceeded":
        why = ", because its own settings are not valid"
    age = case.age_seconds(told.text("lastTransitionTime"))
    return Finding(
        "karpenter.pool-not-ready",
        f"Karpenter makes no node from NodePool `{pool.name}`: it is not ready{why}{f' ({said})' if said else ''}",
        Level.ROOT if alone else Level.ALSO,
        evidence=(f"NodePool {pool.name}: {part}=False {quoted(said)}{_since(age)}",) if said else (),
        remedies=tuple(_help(pool, class_, part)),
        useless=("Waiting does not help, nor do higher limits: Karpenter leaves the pool out and tells only its log.",),
        weight=3,
    )


def _since(age: float | None) -> str:
    return f", for {duration(age)}" if age else ""


def _help(pool: Thing, class_: Fields, part: str) -> Iterator[Remedy]:
    kind, group, name = class_.text("kind").lower(), class_.text("group"), class_.text("name")
    if part != "ValidationSucceeded" and kind and name:
        what = f"{kind}.{group}" if group else kind
        yield Remedy(f"See what `{name}` lacks (its conditions name it)", kubectl("describe", what, name))
    yield Remedy("See the pool's conditions", kubectl("describe", "nodepool", pool.name))
