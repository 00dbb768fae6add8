"""The demo's fleet and its scenarios, as data: what machines there are, who runs what on them, and what is broken."""

from bot.local.cluster.fleet.load import FleetError, load_fleet, load_scenario, scenarios
from bot.local.cluster.fleet.play import Player
from bot.local.cluster.fleet.schema import Fleet

__all__ = ["Fleet", "FleetError", "Player", "load_fleet", "load_scenario", "scenarios"]
