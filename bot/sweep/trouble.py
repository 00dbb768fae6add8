"""What a sweep finds: troubles, which are joined into one entry for each root, and waits that are as they should be."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from bot.checks.finding import Severity
from bot.domain.answer import Remedy
from bot.domain.pod import Pod


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that somebody has to act on.

    id: of the check or of the finding of `/why`. sentence: whole, without the last full stop. since: RFC 3339, empty
    where it is not known. nodes: where it sits. about: what it speaks of within that: a GPU's UUID, a pool; empty: all
    of it. owner: `namespace/name` of whose pods do not run. pods: those that are hit. same: troubles for which this is
    equal have one root. root: what is behind it, in the words of whoever judged it. needs: keys of pods without which
    it cannot work.
    """

    id: str
    severity: Severity
    sentence: str
    since: str = ""
    nodes: tuple[str, ...] = ()
    about: str = ""
    owner: str = ""
    pods: tuple[Pod, ...] = ()
    evidence: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    useless: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    same: Hashable = None
    root: str = ""
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """One root with what follows from it. `effect`: whole clauses of whom it hits."""

    root: Trouble
    under: tuple[Trouble, ...] = ()
    effect: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[Trouble, ...]:
        return (self.root, *self.under)

    @property
    def severity(self) -> Severity:
        """The worst of them."""
        return min((one.severity for one in self.every), key=lambda one: one.rank)

    @property
    def since(self) -> str:
        """When the first of them began."""
        return min((one.since for one in self.every if one.since), default="")

    @property
    def pods(self) -> tuple[Pod, ...]:
        """All that are hit, by name."""
        return tuple(sorted({pod for one in self.every for pod in one.pods}, key=lambda pod: pod.key))

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(node for one in self.every for node in one.nodes))


@dataclass(frozen=True, slots=True)
class Wait:
    """Something that does not run and need not yet. `until`: until when waiting is right, empty where nobody knows."""

    who: str
    how: str
    until: str = ""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Entries, the worst first. `told` is False where nodes or pods were not known, so that quiet says nothing.

    lasting: what is due some day (a driver branch out of support): told, and no problem of now. unseen: what could
    not be looked at. notes: what is only worth knowing of nodes with trouble. left: groups of pods that nobody looked
    into, for their number. blind: check and node of which it is not known whether it fires there.
    failed: checks that failed themselves.
    """

    entries: tuple[Entry, ...] = ()
    waits: tuple[Wait, ...] = ()
    lasting: tuple[Entry, ...] = ()
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left: int = 0
    told: bool = True
    blind: frozenset[tuple[str, str]] = frozenset()
    failed: tuple[str, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict, compare=False)
