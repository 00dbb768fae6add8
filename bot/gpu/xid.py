"""What a driver's error number (Xid) means: whose fault it is, what clears it, how soon somebody should act.

NVIDIA's catalogue (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html), as of autumn 2026; the urgency is
ours.
"""

from bot.gpu.xid_entry import Blame, Clears, Urgency, Xid
from bot.gpu.xid_table import TABLE

__all__ = ("IGNORED_BY_PLUGIN", "Blame", "Clears", "Urgency", "Xid", "of")

# The device plugin takes no notice of these (NVIDIA/k8s-device-plugin:internal/rm/health.go); after any other it marks
# the GPU unhealthy until the plugin itself is restarted.
IGNORED_BY_PLUGIN = frozenset({13, 31, 43, 45, 68, 109})


def of(code: int) -> Xid:
    """The entry of that number; one that is not in the catalogue is told as such."""
    return TABLE.get(code) or Xid(code, "not in the catalogue", Blame.EITHER, Clears.VENDOR, Urgency.TODAY)
