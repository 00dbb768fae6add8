"""What the driver's error numbers (Xids) mean: whose fault it is, what clears it, how soon somebody should act.

The shape of an entry; the catalogue is config/xid.yaml, bot/gpu/xid_table.py reads it, and bot/gpu/xid.py finds in it.
"""

import enum
from dataclasses import dataclass


class Blame(enum.StrEnum):
    """Where the fault lies as a rule."""

    PROGRAM = "the program"
    EITHER = "the program or the GPU"
    GPU = "the GPU or its driver"
    LINK = "the link between GPUs"
    NOTHING = "nothing: it only tells"


class Clears(enum.StrEnum):
    """What makes it go away."""

    NOTHING_NEEDED = "nothing has to be done"
    PROGRAM = "the program is started again"
    RESET = "a reset of that GPU clears it"
    LINKS = "a reset of all GPUs of the board, or a reboot, clears it"
    FABRIC = "the fabric manager is restarted"
    REBOOT = "the node is rebooted"
    POWER = "the machine is powered off and on (a virtual machine: stopped and started); a reboot is often not enough"
    CABLES = "somebody checks power cables and seating"
    UPDATE = "host and guest get drivers that fit"
    VENDOR = "the vendor has to look at it"
    SEE_154 = "the recovery action that the driver names (Xid 154) tells"


class Urgency(enum.IntEnum):
    """1 now, 2 today, 3 worth knowing."""

    NOW = 1
    TODAY = 2
    KNOW = 3


@dataclass(frozen=True, slots=True)
class Xid:
    """`meaning` continues "Xid 94: …", in lower case. `note` is a sentence more, without a full stop.

    name, immediate, then: NVIDIA's own name for it, and its buckets for what to do at once and to look into.
    """

    code: int
    meaning: str
    blame: Blame
    clears: Clears
    urgency: Urgency
    note: str = ""
    name: str = ""
    immediate: str = ""
    then: str = ""
    source: str = ""

    @property
    def of_gpu(self) -> bool:
        """Whether the GPU, its driver or a link has to be looked at, and not only the program."""
        return self.blame in (Blame.GPU, Blame.LINK) and self.urgency is not Urgency.KNOW

    @property
    def told(self) -> str:
        """`Xid 94 (a memory error that was confined to one program)`."""
        return f"Xid {self.code} ({self.meaning})"

    @property
    def buckets(self) -> str:
        """`RESET_GPU, then CONTACT_SUPPORT`, as NVIDIA names them; empty where its catalogue has none."""
        then = self.then if self.then != self.immediate else ""
        return ", then ".join(filter(None, (self.immediate, then)))
