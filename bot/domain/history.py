"""How long pods waited, and for what: what is remembered from one sweep, and one start of the bot, to the next.

A `Wait` is one pod's time from its creation until it runs or is deleted; its `Spell`s are what it waited for, one after
the other. A pod that is created again under the same name has another uid and is another pod. All of it is plain data
that never changes once made: a command reads the `History` of a cluster as it is in memory.
"""

import enum
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

import msgspec

UNSEEN = "unseen"  # the reason of time that nobody watched, or of which the record is gone
UNNAMED = "unnamed"  # the reason of a spell for which none was found
SPELLS_AT_MOST = 64  # of one pod, the newest; a pod whose reason flaps says no more with a thousand

Likeness = tuple[int, str]  # how many GPUs, and their kind


class State(enum.StrEnum):
    """What a sweep sees of a pod."""

    WAITING = "waiting"
    STARTED = "started"  # bound, or running: whoever observes decides which, and stays with it
    GONE = "gone"  # deleted


class Observation(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One pod in one sweep.

    `since` is when the cluster says that the state began: creation for a pod that waits, binding or start for one that
    started; None where it does not say. `shape` is the kind of GPU as people name it (`H200`, `1g.18gb`).
    """

    uid: str
    namespace: str
    name: str
    owner: str = ""  # Kind/name of what people know it by; empty for a bare pod
    gpus: int = 0
    shape: str = ""
    state: State
    reason_id: str = ""  # stable, such as resources.fragmented
    sentence: str = ""  # the verdict in words
    since: datetime | None = None


class Spell(msgspec.Struct, frozen=True, gc=False):
    """One reason without a break. `sentence` is the verdict as it was at the start; `ended_at` None: it lasts."""

    reason_id: str
    sentence: str
    began_at: datetime
    ended_at: datetime | None = None

    def seconds(self, now: datetime) -> float:
        """How long it lasted, or has lasted; never negative, since clocks are set back."""
        return max(0.0, ((self.ended_at or now) - self.began_at).total_seconds())


class Wait(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One pod's wait. `opened` counts all spells there were; `spells` are the newest of them, oldest first."""

    uid: str
    namespace: str
    name: str
    owner: str = ""
    gpus: int = 0
    shape: str = ""
    pending_since: datetime
    seen_at: datetime  # when it was first seen waiting
    started_at: datetime | None = None
    gone_at: datetime | None = None
    spells: tuple[Spell, ...] = ()
    opened: int = 0

    @property
    def likeness(self) -> Likeness:
        return self.gpus, self.shape

    @property
    def ended_at(self) -> datetime | None:
        """When the pod no longer waited: it started, or was deleted without."""
        return self.started_at or self.gone_at

    def numbered(self, first: int = 1) -> Iterator[tuple[int, Spell]]:
        """The spells from that number on. A spell keeps its number, which begins at 1, for ever."""
        kept_from = self.opened - len(self.spells) + 1
        for number, spell in enumerate(self.spells, start=kept_from):
            if number >= first:
                yield number, spell


class Run(msgspec.Struct, frozen=True, gc=False):
    """A wait that ended well, as far as estimates need it."""

    namespace: str
    owner: str
    reasons: tuple[str, ...]  # each once
    waited_seconds: float
    started_at: datetime


class Change(msgspec.Struct, frozen=True, gc=False):
    """A wait as it is now. Its spells from the number `first` on are new or changed; 1: all of it is new."""

    wait: Wait
    first: int


NO_WAITS: Mapping[str, Wait] = MappingProxyType({})
NO_RUNS: Mapping[Likeness, tuple[Run, ...]] = MappingProxyType({})


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of one cluster.

    `waits` has the pods that are alive, by uid: those that wait, and those that waited and run now. `runs` has the
    waits of the last 30 days that ended with a start, oldest first. `since` is when remembering began (None: it has
    not). `trouble` is empty, or says in a clause why what is seen now will be forgotten at the next start.
    """

    cluster: str
    waits: Mapping[str, Wait] = NO_WAITS
    runs: Mapping[Likeness, tuple[Run, ...]] = NO_RUNS
    since: datetime | None = None
    trouble: str = ""
