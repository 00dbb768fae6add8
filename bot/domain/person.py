"""Who asks: a person of a Slack workspace, or whoever sits at a terminal, and what that person may do."""

import enum
from dataclasses import dataclass


class Access(enum.IntEnum):
    """What a person may do, or must be allowed to at least. Each includes those before it."""

    NOBODY = 0  # not even reading
    READ = 1
    OPERATE = 2  # ask for changes, take incidents, silence
    ADMIN = 3  # freeze, approve what is protected


@dataclass(frozen=True, slots=True)
class Identity:
    """The person as the Kubernetes API knows them: what access reviews and impersonation name."""

    user: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asker:
    """`id` is Slack's user id, unique only within its `workspace`; both are empty at a terminal.

    identity: None where the person is mapped to nobody in Kubernetes: then only gpubot's own rules hold.
    """

    id: str = ""
    workspace: str = ""
    name: str = ""
    channel: str = ""
    access: Access = Access.READ
    identity: Identity | None = None

    def __str__(self) -> str:
        return self.name or self.id or "the terminal"


TERMINAL = Asker(name="terminal", access=Access.OPERATE)
