"""Drain a node: cordon it, then evict what runs there, one pod after the other, as disruption budgets allow.

What it costs is said before anybody approves: who leaves, which models lose their last replica, whose data in emptyDir
volumes is gone, who finds no other place, which evictions a budget would refuse now.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from bot.changes.evicting import Leavers, blocked, eviction, leavers
from bot.changes.kind import Ask, ChangeKind, Phase, Progress
from bot.changes.node_steps import cordon_step, node_of, uncordon_step
from bot.changes.outage import losses
from bot.changes.places import placed
from bot.changes.scratch import scratch, scratch_wanted
from bot.domain.change import Plan, Size
from bot.domain.evidence import Wanted
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.kind import gpus_of
from bot.scheduling.state import State
from bot.why.shell import kubectl
from bot.why.subject import of_pod

SHOWN = 6
FOLLOW_SECONDS = 1800


def plan(ask: Ask) -> Plan:
    """Raises UsageError, NotFoundError."""
    node, view = node_of(ask), ask.view
    who = leavers(view, node.name)
    confirmed = ask.arguments.get("confirm", "")
    lost, unseen = scratch(ask.evidence, who.evicted)
    cordon = () if node.unschedulable else (cordon_step(node, ask.because),)
    return Plan(
        kind=CHANGE.name,
        arguments={"node": node.name, **({"confirm": confirmed} if confirmed else {})},
        title=f"drain {node.name}",
        because=ask.because,
        steps=(*cordon, *map(eviction, who.evicted)),
        effects=tuple(_effects(node, who)),
        costs=(*_costs(view, node, who), *lost),
        warnings=tuple(_warnings(view, who)),
        unknown=(*unseen, *_unread(view)),
        undo=(uncordon_step(node),) if cordon else (),
        size=_size(who.evicted),
        refused=_refused(node, who, confirmed),
    )


def wants_of(ask: Ask) -> Wanted:
    """The whole pods, for their emptyDir volumes."""
    return scratch_wanted(leavers(ask.view, node_of(ask).name).evicted)


def _size(evicted: tuple[Pod, ...]) -> Size:
    spaces = tuple(sorted({pod.namespace for pod in evicted}))
    return Size(nodes=1, gpus=sum(map(gpus_of, evicted)), evictions=len(evicted), namespaces=spaces)


def _refused(node: Node, who: Leavers, confirmed: str) -> str:
    if node.unschedulable and not who.evicted and not who.leaving:
        return f"{node.name} is cordoned and nothing is left there to evict."
    if who.bare and confirmed != node.name:
        bare = names([pod.key for pod in who.bare], SHOWN)
        return (
            f"{bare} on {node.name} {'has' if len(who.bare) == 1 else 'have'} no controller: nobody would make "
            f"{'it' if len(who.bare) == 1 else 'them'} again. If that is meant, name the node again: "
            f"`/node drain {node.name} confirm={node.name} because …`"
        )
    return ""


def _effects(node: Node, who: Leavers) -> Iterator[str]:
    yield f"Nothing new is placed on {node.name}" + (" (it is cordoned already)" if node.unschedulable else "")
    yield f"{count(len(who.evicted), 'pod')} {'is' if len(who.evicted) == 1 else 'are'} evicted, low priority first"
    if who.stay:
        yield f"{count(len(who.stay), 'pod')} of DaemonSets or of the kubelet itself stay"
    if who.leaving:
        yield f"{names([pod.key for pod in who.leaving], SHOWN)} on the way out already: waited for"
    if who.evicted:
        by_hand = kubectl("drain", node.name, "--ignore-daemonsets", "--delete-emptydir-data")
        yield f"By hand it is `{by_hand}`"
    yield "Undo opens the node again; pods that were evicted do not come back to it by themselves"


def _costs(view: View, node: Node, who: Leavers) -> Iterator[str]:
    for loss in losses(view, who.evicted):
        if loss.last:
            yield f"Loses its last replica that serves: {loss.words}"
        else:
            yield f"Evicted: {loss.words}; {loss.left} left elsewhere that serve"
    if who.bare:
        yield f"Lost for good, since nobody makes them again: {names([pod.key for pod in who.bare], SHOWN)}"
    remade = [pod for pod in who.evicted if pod.owner is not None]
    if remade:
        yield from _homes(view, node, remade)


def _homes(view: View, node: Node, remade: list[Pod]) -> Iterator[str]:
    """Tried as if the node were cordoned and empty of them."""
    closed = msgspec.structs.replace(node, unschedulable=True)
    found = placed(State(view).with_node(closed).without_pods(remade), remade)
    if found.homeless:
        who = names([pod.key for pod in found.homeless], SHOWN)
        yield f"{len(found.homeless)} of {len(remade)} have no other place now and would wait: {who}"
    else:
        yield f"All {len(found.homes)} that were tried find another place (on a copy of the cluster)"
    if found.untried:
        yield f"{found.untried} more were not tried"


def _warnings(view: View, who: Leavers) -> Iterator[str]:
    for one in blocked(view, who.evicted):
        budgets = names(list(one.budgets))
        if len(one.budgets) > 1:
            yield f"{one.pod.key} is under several disruption budgets ({budgets}): the eviction API refuses that always"
        elif one.never:
            yield f"Disruption budget {budgets} never allows {one.pod.key} to go, even with every pod Ready"
        else:
            yield f"Disruption budget {budgets} would refuse {one.pod.key} now; it is tried again until it may go"


def _unread(view: View) -> Iterator[str]:
    for kind, what in (("poddisruptionbudgets", "which evictions a disruption budget would refuse"),):
        source = view.source(kind)
        if not source.known:
            yield f"{what}: {kind} could not be read ({source.detail or source.reading})"


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    """Done when the very pods that were evicted are gone, whatever came instead."""
    del now, applied_at
    name = plan.arguments["node"]
    evicted = {step.target.uid for step in plan.steps if step.target.kind == "Pod"}
    keys = {f"{step.target.namespace}/{step.target.name}" for step in plan.steps if step.target.kind == "Pod"}
    left = [
        pod for pod in view.on_node(name) if not pod.finished and (pod.uid in evicted if pod.uid else pod.key in keys)
    ]
    if not left:
        return Progress(Phase.DONE, f"{name} is empty of everything that was to leave.")
    lines = tuple(sorted(f"{pod.key} ends" if pod.deleted else f"{pod.key} is still there" for pod in left))
    return Progress(
        Phase.GOING,
        f"{len(evicted) - len(left)} of {len(evicted)} pods are gone from {name}.",
        lines,
        subject=of_pod(left[0]).typed,
    )


CHANGE = ChangeKind(
    "drain",
    plan,
    follow,
    needs=frozenset({"nodes", "pods", "poddisruptionbudgets", "replicasets", "deployments", "statefulsets"}),
    wants=wants_of,
    follow_seconds=FOLLOW_SECONDS,
)
