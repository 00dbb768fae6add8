"""What fires: alerts as one look at a cluster finds them, those with one root in a bundle, and what the look could see.

An alert is one thing that is wrong with one subject, named by its fingerprint for as long as it lasts.
"""

from datetime import datetime

import msgspec

from bot.domain.answer import Remedy
from bot.domain.severity import Severity


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with one subject.

    cause: the id of a check, of a finding of `/why`, or of somebody else's rule. node, gpu, owner (`namespace/name`)
    and pool say what it is about; all empty: the fleet. source: `sweep`, or who told it. follows: it comes from the
    first of its bundle. grave: no pod of that node works while it lasts.
    """

    fingerprint: str
    cause: str
    severity: Severity
    subject: str
    node: str = ""
    gpu: str = ""
    owner: str = ""
    team: str = ""
    source: str = "sweep"
    follows: bool = False
    grave: bool = False

    @property
    def namespace(self) -> str:
        return self.owner.partition("/")[0] if self.owner else ""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """Whom it hits: an owner, how many of its pods are Ready, and how many it wants.

    tokens_share: what part of the fleet's tokens per second its lost pods made; None: not known.
    """

    owner: str
    ready: int
    wanted: int
    gpus: int = 0  # of its pods that are hit
    team: str = ""
    tokens_share: float | None = None


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """Alerts with one root, in words. title: a sentence without its full stop; effect: clauses.

    nodes: those at fault; places: also those where its pods are.
    """

    title: str
    cause: str
    severity: Severity
    since: datetime | None = None
    effect: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    useless: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    nodes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """What one look found with one root; the alert of the root comes first."""

    alerts: tuple[Alert, ...]
    content: Content

    @property
    def root(self) -> Alert:
        return self.alerts[0]

    @property
    def grave_nodes(self) -> frozenset[str]:
        return frozenset(one.node for one in self.alerts if one.grave)

    @property
    def owners(self) -> frozenset[str]:
        """Whose pods do not work."""
        return frozenset(one.owner for one in self.alerts if one.owner)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a look could see, so that silence is not taken for health.

    told: nodes and pods were read. blind: check and node of which nothing is known. ill: owners whose pods do not all
    run. unread: owners whose logs could not be read. over: fingerprints that their source says are over. gone: owners
    that are there no more are those in neither.
    """

    told: bool = True
    nodes: frozenset[str] = frozenset()
    blind: frozenset[tuple[str, str]] = frozenset()
    ill: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One look at a cluster: what is wrong, and what could be seen. swept: False where only others told something."""

    bundles: tuple[Bundle, ...] = ()
    seen: Seen = Seen()
    swept: bool = True
