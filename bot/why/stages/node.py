"""A node that is asked about: whether it reports, who cordoned it, what presses it, who is on it.

Not Ready, cordoned and going away are causes; taints that keep ordinary pods away and pressure stand beside them. Of a
healthy node it says so with the evidence: conditions, GPUs offered, the stack's pods, and what the kernel log has of
Xids. The chain below its GPUs is judged by the stage before.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import LIFECYCLE_TAINTS, Node
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu import cordon, leaving
from bot.gpu.kind import is_gpu_resource
from bot.gpu.stack import commands
from bot.gpu.stack.sight import Sight
from bot.why import node_account
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.gpu_nodes import in_question

_OWN_TAINT = "node.kubernetes.io/unschedulable"


def judge(case: Case) -> Iterator[Finding]:
    """Nothing for subjects that are no nodes."""
    node = case.subject.node
    if node is None:
        return
    sight = in_question(case)[0]
    yield from _leaving(sight, node)
    yield from _not_ready(sight, node)
    yield from _cordoned(sight, node)
    yield from _pressed(sight, node)
    yield from _kept_away(case, node)
    yield node_account.finding(sight)


def _leaving(sight: Sight, node: Node) -> Iterator[Finding]:
    """That is no fault, and nothing on the node has to be repaired."""
    if not (why := leaving.why(node, sight.events)):
        return
    told = next((f"event {one.reason} {sight.ago(one.time)}: “{inert(one.message)}”" for one in sight.events[:1]), "")
    taint = next((f"taint `{one}`" for one in node.taints if one.blocks and one.key != _OWN_TAINT), "")
    deleted = f"its object was deleted {sight.ago(node.deleted)}" if node.deleted else ""
    yield Finding(
        "node.leaving",
        f"it is going away: {why}, so nothing new comes to it and nothing on it has to be repaired",
        evidence=tuple(filter(None, (told, taint, deleted))),
        groups=tuple(node_account.users(sight)),
        until="its pods have started again elsewhere",
        weight=3,
    )


def _not_ready(sight: Sight, node: Node) -> Iterator[Finding]:
    if node.ready is True:
        return
    condition = node.condition("Ready")
    silent = node.ready is None
    since = f" {sight.ago(condition.since)}".rstrip() if condition else ""
    what = "its kubelet has stopped reporting" if silent else "its kubelet says it is not ready"
    said = (f"Ready={condition.status}, {condition.reason}: “{inert(condition.message)}”",) if condition else ()
    yield Finding(
        "node.silent" if silent else "node.not_ready",
        f"{what}{since}, so nothing new starts there" + (" and nobody knows what runs" if silent else ""),
        evidence=said or ("it has never reported the condition Ready",),
        remedies=(
            Remedy("Look at its events and conditions", f"kubectl describe node {commands.quoted(node.name)}"),
            Remedy("Look at its kubelet, on the machine", "journalctl -u kubelet --no-pager -n 50"),
        ),
        unknown=("what happens on the machine: only its console or the cloud tells while the kubelet is silent",)
        if silent
        else (),
        weight=2,
    )


def _cordoned(sight: Sight, node: Node) -> Iterator[Finding]:
    if not node.unschedulable:
        return
    who = cordon.who(node)
    busy = cordon.upgrading(node) and node.labels.get(cordon.UPGRADE_STATE) != "upgrade-failed"
    taint = next((one for one in node.taints if one.key == _OWN_TAINT), None)
    by = f" {who}" if who.startswith("by ") else f" ({who})" if who else ", and nothing on it tells by whom"
    yield Finding(
        "node.cordoned",
        f"it is cordoned{by}, so nothing new comes to it",
        evidence=(f"taint `{taint}`",) if taint else ("spec.unschedulable is true",),
        remedies=()
        if busy
        else (
            Remedy(
                "Uncordon it, if whoever cordoned it agrees",
                f"kubectl uncordon {commands.quoted(node.name)}",
                cost="what it was cordoned for may not be over",
            ),
        ),
        until="the upgrade is done: the operator uncordons it then" if busy else "",
        weight=1,
    )


def _pressed(sight: Sight, node: Node) -> Iterator[Finding]:
    for kind in node_account.PRESSURE:
        condition = node.condition(kind)
        if condition is not None and condition.status == "True":
            yield Finding(
                "node.pressure",
                f"{node.name} reports {kind} {sight.ago(condition.since)}".rstrip(),
                Level.ALSO,
                evidence=(f"{condition.reason}: {inert(condition.message)}",),
                remedies=(Remedy("See what is on it", f"kubectl describe node {commands.quoted(node.name)}"),),
            )


def _kept_away(case: Case, node: Node) -> Iterator[Finding]:
    """Taints that pods with GPUs do not tolerate as a matter of course."""
    if leaving.why(node, case.view.events_on("Node", "", node.name)):
        return
    usual = {*case.policy.usual_taints, *LIFECYCLE_TAINTS}
    found = [one for one in node.taints if one.blocks and one.key not in usual and not is_gpu_resource(one.key)]
    if found:
        yield Finding(
            "node.tainted",
            f"{node.name} takes only pods that tolerate {names([f'`{one}`' for one in found])}",
            Level.NOTE,
        )


STAGE = Stage(
    "node",
    78,
    judge,
    needs=frozenset({"nodes", "pods", "daemonsets", "events"}),
    docs=__doc__ or "",
)
