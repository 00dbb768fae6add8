"""Driver branches and until when NVIDIA supports them; versions that are known to be bad.

docs.nvidia.com/datacenter/tesla/drivers (editions 615 and 620), as of November 2026.
"""

from datetime import date

from bot.serving.driver import Version

LONG_TERM, SHORT = "long-term", "production"
# Branch → the last day of support. Branches that are left out are not known, which says nothing about them.
ENDS = {
    470: date(2024, 9, 30),
    525: date(2023, 12, 31),
    535: date(2026, 6, 30),
    550: date(2025, 12, 31),
    560: date(2025, 3, 31),
    565: date(2025, 6, 30),
    570: date(2026, 2, 28),
    575: date(2025, 12, 31),
    580: date(2028, 6, 30),
    590: date(2026, 6, 30),
    595: date(2027, 3, 31),
    610: date(2026, 8, 31),
    620: date(2029, 9, 30),
}
EXACT = frozenset({535, 570, 580, 595, 610, 620})  # of the others only that their time is over
BAD = (
    (
        Version(570, 124, 6),
        Version(570, 158, 1),
        "pods that ask for MIG slices and whole GPUs of one node stay Pending",
        "NVIDIA/gpu-operator#1361",
    ),
)
