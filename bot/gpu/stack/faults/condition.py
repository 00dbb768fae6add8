"""The platform's own health check says that a GPU of the node is bad (a node condition)."""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import Condition
from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.gpu import conditions, xid
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.sight import Sight

ID = "condition"
_XID = Pattern(r"XID[ _=:]{0,2}(\d{1,4})|\"(\d{1,4})\":\s*true", re.IGNORECASE)
_EKS = "AcceleratedHardwareReady"


def find(sight: Sight) -> Fault | None:
    bad = list(conditions.bad(sight.node))
    if not bad:
        return None
    codes = list(dict.fromkeys(code for one in bad for code in _codes(one)))
    told = f", {xid.of(codes[0]).told}" if codes else ""
    return Fault(
        ID,
        sight.name,
        f"{sight.name} reports a GPU fault: `{bad[0].type}`{told} {sight.ago(bad[0].since)}".rstrip(),
        evidence=(
            *(f"`{one.type}={one.status}`: {_words(one)}" for one in bad[:3]),
            *(f"Xid {code}: {xid.of(code).clears}" for code in codes[:2]),
        ),
        remedies=(
            Remedy("Look at what it says", f"kubectl describe node {commands.quoted(sight.name)}"),
            commands.cordon(sight.name),
            commands.drain(sight),
            *_repair(sight, bad, codes),
        ),
    )


def _codes(one: Condition) -> Iterator[int]:
    """Xids that it names: GKE's reason is a map of numbers, EKS's a word."""
    for match in _XID.finditer(f"{one.reason} {one.message}"):
        yield int(match[1] or match[2])


def _words(one: Condition) -> str:
    said = [inert(text, 200) for text in (one.reason, one.message) if text]
    return ": ".join(dict.fromkeys(said))


def _repair(sight: Sight, bad: list[Condition], codes: list[int]) -> Iterator[Remedy]:
    """What clears it, where that is known; in a cloud a new machine is quicker."""
    auto = (
        "; EKS does it by itself 10 min after the condition where node auto repair is switched on"
        if any(one.type == _EKS for one in bad)
        else ""
    )
    if codes and xid.of(codes[0]).clears is xid.Clears.RESET:
        yield Remedy(f"Then reset that GPU, or reboot {sight.name}; if it comes back, replace the machine{auto}")
    else:
        yield Remedy(
            "Then replace the machine, or power it off and on: note its instance id and the GPU's serial number first, "
            f"or the same board comes back{auto}"
        )
