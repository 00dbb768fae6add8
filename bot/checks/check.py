"""What a check is: one file, one constant `CHECK`, one question about a node, an engine or the fleet.

    CHECK = Check(id="memory.remap_failed", title="…", severity=Severity.CRITICAL, source="…", docs=__doc__, …)

`judge` yields what fires and what it cannot tell; where it yields nothing all is well, and `bot.checks.run` says so.
"""

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.checks.scene import FleetScene, Reads, Scene

__all__ = ("AnyCheck", "Check", "EngineCheck", "FleetCheck", "Reads", "Scope")


class Scope(enum.StrEnum):
    """Of what a check is asked."""

    NODE = "node"
    FLEET = "fleet"
    ENGINE = "engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of a check before it is asked.

    id: `family.name`, as its file is called. title: what is wrong when it fires, in a few words. severity: at its
    worst; a finding may be milder. docs: the page about it. source: who says so, a link or a repository path.
    needs: kinds of the cluster that have to be known. reads: readings that can tell; where none of them is at hand
    and the API is not among them, the answer is unknown.
    """

    id: str
    title: str
    severity: Severity
    source: str
    docs: str = ""
    needs: frozenset[str] = frozenset({"nodes"})
    reads: frozenset[Reads] = frozenset({Reads.API})


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(About):
    """A check of one node."""

    judge: Callable[[Scene], Iterable[Finding]]
    scope: Scope = Scope.NODE


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCheck(About):
    """A check of all nodes together."""

    judge: Callable[[FleetScene], Iterable[Finding]]
    scope: Scope = Scope.FLEET


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCheck(About):
    """A check of one inference engine."""

    judge: Callable[[EngineScene], Iterable[Finding]]
    scope: Scope = Scope.ENGINE


AnyCheck = Check | FleetCheck | EngineCheck
