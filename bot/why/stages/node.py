"""A node that is asked about: whether it reports, who cordoned it, what presses it, who is on it.

Not Ready and cordoned are causes; taints that keep ordinary pods away and pressure stand beside them. Of a healthy node
it says so with the evidence: conditions, GPUs offered, the stack's pods, and what the kernel log has of Xids. The chain
below its GPUs is judged by the stage before.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import LIFECYCLE_TAINTS, Node
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.gpu import cordon, xid
from bot.gpu.kind import is_gpu_resource
from bot.gpu.row import Row
from bot.gpu.stack import chain, commands
from bot.gpu.stack.link import NEEDED
from bot.gpu.stack.sight import Sight, stuck
from bot.why.case import Case
from bot.why.finding import Finding, Group, Level, Stage
from bot.why.gpu_nodes import in_question

_PRESSURE = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
_OWN_TAINT = "node.kubernetes.io/unschedulable"
USERS_TOLD = 6


def judge(case: Case) -> Iterator[Finding]:
    """Nothing for subjects that are no nodes."""
    node = case.subject.node
    if node is None:
        return
    sight = in_question(case)[0]
    yield from _not_ready(sight, node)
    yield from _cordoned(sight, node)
    yield from _pressed(sight, node)
    yield from _kept_away(case, node)
    yield _account(case, sight)


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
    taint = next((one for one in node.taints if one.key == _OWN_TAINT), None)
    by = f" {who}" if who.startswith("by ") else f" ({who})" if who else ", and nothing on it tells by whom"
    yield Finding(
        "node.cordoned",
        f"it is cordoned{by}, so nothing new comes to it",
        evidence=(f"taint `{taint}`",) if taint else ("spec.unschedulable is true",),
        remedies=(
            Remedy(
                "Uncordon it, if whoever cordoned it agrees",
                f"kubectl uncordon {commands.quoted(node.name)}",
                cost="what it was cordoned for may not be over",
            ),
        ),
        weight=1,
    )


def _pressed(sight: Sight, node: Node) -> Iterator[Finding]:
    for kind in _PRESSURE:
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
    usual = {*case.policy.usual_taints, *LIFECYCLE_TAINTS}
    found = [one for one in node.taints if one.blocks and one.key not in usual and not is_gpu_resource(one.key)]
    if found:
        yield Finding(
            "node.tainted",
            f"{node.name} takes only pods that tolerate {names([f'`{one}`' for one in found])}",
            Level.NOTE,
        )


def _account(case: Case, sight: Sight) -> Finding:
    """Who is on it and what it offers: for a healthy node the evidence that it is one."""
    well = sight.node.ready is True and not chain.faults(sight)
    has = ", ".join(_row(row) for row in sight.gpus.rows) if sight.gpus else ""
    head = f"Nothing is wrong with {sight.name}'s GPUs" if well and sight.offered else sight.name
    offers = f"offers {has}" if has else "has no GPUs" if sight.gpus is None else "offers no GPUs"
    return Finding(
        "node.account",
        f"{head}{': it' if head != sight.name else ''} {offers}; {count(len(sight.pods), 'pod')} on it",
        Level.NOTE,
        evidence=tuple(_proof(sight)) if well else (),
        groups=tuple(_users(sight)),
        numbers={"offered": sight.offered, "pods": len(sight.pods), "well": well},
    )


def _row(row: Row) -> str:
    """`8 H200, 6 used`, or `7 of 8 H200, 6 used`."""
    amount = f"{row.allocatable} of {row.total}" if row.total != row.allocatable else f"{row.allocatable}"
    return f"{amount} {row.kind.title}, {row.requested} used"


def _proof(sight: Sight) -> Iterator[str]:
    pressed = [kind for kind in _PRESSURE if (one := sight.node.condition(kind)) is not None and one.status == "True"]
    if not pressed:
        yield "Ready, no pressure"
    ready = [f"{link}" for link in NEEDED for pod in sight.links.get(link, ())[:1] if stuck(pod) is None]
    if ready:
        yield f"ready there: {', '.join(ready)}"
    if not sight.kernel:
        return
    codes = [one.code for one in sight.kernel.xids]
    if not codes:
        yield "kernel log: no Xid since it started"
    elif not any(xid.of(code).of_gpu for code in codes):
        told = names([xid.of(code).told for code in dict.fromkeys(codes)])
        yield f"kernel log: only {told}, which is the program's, not the GPU's"


def _held(pod: Pod) -> int:
    return sum(amount for name, amount in pod.requests.items() if is_gpu_resource(name))


def _users(sight: Sight) -> Iterator[Group]:
    lines = [
        f"{pod.key}: {count(held, 'GPU')}" if (held := _held(pod)) else f"{pod.key}: by a claim" for pod in sight.users
    ]
    if lines:
        more = (f"and {len(lines) - USERS_TOLD} more",) if len(lines) > USERS_TOLD else ()
        yield Group("Who holds GPUs there", (*lines[:USERS_TOLD], *more))


STAGE = Stage(
    "node",
    78,
    judge,
    needs=frozenset({"nodes", "pods", "daemonsets", "events"}),
    docs=__doc__ or "",
)
