"""A kind of Kubernetes object: where it is listed, which of its fields are read, what record they become."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata
from bot.domain.record import Record


class Objectlike(Protocol):
    """Every wire struct has the object's metadata."""

    @property
    def metadata(self) -> Metadata: ...


WireT = TypeVar("WireT", bound=Objectlike)


class ListMeta(msgspec.Struct, rename={"resource_version": "resourceVersion", "more": "continue"}):
    """Metadata of a list. `more` is the token of its next page."""

    resource_version: str = ""
    more: str = ""


class Page(msgspec.Struct, Generic[WireT]):
    """One page of a list."""

    metadata: ListMeta = msgspec.field(default_factory=ListMeta)
    items: list[WireT] | None = None


class Event(msgspec.Struct, Generic[WireT]):
    """One line of a watch."""

    type: str
    object: WireT


@dataclass(frozen=True)
class Kind(Generic[WireT]):
    """`name` is the plural, and the kind's table in `bot.domain.view.View`.

    `versions` are the group and version in order of preference: a server that does not know the first is asked for
    the next. `record` turns one decoded object into its key in the table and its record; it may raise
    msgspec.ValidationError or ValueError, which costs that object only.
    """

    name: str
    object_kind: str
    versions: tuple[str, ...]
    namespaced: bool
    wire: type[WireT]
    record: Callable[[WireT, Shared], tuple[str, Record]]
    plural: str = ""  # in paths, where two groups use one word: the table has another name then

    @cached_property
    def decoder(self) -> msgspec.json.Decoder[WireT]:
        return msgspec.json.Decoder(self.wire)

    @cached_property
    def page_decoder(self) -> msgspec.json.Decoder[Page[WireT]]:
        return msgspec.json.Decoder(Page[self.wire])  # type: ignore[name-defined]  # a type made while running

    @cached_property
    def event_decoder(self) -> msgspec.json.Decoder[Event[WireT]]:
        return msgspec.json.Decoder(Event[self.wire])  # type: ignore[name-defined]  # a type made while running

    def path(self, version: str, namespace: str = "") -> str:
        """Where the API server lists the kind: in all namespaces, or in one."""
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        last = self.plural or self.name
        return f"{root}/namespaces/{namespace}/{last}" if namespace else f"{root}/{last}"

    def permission(self, verb: str, namespace: str = "") -> str:
        """What an RBAC role must allow, in words: `list jobs.batch` in all namespaces."""
        group = f".{self.versions[0].partition('/')[0]}" if "/" in self.versions[0] else ""
        where = f" in namespace {namespace}" if namespace else " in all namespaces" if self.namespaced else ""
        return f"`{verb} {self.plural or self.name}{group}`{where}"


AnyKind = Kind[Any]
