"""A pod bound to a node whose kubelet does not report, or says that it is not ready: nothing happens to it there."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.say import clock, quote

YOUNG_SECONDS = 10 * 60


def silent_node(case: Case, pod: Pod) -> Iterator[Finding]:
    """One finding where the pod is not Ready and its node is the reason."""
    node = case.view.nodes.get(pod.node)
    is_ready = pod.phase == "Running" and pod.condition("Ready") is None  # only conditions that are not True are kept
    if node is None or node.ready is True or is_ready:
        return
    condition = node.condition("Ready")
    since = clock(case, condition.since) if condition else ""
    joined = case.age_seconds(node.created)
    joins = node.ready is False and joined is not None and joined < YOUNG_SECONDS
    told = "is not ready" if node.ready is False else "does not answer any more (its kubelet has stopped reporting)"
    begun = f", since {since.removeprefix('at ').removeprefix('on ')}" if since else ""
    yield Finding(
        "kubelet.node-not-ready" if node.ready is False else "kubelet.node-silent",
        f"its node {node.name} {told}{begun}, so {_effect(pod)}",
        evidence=(f"{condition.reason}: {quote(condition.message)}",) if condition and condition.message else (),
        remedies=() if joins else tuple(_remedies(case, node, pod)),
        useless=() if joins else ("Image, probes and settings of the pod have nothing to do with it",),
        until="the new node is ready" if joins else "",
    )


def _effect(pod: Pod) -> str:
    if pod.phase == "Pending":
        return "nothing is started there"
    return "its pods count as not ready, whether they still work or not"


def _remedies(case: Case, node: Node, pod: Pod) -> Iterator[Remedy]:
    yield Remedy("See since when, and what it said last", kubectl("describe", "node", node.name))
    yield Remedy(f"Bring {node.name} back: look at its kubelet on the machine, or at the machine itself")
    if pod.owner is not None and pod.phase == "Pending":
        yield Remedy(
            "To have it placed elsewhere now: delete the pod, its owner makes a new one",
            kubectl("-n", pod.namespace, "delete", "pod", pod.name),
            False,
        )
