"""What a driver's error number (Xid) means: whose fault it is, what clears it, how soon somebody should act.

NVIDIA's catalogue as config/xid.yaml has it, with the source of each entry; the urgency is ours.
"""

from bot.gpu.xid_entry import Blame, Clears, Urgency, Xid
from bot.gpu.xid_table import catalogue

__all__ = ("Blame", "Clears", "Urgency", "Xid", "ignored_by_plugin", "of")


def of(code: int) -> Xid:
    """The entry of that number; one that is not in the catalogue is told as such. Raises ConfigError."""
    known = catalogue()
    what = "marked as unused in the catalogue" if code in known.unused else "not in the catalogue"
    return known.entries.get(code) or Xid(code, what, Blame.EITHER, Clears.VENDOR, Urgency.TODAY)


def ignored_by_plugin(code: int) -> bool:
    """Whether the device plugin takes no notice; after any other it marks the GPU unhealthy until it is restarted."""
    return code in catalogue().ignored_by_plugin
