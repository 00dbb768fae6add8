"""A week of a healthy fleet, swept for real: not one alert, and none that was about to be."""

from datetime import datetime, timedelta

from bot.domain.evidence import Evidence
from bot.domain.incident import Book
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.incidents.looking import look_of
from bot.sweep.sweep import sweep, wanted
from tests.alerts.building import NOW, RULES
from tests.factories import POLICY
from tests.incidents.building import decide
from tests.incidents.quiet_week import Life, Week

DAYS = 7


def a_week() -> Week:
    """Two rollouts, three rushes, a driver upgrade node by node, and programs that fail on all of them."""
    old = NOW - timedelta(days=2)
    lives = [Life(f"glm-v1-{place}", "v1", f"gpu-{place + 1}", old) for place in range(4)]
    week = Week(NOW, lives, [(old, 4)])
    week.roll(NOW + timedelta(hours=20), "v2")
    for day in (2, 3, 4):
        week.scale(NOW + timedelta(days=day, hours=9), NOW + timedelta(days=day, hours=12))
    for place in range(4):
        week.upgrade(NOW + timedelta(days=5, minutes=20 * place), f"gpu-{place + 1}")
    for place, xid in enumerate((13, 31, 43)):
        week.fail(NOW + timedelta(days=1 + place, hours=5), f"gpu-{place + 1}", xid)
    week.roll(NOW + timedelta(days=6, hours=3), "v3")
    return week


def swept(view: View, evidence: Evidence, now: datetime, book: Book) -> Book:
    inventory = Inventory(view, POLICY)
    asked = wanted(view, inventory, now)
    found = sweep(view, inventory, evidence, now, asked=asked)
    look = look_of(found, view, POLICY, asked, evidence, now)
    return decide(look, RULES, now)(book)


def test_nothing_is_told() -> None:
    week, book = a_week(), Book(cluster="prod")
    looks = week.looks(DAYS)
    seen: set[str] = set()
    for now in looks:
        view, evidence = week.at(now)
        book = swept(view, evidence, now, book)
        seen |= {f"{one.alert.cause} of {one.alert.subject}: {one.phase}" for one in book.alerts.alerts.values()}
    assert len(looks) > 500
    assert book.incidents == {}
    assert not [one for one in seen if "firing" in one]


def test_the_same_fleet_is_told_of_when_something_is_wrong() -> None:
    """Else the week would be quiet because nobody looks."""
    week, book = a_week(), Book(cluster="prod")
    week.lives[-1].pulls = 0
    week.kernel.append((NOW, "gpu-2", "NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus."))
    for step in range(3):
        now = NOW + timedelta(seconds=30 * step)
        book = swept(*week.at(now), now, book)
    assert [one.content.nodes for one in book.incidents.values()] == [("gpu-2",)]
