"""Device plugin and DRA driver both offer the node's GPUs, and neither knows what the other has handed out.

NVIDIA documents the two as exclusive on a node; NVIDIA/gpu-operator refuses the combination in one ClusterPolicy.
"""

from bot.domain.answer import Remedy
from bot.domain.words import count, names
from bot.gpu.kind import Form
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import Sight

ID = "doubled"
_CLAIMED = (Form.DEVICE, Form.DEVICE_MIG)


def find(sight: Sight) -> Fault | None:
    rows = sight.gpus.rows if sight.gpus else ()
    claimed = [row for row in rows if row.kind.form in _CLAIMED and row.allocatable]
    counted = [row for row in rows if row.kind.form not in _CLAIMED and row.allocatable]
    if not claimed or not counted:
        return None
    devices = sum(row.allocatable for row in claimed)
    by_claim = [pod.key for pod in sight.users if pod.claims]
    by_number = [pod.key for pod in sight.users if not pod.claims]
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s GPUs are offered twice: {counted[0].allocatable} `{counted[0].resource}` by the device plugin "
        f"and {count(devices, 'device')} by the DRA driver, and neither sees what the other hands out, "
        "so two pods can get the same GPU",
        evidence=(
            f"{sum(row.requested for row in counted)} held by requests: {names(by_number) or 'by nobody'}",
            f"{sum(row.requested for row in claimed)} held by claims: {names(by_claim) or 'by nobody'}",
        ),
        remedies=(
            Remedy(
                "Decide for one of them on that node, and keep the other's DaemonSet off it (a nodeSelector, or the "
                "operator's label); while both run, keep new GPU pods away",
                f"kubectl cordon {commands.quoted(sight.name)}",
                cost="none for what runs",
            ),
            *(
                Remedy(
                    "With the GPU operator: switch its device plugin off there, once no pod that it served is left",
                    commands.label(sight.name, [("nvidia.com/gpu.deploy.device-plugin", "false")]),
                )
                for _ in sight.links.get(Link.DEVICE_PLUGIN, ())[:1]
                if any(key.startswith("nvidia.com/gpu.deploy.") for key in sight.node.labels)
            ),
        ),
    )
