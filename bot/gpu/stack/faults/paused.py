"""Node labels of the GPU operator that keep its device plugin away although nothing is being changed.

`nvidia.com/gpu.deploy.*` is true, false or paused-for-…; a pause without a change is what one that ended badly left.
NVIDIA/gpu-operator:controllers/state_manager.go.
"""

from bot.domain.answer import Remedy
from bot.domain.words import names
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.setters import operand
from bot.gpu.stack.sight import Sight

ID = "paused"
EXPLAINS = frozenset({"unplaced", "plugin_stopped", "missing", "unregistered"})
PREFIX = "nvidia.com/gpu.deploy."
_NEEDED = ("driver", "container-toolkit", "device-plugin")


def find(sight: Sight) -> Fault | None:
    if sight.offered or sight.links.get(Link.DEVICE_PLUGIN):
        return None
    left = {
        operand(key): value for key, value in sight.node.labels.items() if operand(key) and value.startswith("paused")
    }
    off = {part: value for part in _NEEDED if (value := sight.node.labels.get(PREFIX + part, "")) == "false"}
    wrong = {part: value for part, value in (left | off).items() if part in (*_NEEDED, *left)}
    if not wrong or not any(part in _NEEDED for part in wrong):
        return None
    what = names([f"`{part}={value}`" for part, value in sorted(wrong.items())])
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s device plugin is kept away by the operator's node labels ({what}), and no change is under way "
        "that would set them back",
        evidence=tuple(f"node label `{PREFIX}{part}={value}`" for part, value in sorted(wrong.items())[:5]),
        remedies=(
            Remedy(
                "Set them back",
                commands.label(sight.name, [(PREFIX + part, "true") for part in sorted(wrong)]),
                cost="none; if somebody switched them off on purpose, ask first",
            ),
        ),
        useless=("The operator does not set them back by itself: it only continues a change that is under way",),
        explains=EXPLAINS,
    )
