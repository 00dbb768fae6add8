"""Steps on a node: cordon and uncordon, and whose cordon a node's is."""

from collections.abc import Mapping
from typing import Any

from bot.changes.kind import Ask, Phase, Progress
from bot.changes.settled import OURS
from bot.domain.change import Plan, Step, Target, Verb
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.node import Node
from bot.domain.view import View
from bot.grammar import quoted
from bot.why.shell import kubectl

REASON = "gpubot.dev/cordoned-because"  # what `kubectl describe node` shows; it goes with the cordon
FIELD = "spec.unschedulable"


def node_of(ask: Ask) -> Node:
    """The node that the arguments name. Raises UsageError, NotFoundError."""
    name = ask.arguments.get("node", "")
    if not name:
        raise UsageError("Which node? For example `/node cordon gpu-1 because of Xid 79`.")
    node = ask.view.nodes.get(name)
    if node is None:
        raise NotFoundError(f"No node is called {quoted(name)} any more.")
    return node


def target(node: Node) -> Target:
    return Target(api_version="v1", kind="Node", resource="nodes", name=node.name, uid=node.uid)


def cordon_step(node: Node, because: str = "") -> Step:
    annotation = {"metadata": {"annotations": {REASON: because}}} if because else {}
    return _step(node, {**annotation, "spec": {"unschedulable": True}}, "cordon", after=True)


def uncordon_step(node: Node) -> Step:
    """An absent field is what a node has that was never cordoned."""
    body: dict[str, Any] = {"metadata": {"annotations": {REASON: None}}, "spec": {"unschedulable": None}}
    return _step(node, body, "uncordon", after=False)


def _step(node: Node, body: Mapping[str, Any], word: str, *, after: bool) -> Step:
    return Step(
        verb=Verb.PATCH,
        target=target(node),
        body=dict(body),
        before={FIELD: not after},
        after={FIELD: after},
        says=f"{word} {node.name}",
        command=kubectl(word, node.name),
    )


def followed(plan: Plan, view: View, *, cordoned: bool, there: str) -> Progress:
    """Whether the node shows it; `there`: what it then is."""
    name = plan.arguments["node"]
    node = view.nodes.get(name)
    if node is None:
        return Progress(Phase.FAILED, f"{name} is gone from the cluster.")
    if node.unschedulable is cordoned:
        return Progress(Phase.DONE, f"{name} is {there}.")
    return Progress(Phase.GOING, f"The API server has taken it; {name} does not show it yet.")


def ours(node: Node) -> bool:
    """Whether the cordon was set by gpubot: the API server keeps who owns the field."""
    return node.unschedulable and node.cordoned_by == OURS
