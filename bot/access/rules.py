"""The rules as plain data, as settings say them. The defaults let everybody of the workspace read, and nobody change.

An empty list lets nobody in. Ids are Slack's own (users U… or W…, user groups S…, channels C… or G…): names can be
changed by their bearers, ids cannot.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType

from bot.access.windows import Window
from bot.domain.person import Access

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Grant:
    """Whom a role is given to: people by id or user group; with channels only there.

    Channels without people give it to whoever asks there. A grant that names nothing is given to nobody.
    """

    users: frozenset[str] = NOTHING
    groups: frozenset[str] = NOTHING
    channels: frozenset[str] = NOTHING

    def holds(self, person: str, channel: str, groups: Collection[str]) -> bool:
        if not self.users and not self.groups:
            return channel in self.channels
        named = person in self.users or not self.groups.isdisjoint(groups)
        return named and (not self.channels or channel in self.channels)


@dataclass(frozen=True, slots=True)
class Identities:
    """How a person of Slack is called in Kubernetes. Without e-mail and table nobody is mapped, and nothing is asked.

    users: Slack user → Kubernetes user, before any e-mail. groups: Slack user group → Kubernetes groups. everybody:
    groups of whoever is mapped. prefix: what the API server's `--oidc-username-prefix` puts before an e-mail.
    """

    by_email: bool = False
    prefix: str = ""
    users: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    everybody: tuple[str, ...] = ()
    impersonate: bool = False  # make changes in the person's name, so that the API server's audit has it

    @property
    def used(self) -> bool:
        return self.by_email or bool(self.users)


@dataclass(frozen=True, slots=True)
class Approvals:
    """How many others must agree, and what is small or big. In between is usual."""

    small: int = 0
    usual: int = 1
    big: int = 2
    small_nodes: int = 1
    small_replicas: int = 1
    small_gpus: int = 8
    big_gpus: int = 16  # more than so many
    expire_after: timedelta = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Limits:
    """The breaker: no more than so much is changed within an hour, whoever asks."""

    nodes: int = 4
    replicas: int = 40
    gpus: int = 128


@dataclass(frozen=True, slots=True)
class Protected:
    """What only admins may approve. labels: `key=value`, or a key alone for any value."""

    namespaces: frozenset[str] = frozenset({"kube-system"})
    labels: tuple[str, ...] = ("gpubot.dev/protected=true",)


@dataclass(frozen=True, slots=True)
class Rules:
    """All of them. workspaces: whose people are let in; the bot adds its own once Slack has told it (`at_home`).

    readers: None lets everybody read. windows: when changes may be made; none means always. dry_run: nothing is
    changed at all, every change ends with what the API server says that it would do.
    """

    workspaces: frozenset[str] = NOTHING
    readers: tuple[Grant, ...] | None = None
    operators: tuple[Grant, ...] = ()
    admins: tuple[Grant, ...] = ()
    identities: Identities = Identities()
    approvals: Approvals = Approvals()
    limits: Limits = Limits()
    protected: Protected = Protected()
    windows: tuple[Window, ...] = ()
    dry_run: bool = False

    def at_home(self, workspace: str) -> "Rules":
        """The same, with the workspace that the bot is installed in."""
        return replace(self, workspaces=self.workspaces | {workspace} - {""})

    def grants(self, access: Access) -> tuple[Grant, ...]:
        """Those that give at least that; reading by everybody is not among them."""
        found = self.admins
        if access <= Access.OPERATE:
            found += self.operators
        if access <= Access.READ:
            found += self.readers or ()
        return found
