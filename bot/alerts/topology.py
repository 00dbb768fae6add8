"""What explains what, by where things are: a node that is down explains its pods, their owners and what else it says.

Only what keeps every pod of a node from working explains others (`Alert.grave`); warmth or an old driver does not.
"""

from dataclasses import dataclass
from datetime import timedelta

from bot.alerts.stage import Round
from bot.domain.alert import Alert, Bundle
from bot.domain.alert_state import Group, Phase
from bot.domain.words import names

EARLIER_SECONDS = 600.0  # pods may show it before their node does


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a group goes: nodes that are down, nodes it speaks of, nodes its pods are on, owners it hits."""

    down: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()

    def __or__(self, other: "Reach") -> "Reach":
        return Reach(
            self.down | other.down, self.nodes | other.nodes, self.places | other.places, self.owners | other.owners
        )


def of_bundle(bundle: Bundle) -> Reach:
    return Reach(
        bundle.grave_nodes,
        frozenset(one.node for one in bundle.alerts if one.node),
        frozenset(bundle.content.places),
        bundle.owners | {one.owner for one in bundle.content.hits},
    )


def reaches(round_: Round) -> dict[int, Reach]:
    """Of all groups that are not over, by number."""
    alerts: dict[int, list[Alert]] = {number: [] for number, one in round_.groups.items() if one.resolved_at is None}
    for standing in round_.alerts.values():
        if standing.phase is Phase.FIRING and standing.incident in alerts:
            alerts[standing.incident].append(standing.alert)
    return {number: _reach(round_.groups[number], found) for number, found in alerts.items()}


def _reach(group: Group, alerts: list[Alert]) -> Reach:
    return Reach(
        down=frozenset(one.node for one in alerts if one.grave),
        nodes=frozenset(one.node for one in alerts if one.node),
        places=frozenset(group.content.places),
        owners=frozenset(one.owner for one in alerts if one.owner) | {one.owner for one in group.content.hits},
    )


def by_node(one: Reach, bundle: Bundle) -> str:
    """Why one of both explains the other: a node that is down. Empty where none does."""
    places = frozenset(bundle.content.places)
    if shared := one.down & places:
        return f"{names(sorted(shared))} is down already"
    if shared := bundle.grave_nodes & (one.nodes | one.places):
        return f"{names(sorted(shared))} is down, which explains both"
    return ""


def by_owner(one: Reach, group: Group, bundle: Bundle) -> str:
    """Pods of an owner that was hit lately: its new ones may not find a place, or wait for what is gone."""
    began = bundle.content.since
    if began is not None and began < group.opened_at - timedelta(seconds=EARLIER_SECONDS):
        return ""
    shared = one.owners & bundle.owners
    return f"{names(sorted(shared))} was hit already" if shared else ""
