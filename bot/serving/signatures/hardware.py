"""Lines in which the driver itself says that a GPU or a link is broken."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD, DRAIN_NODE
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_XID = "docs.nvidia.com/deploy/xid-errors"
_COLD = Remedy(
    "Cordon the node, move the pods, and power-cycle it (a VM: stop and start); a warm reboot is often not enough.",
    "kubectl cordon <node>",
)
_REPLACE = Remedy("If it returns, let the card (in a cloud: the node) be replaced.")

FAMILY = Family(
    "hardware",
    (
        Signature(
            id="gpu-fell-off-the-bus",
            says=("GPU has fallen off the bus", "GPU is lost", "Unable to determine the device handle for GPU"),
            cause="The node lost a GPU: the driver no longer reaches it over PCIe (Xid 79).",
            remedies=(_COLD, _REPLACE),
            blames=(Blame.HARDWARE,),
            rank=Rank.ROOT,
            source=_XID,
        ),
        Signature(
            id="gpu-ecc",
            says=("uncorrectable ECC error encountered",),
            cause="The GPU met a memory error that it could not correct.",
            remedies=(
                Remedy(
                    "Look for Xid 48, 63, 64, 94 or 95 in the node's kernel log; after 94 this pod's restart is "
                    "enough.",
                    "dmesg -T | grep -i xid",
                ),
                DRAIN_NODE,
                _REPLACE,
            ),
            blames=(Blame.HARDWARE,),
            rank=Rank.ROOT,
            restart_helps=None,
            source="docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt",
        ),
        Signature(
            id="gpu-nvlink",
            says=("uncorrectable NVLink error was detected", "Uncorrectable NVLink error"),
            cause="An NVLink between GPUs failed during the run.",
            remedies=(
                Remedy("Read the links' counters on the node.", "nvidia-smi nvlink -s && nvidia-smi nvlink -e"),
                DRAIN_NODE,
                _REPLACE,
            ),
            blames=(Blame.HARDWARE,),
            rank=Rank.ROOT,
            restart_helps=None,
            source="docs.nvidia.com/cuda (error 220), Xid 74",
        ),
        Signature(
            id="xid-hardware",
            says=("NVRM: Xid (PCI:",),
            pattern=Pattern(
                r"NVRM: Xid \(PCI:(?P<pci>[0-9a-fA-F:.]{4,20})[^)]{0,20}\): (?P<code>46|48|54|62|64|74|79|95|109|110|"
                r"119|120|136|140|143|155|158|167|169|173),"
            ),
            cause="The driver reports Xid {code} for the GPU at {pci}: a fault of the card, its link or its firmware.",
            remedies=(DRAIN_NODE, _REPLACE),
            blames=(Blame.HARDWARE, Blame.DRIVER),
            rank=Rank.ROOT,
            source=_XID,
        ),
        Signature(
            id="xid-application",
            says=("NVRM: Xid (PCI:",),
            pattern=Pattern(
                r"NVRM: Xid \(PCI:(?P<pci>[0-9a-fA-F:.]{4,20})[^)]{0,20}\): (?P<code>8|11|13|25|31|32|39|4[0135]|"
                r"6[89]|7[0-2]|94),"
            ),
            cause="The driver reports Xid {code} for the GPU at {pci}: in most cases the program did something wrong "
            "there.",
            remedies=(DELETE_POD, Remedy("Suspect the card only if other programs get it on the same GPU.")),
            blames=(Blame.ENGINE,),
            rank=Rank.CONSEQUENCE,
            restart_helps=True,
            source=_XID,
        ),
        Signature(
            id="xid-other",
            says=("NVRM: Xid (PCI:",),
            pattern=Pattern(r"NVRM: Xid \(PCI:(?P<pci>[0-9a-fA-F:.]{4,20})[^)]{0,20}\): (?P<code>\d{1,3}),"),
            cause="The driver reports Xid {code} for the GPU at {pci}.",
            remedies=(Remedy("Look the code up before acting: many need no action."),),
            blames=(),
            sense=Sense.NOTICE,
            restart_helps=None,
            source=_XID,
        ),
    ),
)
