"""Which NVIDIA driver branches are still supported, and until when.

docs.nvidia.com/datacenter/tesla/drivers (supported drivers, editions 615 and 620), as of November 2026. A branch ends
with the month that is named: its drivers go on working, and get no more fixes, those for security included.
"""

from dataclasses import dataclass
from datetime import date

from bot.serving.driver import Version

AS_OF = "November 2026"
SOON_DAYS = 120


@dataclass(frozen=True, slots=True)
class Branch:
    """`ends` is the first day after its support; None where it is over and nobody says since when."""

    number: int
    kind: str
    ends: date | None = None

    def over(self, today: date) -> bool:
        return self.ends is None or today >= self.ends

    def soon(self, today: date) -> bool:
        return self.ends is not None and 0 < (self.ends - today).days <= SOON_DAYS

    def told(self, today: date) -> str:
        """`long-term branch, supported until June 2028`, or `out of support since February 2026`."""
        if self.ends is None:
            return "out of support"
        last = date(self.ends.year - (self.ends.month == 1), self.ends.month - 1 or 12, 1)
        if self.over(today):
            return f"out of support since the end of {last:%B %Y}"
        return f"{self.kind} branch, supported until {last:%B %Y}"


_BRANCHES = {
    branch.number: branch
    for branch in (
        *(Branch(number, "former") for number in (418, 450, 460, 470, 510, 515, 525, 550, 560, 565, 575)),
        Branch(535, "long-term", date(2026, 7, 1)),
        Branch(570, "production", date(2026, 3, 1)),
        Branch(580, "long-term", date(2028, 7, 1)),
        Branch(590, "new-feature"),
        Branch(595, "production", date(2027, 4, 1)),
        Branch(610, "new-feature", date(2026, 9, 1)),
        Branch(620, "long-term", date(2029, 10, 1)),
    )
}


def branch_of(driver: Version) -> Branch | None:
    """None for a branch that the table does not have: nothing is said of it."""
    return _BRANCHES.get(driver.major)
