"""The driver lists all GPUs of the node, and none of them is broken.

The node agent or the DCGM exporter tell it from the driver itself. Where neither is there, the device plugin's word
counts: it registers what the driver lists. Memory, links, heat and Xids of the cards are then not known, which is said.
"""

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.checks.scene import Reads
from bot.domain.words import count

UNREAD = "cards unread"


def judge(ground: Ground) -> Outcome:
    scene = ground.scene
    for who, reading in (
        (Reads.AGENT, scene.agent),
        (Reads.DCGM, scene.dcgm.reading if scene.dcgm is not None else None),
    ):
        if reading is not None and reading.gpus:
            version = f", driver {scene.driver_version}" if scene.driver_version else ""
            return ground.ok(f"has {count(len(reading.gpus), 'GPU')} that its driver lists", f"{who}{version}")
    if scene.sight.offered and scene.node.ready is True:
        return ground.ok(
            f"offers {scene.sight.offered} {scene.sight.resource}, which its device plugin reads from the driver",
            f"{UNREAD}: {scene.why_missing(Reads.AGENT)}, {scene.why_missing(Reads.DCGM)}",
        )
    return ground.unknown("driver.unread", "has a driver of which nobody told: no agent, no exporter, no GPU offered")


POINT = Point(1, "driver", "driver lists all GPUs, none is broken", True, judge, __doc__ or "")
