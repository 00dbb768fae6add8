"""Values that many objects have in common, decoded and kept once.

Pods of one template carry the same labels, owner and resources, byte for byte. Looking those bytes up costs less than
decoding them, and a fleet of 150,000 pods then keeps some thousand dictionaries instead of half a million. One
`Shared` belongs to one cluster's cache, so nothing here is global.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from bot.adapters.cluster.template import Asked, Template, counted, requested
from bot.adapters.cluster.wire import WireCondition, WireOwner
from bot.domain.node import Condition
from bot.domain.pod import ContainerState
from bot.domain.pod_spec import PodSpec
from bot.domain.record import NONE, Amounts, Labels, Owner

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
FULL = 32_768  # entries; then a table is emptied: what the records hold stays theirs, and new ones soon share anew

StateKey = tuple[str, bool, int, str, str, int | None]  # the fields of a ContainerState

_labels = msgspec.json.Decoder(dict[str, str] | None)
_owners = msgspec.json.Decoder(list[WireOwner] | None)


class Table(dict[KeyT, ValueT], Generic[KeyT, ValueT]):
    """A dictionary that is emptied when it is full."""

    def keep(self, key: KeyT, value: ValueT) -> ValueT:
        if len(self) >= FULL:
            self.clear()
        self[key] = value
        return value


class Known(Table[KeyT, ValueT]):
    """`known[key]` makes the value of a key that is new. A hit is a plain dictionary look-up: no Python call."""

    def __init__(self, make: Callable[[KeyT], ValueT]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: KeyT) -> ValueT:
        return self.keep(key, self._make(key))


class Shared:
    """The tables of one cluster's cache. Those with `bytes` for keys are looked up by what stood in the JSON."""

    def __init__(self) -> None:
        self.text: Known[str, str] = Known(lambda text: text)
        self.labels: Known[bytes, Labels] = Known(lambda raw: _labels.decode(raw) or NONE)
        self.owner: Known[bytes, Owner | None] = Known(_controller)
        self.amounts: Known[bytes, Amounts] = Known(counted)
        self.requests: Known[Asked, Amounts] = Known(requested)
        self.templates: Table[tuple[object, ...], Template] = Table()
        self.features: Known[tuple[str, ...], frozenset[str]] = Known(frozenset)
        self.types: Table[tuple[tuple[str, str], ...], Labels] = Table()  # of device attributes
        self.specs: Table[tuple[object, ...], PodSpec] = Table()
        self.states: Known[tuple[StateKey, ...], tuple[ContainerState, ...]] = Known(
            lambda states: tuple(ContainerState(*state) for state in states)
        )

    def condition(self, wire: WireCondition) -> Condition:
        """A condition whose texts, which thousands of objects repeat, are kept once."""
        text = self.text
        return Condition(
            type=text[wire.type],
            status=text[wire.status],
            reason=text[wire.reason or ""],
            message=text[wire.message or ""],
            since=wire.last_transition_time or "",
        )


def _controller(raw: bytes) -> Owner | None:
    """The one owner that manages the object: the API allows at most one reference with `controller: true`."""
    owner = next((owner for owner in _owners.decode(raw) or () if owner.controller), None)
    return None if owner is None else Owner(owner.kind, owner.name, owner.uid, owner.api_version)
