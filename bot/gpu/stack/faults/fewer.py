"""Fewer GPUs were registered than there should be: one did not start, or fell off the bus at boot.

All that looks at a node from within agrees on the wrong number then; only labels, claims and nodes like it tell.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.words import names
from bot.gpu import xid
from bot.gpu.kind import Form
from bot.gpu.row import Row
from bot.gpu.stack import commands
from bot.gpu.stack.expected import Expected, twins
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.faults.xids import hardware
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import Sight
from bot.gpu.stack.vendor import NVIDIA

ID = "missing"


def than_twins(sight: Sight) -> Fault | None:
    """No label of its own counts its GPUs, but its claim, its provider or nodes of its machine type do."""
    told = twins(sight.fleet, sight.node)
    rows = sight.gpus.rows if sight.gpus else ()
    if told is None or not told.count or len(rows) != 1 or rows[0].kind.form is not Form.WHOLE:
        return None
    row = rows[0]
    return than_told(sight, row, told) if 0 < row.capacity < told.count else None


def than_told(sight: Sight, row: Row, told: Expected | None = None) -> Fault:
    """Fewer were registered than there should be: a GPU did not start, or fell off at boot."""
    total = told.count if told and told.count else row.total
    by = (
        f"{told.source} {'have' if told.source.startswith('other') else 'tells of'}"
        if told
        else "its own label promises"
    )
    codes = [one.code for one in hardware(sight)]
    after = f" after {xid.of(codes[0]).told}" if codes else ""
    not_started = sight.kernel.not_started
    return Fault(
        ID,
        sight.name,
        f"{sight.name} offers {row.allocatable} of {total} {row.resource}: "
        f"{total - row.allocatable} did not come up{after}",
        evidence=(
            f"{by} {total}, the device plugin registered {row.capacity}",
            *_rebooted(sight),
            *((f"kernel: the driver could not start {names(not_started)}",) if not_started else ()),
        ),
        remedies=(
            _count(sight),
            commands.cordon(sight.name),
            commands.reboot(
                sight.name, "if it is still missing after that, power the machine off and on, or replace it"
            ),
        ),
        explains=frozenset({"xid", "condition"}),
    )


def _count(sight: Sight) -> Remedy:
    if sight.vendor is not NVIDIA:
        return commands.look(sight)
    plugin = next(iter(sight.links.get(Link.DEVICE_PLUGIN, ())), None)
    return Remedy("Count what the driver sees", commands.smi(sight, plugin, "-L"))


def _rebooted(sight: Sight) -> Iterator[str]:
    """GPUs go missing at a boot as a rule."""
    told = next((one for one in sight.events if one.reason == "Rebooted"), None)
    if told is not None:
        yield f"the node was rebooted {sight.ago(told.time)}"
