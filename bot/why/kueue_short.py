"""Which resource of a workload is short in its queue, and by how much: as Kueue says, else as its objects add up."""

from dataclasses import dataclass

from bot.why.amounts import amounts_of, number, scarcest_first
from bot.why.case import Case
from bot.why.kueue_messages import Refusal, Why
from bot.why.kueue_quota import Quota, quotas
from bot.why.kueue_workload import Workload


@dataclass(frozen=True, slots=True)
class Short:
    """What is short: `asked` of `resource`; `cells` are the flavors that could give it, `flavors` their names."""

    resource: str
    asked: int
    cells: tuple[Quota, ...]
    flavors: frozenset[str] = frozenset()

    @property
    def never(self) -> bool:
        return bool(self.cells) and all(one.most < self.asked for one in self.cells)

    @property
    def fits(self) -> bool:
        """Its own numbers say that there is room: Kueue's word is old, or something above the queue holds it back."""
        return any(one.left >= self.asked for one in self.cells)

    @property
    def left(self) -> str:
        """`0 of 32 are left (flavor default)`, one such part for each flavor."""
        parts = [
            f"{number(self.resource, max(0, one.left))} of {number(self.resource, one.most)} left in flavor "
            f"`{one.flavor}`"
            for one in self.cells
        ]
        return " and ".join(parts[:3])


def shortage(case: Case, workload: Workload, queue: str, refusal: Refusal) -> Short | None:
    """The scarcest of the resources that are short: as Kueue says, else as its objects add up."""
    cells = quotas(case, queue)
    asks = workload.asks
    named = {one.resource for one in refusal.reasons if one.why in (Why.USED, Why.TOO_BIG)}
    if not named and not refusal.reasons:
        named = {name for name in asks if _all_short(cells, name, asks[name])}
    if not named:
        return None
    resource = scarcest_first(named)[0]
    told = [one for one in refusal.reasons if one.resource == resource]
    flavors = frozenset(one.flavor for one in told) or frozenset(
        one.flavor for one in cells if one.resource == resource
    )
    mine = tuple(one for one in cells if one.resource == resource and one.flavor in flavors)
    missing = amounts_of({resource: next((one.missing or one.asked for one in told), "")})
    return Short(resource, asks.get(resource) or missing.get(resource, 0), mine, flavors)


def _all_short(cells: list[Quota], resource: str, asked: int) -> bool:
    mine = [one for one in cells if one.resource == resource]
    return bool(mine) and all(one.left < asked for one in mine)
