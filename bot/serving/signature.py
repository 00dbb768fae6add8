"""What a known line means: its cause in a sentence, what helps, who is at fault, and how much it explains.

Templates are those of `bot.serving.template`; their holes are the pattern's named groups, what `derive` adds, and
`{phase}`: what the engine was doing then. Commands may hold <pod>, <namespace>, <node> and <container>, which only
the reader of the log knows (`Remedy.at`).
"""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bot.domain.pattern import Pattern
from bot.serving.phase import Phase

Values = Mapping[str, str]


class Sense(enum.IntEnum):
    """What a line says about the engine; higher ones explain more."""

    NOTICE = 0  # worth knowing, the engine goes on
    SYMPTOM = 1  # something failed; the line does not say why
    WAITING = 2  # the engine waits for something that may never come
    CAUSE = 3  # the engine, or the request, failed because of this


class Rank(enum.IntEnum):
    """How deep a line points. Of several lines with the same sense the highest rank is the best explanation."""

    WRAPPER = 0  # repeats that something else failed
    CONSEQUENCE = 1  # what another fault leads to
    GENERAL = 2  # names a kind of fault
    SPECIFIC = 3  # names the thing that is wrong
    ROOT = 4  # nothing lies below: driver, hardware, a full disk, an argument


class Blame(enum.StrEnum):
    """Where the fault lies."""

    IMAGE = "image"
    ARGUMENTS = "arguments"
    GPU_MEMORY = "GPU memory"
    HOST_MEMORY = "host memory"
    DRIVER = "driver"
    NETWORK = "network"
    DOWNLOAD = "download"
    STORAGE = "storage"
    HARDWARE = "hardware"
    OTHER_PROCESS = "other process"
    ENGINE = "engine"
    NODE = "node set-up"
    OUTSIDE = "outside"  # somebody stopped it


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to do. `command` is a shell line, where there is one."""

    action: str
    command: str = ""

    def at(self, **places: str) -> "Remedy":
        """With `<pod>`, `<namespace>`, `<node>`, `<container>` replaced by what is given."""
        action, command = self.action, self.command
        for place, name in places.items():
            action, command = action.replace(f"<{place}>", name), command.replace(f"<{place}>", name)
        return replace(self, action=action, command=command)


@dataclass(frozen=True, slots=True)
class Signature:
    """A line that is known.

    `says`: literal texts, one of which is in the line; `pattern` must be found in that line and the two after it.
    `during`: the phases in which the line means this; empty for all. `source`: where the text comes from.
    """

    id: str
    says: tuple[str, ...]
    cause: str
    remedies: tuple[Remedy, ...]
    blames: tuple[Blame, ...]  # most likely first; empty where the line tells nothing
    source: str
    sense: Sense = Sense.CAUSE
    rank: Rank = Rank.SPECIFIC
    restart_helps: bool | None = False  # of the container; None: it may
    note: str = ""  # what it is not
    pattern: Pattern | None = None
    during: frozenset[Phase] = frozenset()
    derive: Callable[[Values], Values | None] | None = None  # further values; None: it is not this after all

    @property
    def fatal(self) -> bool:
        """Whether the engine, or what it was asked for, came to an end here."""
        return self.sense in (Sense.CAUSE, Sense.SYMPTOM)

    @property
    def depth(self) -> tuple[int, int]:
        """Orders signatures by how much they explain."""
        return (self.sense, self.rank)


@dataclass(frozen=True, slots=True)
class Family:
    """Signatures of one kind of trouble: one module of `bot.serving.signatures`."""

    name: str
    signatures: tuple[Signature, ...]
