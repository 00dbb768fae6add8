"""What a node has and who is on it; of a healthy one the proof that it is."""

from collections.abc import Iterator

from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.gpu import leaving, xid
from bot.gpu.kind import gpus_of
from bot.gpu.row import Row
from bot.gpu.stack import chain
from bot.gpu.stack.expected import FOR_MACHINES, for_machines
from bot.gpu.stack.link import NEEDED, Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import Sight
from bot.why.finding import Finding, Group, Level

PRESSURE = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
USERS_TOLD = 6
_PROGRAMS = "is the program's, not the GPU's"


def finding(sight: Sight) -> Finding:
    """Who is on it and what it offers: for a healthy node the evidence that it is one."""
    well = sight.node.ready is True and not chain.faults(sight) and not leaving.why(sight.node, sight.events)
    machines = for_machines(sight.node)
    has = ", ".join(_row(row) for row in sight.gpus.rows) if sight.gpus else ""
    head = f"Nothing is wrong with {sight.name}'s GPUs" if well and sight.offered else sight.name
    offers = f"offers {has}" if has else "has no GPUs" if sight.gpus is None else "offers no GPUs"
    if machines and not has:
        offers = f"hands its GPUs to virtual machines (`{FOR_MACHINES}={machines}`) and offers none to pods"
    return Finding(
        "node.account",
        f"{head}{': it' if head != sight.name else ''} {offers}; {count(len(sight.pods), 'pod')} on it",
        Level.NOTE,
        evidence=tuple(_proof(sight)) if well else (),
        groups=tuple(users(sight)),
        numbers={"offered": sight.offered, "pods": len(sight.pods), "well": well},
    )


def _row(row: Row) -> str:
    """`8 H200, 6 used`, or `7 of 8 H200, 6 used`."""
    amount = f"{row.allocatable} of {row.total}" if row.total != row.allocatable else f"{row.allocatable}"
    return f"{amount} {row.kind.title}, {row.requested} used"


def _proof(sight: Sight) -> Iterator[str]:
    pressed = [kind for kind in PRESSURE if (one := sight.node.condition(kind)) is not None and one.status == "True"]
    if not pressed:
        yield "Ready, no pressure"
    ready = [f"{link}" for link in NEEDED for pod in sight.links.get(link, ())[:1] if stuck(pod) is None]
    if ready:
        yield f"ready there: {', '.join(ready)}"
    for pod in _silent(sight):
        yield f"not ready there: {pod.key}, which only watches: metrics of its GPUs may be missing"
    if not sight.kernel:
        return
    seen = {one.code: xid.of(one.code) for one in sight.kernel.xids}
    if not seen:
        yield "kernel log: no Xid since it started"
    elif not any(xid.of(one.code).of_gpu and not one.nonfatal for one in sight.kernel.xids):
        told = names([one.told for one in seen.values()])
        program = all(one.blame is xid.Blame.PROGRAM for one in seen.values())
        yield f"kernel log: only {told}, which {_PROGRAMS if program else 'asks for no repair'}"


def _silent(sight: Sight) -> list[Pod]:
    return [pod for link in (Link.EXPORTER, Link.DCGM) for pod in sight.links.get(link, ()) if stuck(pod) is not None]


def users(sight: Sight) -> Iterator[Group]:
    lines = [
        f"{pod.key}: {count(held, 'GPU')}" if (held := gpus_of(pod)) else f"{pod.key}: by a claim"
        for pod in sight.users
    ]
    if lines:
        more = (f"and {len(lines) - USERS_TOLD} more",) if len(lines) > USERS_TOLD else ()
        yield Group("Who holds GPUs there", (*lines[:USERS_TOLD], *more))
