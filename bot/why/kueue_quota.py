"""A ClusterQueue's quota in numbers: what it may have, what is used, what is left, also by borrowing.

The arithmetic is that of kubernetes-sigs/kueue:pkg/cache/scheduler/resource_node.go for cohorts of one level: a queue
lends what it does not use, up to its lending limit, and borrows up to its borrowing limit. Cohorts above cohorts are
not followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.quantity import QuantityError, amount
from bot.domain.thing import Thing
from bot.why.case import Case

Cell = tuple[str, str]  # flavor, resource


@dataclass(frozen=True, slots=True)
class Quota:
    """Of one flavor and resource. `left` and `most` count what can be borrowed from `cohort` too.

    used: reserved by its own workloads. most: all that a workload could ever get.
    """

    flavor: str
    resource: str
    nominal: int
    used: int
    left: int
    most: int
    cohort: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    """One queue's entry for one flavor and resource."""

    nominal: int
    used: int
    borrow: int | None
    lend: int | None

    @property
    def guaranteed(self) -> int:
        """What it never lends."""
        return max(0, self.nominal - self.lend) if self.lend is not None else 0


def cohort_of(fields: Fields) -> str:
    """`spec.cohortName`, in v1beta1 `spec.cohort`."""
    return fields.text("spec", "cohortName") or fields.text("spec", "cohort")


def flavors_of(fields: Fields) -> list[str]:
    """All flavors that the queue names, in the order in which they are tried."""
    groups = fields.each("spec", "resourceGroups")
    return list(
        dict.fromkeys(one.text("name") for group in groups for one in group.each("flavors") if one.text("name"))
    )


def quotas(case: Case, queue: str) -> list[Quota]:
    """Every cell of that ClusterQueue."""
    thing = case.view.things("clusterqueues").get(queue)
    if thing is None:
        return []
    fields = case.fields(thing)
    cohort = cohort_of(fields)
    others = [_lines(case.fields(one)) for one in _members(case, cohort, queue)] if cohort else []
    return [
        _quota(cell, line, [one[cell] for one in others if cell in one], cohort)
        for cell, line in _lines(fields).items()
    ]


def _members(case: Case, cohort: str, but: str) -> Iterator[Thing]:
    for name, one in case.view.things("clusterqueues").items():
        if name != but and cohort_of(case.fields(one)) == cohort:
            yield one


def _quota(cell: Cell, line: _Line, others: list[_Line], cohort: str) -> Quota:
    if not cohort:
        return Quota(*cell, line.nominal, line.used, line.nominal - line.used, line.nominal)
    every = [line, *others]
    pool = sum(one.nominal - one.guaranteed for one in every)
    pool_left = pool - sum(max(0, one.used - one.guaranteed) for one in every)
    stored = line.nominal - line.guaranteed
    if line.borrow is not None:
        pool_left = min(pool_left, stored - max(0, line.used - line.guaranteed) + line.borrow)
        pool = min(pool, stored + line.borrow)
    left = max(0, line.guaranteed - line.used) + pool_left
    return Quota(*cell, line.nominal, line.used, left, line.guaranteed + pool, cohort)


def _lines(fields: Fields) -> dict[Cell, _Line]:
    used = _used(fields)
    found: dict[Cell, _Line] = {}
    for group in fields.each("spec", "resourceGroups"):
        for flavor in group.each("flavors"):
            for resource in flavor.each("resources"):
                name = resource.text("name")
                cell = (flavor.text("name"), name)
                found[cell] = _Line(
                    _number(resource, "nominalQuota", name) or 0,
                    used.get(cell, 0),
                    _number(resource, "borrowingLimit", name),
                    _number(resource, "lendingLimit", name),
                )
    return found


def _used(fields: Fields) -> dict[Cell, int]:
    """Reserved is what counts for admission; older objects only tell what is used."""
    found: dict[Cell, int] = {}
    for part in ("flavorsUsage", "flavorsReservation"):
        for flavor in fields.each("status", part):
            for one in flavor.each("resources"):
                name = one.text("name")
                found[(flavor.text("name"), name)] = _number(one, "total", name) or 0
    return found


def _number(fields: Fields, key: str, resource: str) -> int | None:
    text = fields.text(key)
    if not text:
        return None
    try:
        return amount(resource, text)
    except QuantityError:
        return None
