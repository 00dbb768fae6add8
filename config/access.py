"""The settings `access`: who may do what (config/gpubot.yaml says what each key means, docs/access.md what follows)."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bot.access import rules, windows

Workspace = Annotated[str, Field(pattern=r"^[TE][A-Z0-9]+$")]
User = Annotated[str, Field(pattern=r"^[UW][A-Z0-9]+$")]
Group = Annotated[str, Field(pattern=r"^S[A-Z0-9]+$")]
Channel = Annotated[str, Field(pattern=r"^[CGD][A-Z0-9]+$")]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=253)]

USUAL = rules.Rules()
_ALLOWED_OF_THE_SYSTEM = "system:authenticated"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GrantSettings(_Part):
    """Whom a role is given to."""

    users: tuple[User, ...] = ()
    groups: tuple[Group, ...] = ()
    channels: tuple[Channel, ...] = ()

    @model_validator(mode="after")
    def _names_somebody(self) -> "GrantSettings":
        if not (self.users or self.groups or self.channels):
            raise ValueError("it names nobody: give users, groups or channels")
        return self

    def grant(self) -> rules.Grant:
        return rules.Grant(frozenset(self.users), frozenset(self.groups), frozenset(self.channels))


class IdentitySettings(_Part):
    """Who people are in Kubernetes."""

    by_email: bool = False
    prefix: str = ""
    users: dict[User, Name] = {}
    groups: dict[Group, tuple[Name, ...]] = {}
    everybody: tuple[Name, ...] = ()
    impersonate: bool = False

    @model_validator(mode="after")
    def _nobody_is_of_the_system(self) -> "IdentitySettings":
        named = (*self.users.values(), *self.everybody, *(name for names in self.groups.values() for name in names))
        for name in (self.prefix, *named):
            if name.startswith("system:") and name != _ALLOWED_OF_THE_SYSTEM:
                raise ValueError(f"{name} belongs to Kubernetes itself: no person may be that")
        if self.impersonate and not (self.by_email or self.users):
            raise ValueError("impersonate needs by_email or users: without them nobody is mapped")
        return self

    def identities(self) -> rules.Identities:
        return rules.Identities(self.by_email, self.prefix, self.users, self.groups, self.everybody, self.impersonate)


class ApprovalSettings(_Part):
    """How many others must agree."""

    small: Count = USUAL.approvals.small
    usual: Count = USUAL.approvals.usual
    big: Count = USUAL.approvals.big
    small_nodes: Count = USUAL.approvals.small_nodes
    small_replicas: Count = USUAL.approvals.small_replicas
    small_gpus: Count = USUAL.approvals.small_gpus
    big_gpus: Count = USUAL.approvals.big_gpus
    expire_after_minutes: Annotated[int, Field(ge=1, le=7 * 24 * 60)] = 30

    def approvals(self) -> rules.Approvals:
        return rules.Approvals(
            small=self.small,
            usual=self.usual,
            big=self.big,
            small_nodes=self.small_nodes,
            small_replicas=self.small_replicas,
            small_gpus=self.small_gpus,
            big_gpus=self.big_gpus,
            expire_after=timedelta(minutes=self.expire_after_minutes),
        )


class LimitSettings(_Part):
    """The breaker: at most so much within an hour."""

    nodes: Count = USUAL.limits.nodes
    replicas: Count = USUAL.limits.replicas
    gpus: Count = USUAL.limits.gpus


class ProtectedSettings(_Part):
    """What only admins may approve."""

    namespaces: tuple[Name, ...] = tuple(sorted(USUAL.protected.namespaces))
    labels: tuple[Name, ...] = USUAL.protected.labels


class AccessSettings(_Part):
    """Who may do what. By default everybody of the workspace reads, and nobody changes anything."""

    workspaces: tuple[Workspace, ...] = ()
    readers: tuple[GrantSettings, ...] | None = None
    operators: tuple[GrantSettings, ...] = ()
    admins: tuple[GrantSettings, ...] = ()
    identities: IdentitySettings = IdentitySettings()
    approvals: ApprovalSettings = ApprovalSettings()
    limits: LimitSettings = LimitSettings()
    protected: ProtectedSettings = ProtectedSettings()
    windows: tuple[str, ...] = ()
    dry_run: bool = False

    @field_validator("windows")
    @classmethod
    def _windows_are_some(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            windows.parse(text)
        return texts

    def rules(self) -> rules.Rules:
        """The same as plain data, which is what the core reads."""
        return rules.Rules(
            workspaces=frozenset(self.workspaces),
            readers=None if self.readers is None else tuple(one.grant() for one in self.readers),
            operators=tuple(one.grant() for one in self.operators),
            admins=tuple(one.grant() for one in self.admins),
            identities=self.identities.identities(),
            approvals=self.approvals.approvals(),
            limits=rules.Limits(self.limits.nodes, self.limits.replicas, self.limits.gpus),
            protected=rules.Protected(frozenset(self.protected.namespaces), self.protected.labels),
            windows=tuple(windows.parse(text) for text in self.windows),
            dry_run=self.dry_run,
        )
