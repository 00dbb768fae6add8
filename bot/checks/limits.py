"""From where on a number is a fault. Each with who says so; "ours" where nobody does.

NVIDIA/DCGM:modules/health and error_thresholds, NVML's reference, leptonai/gpud, facebookresearch/gcm, NVIDIA's pages
on GPU memory errors and on clocks event reasons.
"""

import math

# How often a bit of clocks_event_reasons has to be seen, and for how long (NVML reference: HW slowdown may flash).
HELD_SAMPLES = 2
SOFT_HEAT_SECONDS = 120.0  # 0x20 says that software slows the clocks: normal for seconds; ours
MARGIN_CELSIUS = 5  # leptonai/gpud: degrees left before the GPU slows itself down
BUSY_PERCENT = 50  # of utilisation, from which a link or a clock is judged; ours
LOADED_PERCENT = 90  # from which clocks of twins are compared; ours

REMAPPED_MANY = 64  # uncorrectable rows; ours
REMAPPED_MOST = 512  # DCGM_LIMIT for uncorrectable remaps: the spare rows are used up
REMAP_PENDING_DAYS = 7.0  # ours: a reset can wait for the next drain, not for ever
RETIRED_SOME = 10  # facebookresearch/gcm
RETIRED_MOST = 60  # of 64 that a card can put aside (NVIDIA, dynamic page retirement)
CORRECTED_PER_HOUR = 1000.0  # ours; the driver's own word for too many is Xid 92

REPLAYS_OF_LIMIT = 10  # times DCGM's limit, from which it is critical; ours
LINK_ERRORS_PER_MINUTE = 1.0  # NVIDIA/DCGM: replays and recoveries of an NVLink
CLOCK_DRIFT_MHZ = 75  # facebookresearch/gcm: critical between GPUs of one model under load
FABRIC_SECONDS = 300.0  # ours: in progress for longer than a boot takes

MEMORY_HELD_BYTES = 2**30  # by nobody; ours
AGENT_OLD_SECONDS = 180.0  # ours: three of its rounds
EXPORTER_OLD_SECONDS = 300.0  # ours: ten of its rounds
REJECTED_LATELY_SECONDS = 3600.0  # ours

_REPLAYS_PER_LANE = {1: 0.15, 2: 0.3, 3: 0.48, 4: 0.96, 5: 1.92, 6: 3.84}


def replays_per_minute(generation: int, lanes: int) -> int | None:
    """DCGM's limit for a PCIe link: x16 of generation 5 gives 31. None for a generation that it has no figure for."""
    per_lane = _REPLAYS_PER_LANE.get(generation)
    return None if per_lane is None else math.ceil(per_lane * lanes)
