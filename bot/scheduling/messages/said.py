"""A scheduler's message, taken apart so that its parts put together are the message again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.domain.record import NONE
from bot.scheduling.messages.table import EVERY_RELEASE, FRAMEWORK, NAMED, Known, Stage

KUBE_SCHEDULER = "kube-scheduler"
CUT = " ..."  # ends an event that was longer than 1024 bytes

_COUNTED_PREFILTER = range(22, 27)  # said once per node (VolumeZone up to 1.26, the others up to 1.25)
_UNCOUNTED = range(26, EVERY_RELEASE.stop)
_TAIL = range(24, EVERY_RELEASE.stop)
_DOT_AFTER_TAIL = range(26, 29)


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that is said.

    `count` is how many (of `unit`: node or node group) it is said of, None where it is said of the pod. `parts` is what
    stands for the placeholders of `known.text`: resource, key, value, claim ... `cut`: an event's end, incomplete.
    """

    text: str
    count: int | None = None
    known: Known | None = None
    parts: Mapping[str, str] = field(default_factory=lambda: NONE, hash=False)
    unit: str = "node"
    cut: bool = False

    def __str__(self) -> str:
        return self.text if self.count is None else f"{self.count} {self.text}"

    @property
    def plugin(self) -> str | None:
        """kube-scheduler's plugin; None for unknown words, for the framework's and for those of others."""
        if self.known is None or self.known.foreign or self.known.owner == FRAMEWORK:
            return None
        return self.parts["plugin"] if self.known.owner == NAMED else self.known.owner

    @property
    def stage(self) -> Stage | None:
        return self.known.stage if self.known else None

    @property
    def resolvable(self) -> bool | None:
        """May evicting pods cure it? None where that cannot be told from the words."""
        return self.known.resolvable if self.known else None

    @property
    def noise(self) -> bool:
        """Nobody needs to be told this."""
        return self.stage is Stage.NOISE

    @property
    def releases(self) -> range:
        """Minor releases that say it so."""
        if self.known is None:
            return EVERY_RELEASE
        if self.known.stage is not Stage.PREFILTER:
            return self.known.releases
        return _common(self.known.releases, _UNCOUNTED if self.count is None else _COUNTED_PREFILTER)


@dataclass(frozen=True, slots=True)
class Said:
    """`str()` of it is the text that was parsed, without blanks around it.

    `opening` is literally what precedes the body ("0/3 nodes are available:"), empty where the text has no such head:
    then the body is one reason, the whole text. `tail` is what was tried after no node was found: reasons, and
    preemption's dry run as a message of its own (which has no tail). `speaker`: kube-scheduler, Volcano, Karpenter ...;
    None where nobody known talks like this.
    """

    speaker: str | None
    body: tuple[Reason, ...] = ()
    opening: str = ""
    available: int | None = None
    total: int | None = None
    stop: str = ""  # the dot after the body
    tail: tuple["Reason | Said", ...] = ()
    end: str = ""  # the dot that some releases put after the tail, or CUT

    def __str__(self) -> str:
        body = ", ".join(map(str, self.body))
        head = f"{self.opening} {body}" if self.opening and self.body else self.opening + body
        tail = " " + ", ".join(map(str, self.tail)) if self.tail else ""
        return head + self.stop + tail + self.end

    @property
    def truncated(self) -> bool:
        """The end is missing: read the pod's condition, which is never cut."""
        return self.end == CUT

    @property
    def dry_run(self) -> "Said | None":
        """What preemption found, node by node, when it imagined all pods of lower priority gone."""
        return next((one for one in self.tail if isinstance(one, Said)), None)

    @property
    def reasons(self) -> Iterator[Reason]:
        """All of them: body, tail, dry run."""
        yield from self.body
        for one in self.tail:
            if isinstance(one, Said):
                yield from one.body
            else:
                yield one

    @property
    def unknown(self) -> tuple[Reason, ...]:
        """What the table does not have."""
        return tuple(reason for reason in self.reasons if reason.known is None)

    @property
    def releases(self) -> range:
        """Minor releases whose words these all are; empty where no release talks like this (a vendor's mixture)."""
        found = EVERY_RELEASE
        for reason in self.reasons:
            found = _common(found, reason.releases)
        if self.tail:
            found = _common(found, _DOT_AFTER_TAIL if self.end == "." else _TAIL)
        return found


def _common(one: range, other: range) -> range:
    start = max(one.start, other.start)
    return range(start, max(start, min(one.stop, other.stop)))
