"""A cluster from files: the same records as from a live one, and the folder's own time as its now."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from bot.adapters.cluster import kinds
from bot.adapters.cluster.decoding import BareObject, bare_key
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.shared import Shared
from bot.adapters.files import knowledge
from bot.adapters.files.case import Case, read_case
from bot.adapters.files.errors import STANDARD_INPUT, Place
from bot.adapters.files.layout import Layout, layout
from bot.adapters.files.objects import Item, objects
from bot.adapters.files.side import SideFiles
from bot.adapters.files.text import read_bytes
from bot.adapters.files.times import newest_noted, parse_time
from bot.domain.errors import ConfigError
from bot.domain.evidence import ObjectRef
from bot.domain.view import View

_KEPT_WHOLE = frozenset({"PodDisruptionBudget", "Pod", "Node", "Namespace"})
_bare = msgspec.json.Decoder(BareObject)


class Skipped(NamedTuple):
    """An object that does not have the shape of its kind, by `namespace/name`, and where it stands."""

    kind: str
    key: str
    place: Place
    why: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind} {self.key}: {self.why}"


class Loaded(msgspec.Struct, frozen=True):
    """A folder or file as a cluster.

    `raws` are whole objects by what they are: those that a view keeps only in part, or not at all. No Secrets.
    `now` is what ages count from: the time asked for, else the newest that the files tell of. `skipped` are broken
    objects; `ignored` counts the objects of kinds that are not read, by kind.
    """

    view: View
    now: datetime
    side: SideFiles
    raws: dict[ObjectRef, bytes] = {}
    skipped: tuple[Skipped, ...] = ()
    ignored: dict[str, int] = {}


class _Filling:
    """The view while its objects come in."""

    def __init__(self, cluster: str) -> None:
        self.view = View(cluster)
        self.newest: datetime | None = None
        self.found: Counter[str] = Counter()
        self.odd: dict[str, dict[str, str]] = defaultdict(dict)  # plural → key → why
        self.ignored: Counter[str] = Counter()
        self.skipped: list[Skipped] = []
        self.raws: dict[ObjectRef, bytes] = {}
        self._shared = Shared()
        self._kinds: dict[tuple[str, str], AnyKind] = {
            (version.rpartition("/")[0], kind.object_kind): kind
            for kind in kinds.collect().values()
            for version in kind.versions
        }

    def take(self, item: Item) -> None:
        noted = newest_noted(item.raw)
        if noted and (self.newest is None or noted > self.newest):
            self.newest = noted
        kind = self._kinds.get((item.group, item.kind))
        if kind is None or item.kind in _KEPT_WHOLE:
            self._keep(item)
        if kind is None:
            self.ignored[item.kind] += 1
            return
        try:
            key, record = kinds.decode(kind, item.raw, self._shared)
        except (kinds.ObjectError, RecursionError) as error:
            skipped = Skipped(item.kind, _key(item), item.place, str(error))
            self.odd[kind.name][skipped.key] = skipped.why
            self.skipped.append(skipped)
            return
        self.found[kind.name] += 1
        self.view.put(kind.name, key, record)

    def _keep(self, item: Item) -> None:
        if item.kind == "Secret":
            return
        try:
            meta = _bare.decode(item.raw).metadata
        except (msgspec.DecodeError, RecursionError):
            return
        self.raws[ObjectRef(item.kind, meta.namespace or "", meta.name)] = item.raw


def read(path: Path, *, at: datetime | str | None = None, now: datetime) -> Loaded:
    """Read our folder, a `kubectl cluster-info dump`, a file of objects, or standard input (`-`).

    `at` is the time to answer for, as a time or as people type it (`12:30` is on the folder's own day). `now` is the
    clock's, used only for a stream that tells no time at all. Raises ConfigError naming file and line.
    """
    where = layout(path)
    case = read_case(where.case) if where.case else Case()
    filling = _Filling("standard input" if path == STANDARD_INPUT else path.resolve().name)
    for item in _items(where):
        filling.take(item)
    own = case.now or filling.newest or _modified(where) or now
    filling.view.sources.update(
        knowledge.sources(
            {name: kind.object_kind for name, kind in kinds.collect().items()},
            filling.found,
            filling.odd,
            knowledge.of_dump(where.namespaces) if where.is_dump else knowledge.of_case(case),
            own,
        )
    )
    return Loaded(
        view=filling.view,
        now=_asked(at, own),
        side=SideFiles(where.root, where.is_dump),
        raws=filling.raws,
        skipped=tuple(filling.skipped),
        ignored=dict(sorted(filling.ignored.items())),
    )


def view_of(items: Iterable[Item], cluster: str) -> View:
    """A view of nothing but these objects; those of kinds that are not read and broken ones are left out."""
    filling = _Filling(cluster)
    for item in items:
        filling.take(item)
    return filling.view


def _key(item: Item) -> str:
    try:
        return bare_key(_bare.decode(item.raw).metadata)
    except (msgspec.DecodeError, RecursionError):
        return "without a name"


def _items(where: Layout) -> Iterator[Item]:
    count = 0
    for file in where.files:
        for item in objects(read_bytes(file), file):
            count += 1
            yield item
    if not count and where.case is None:
        names = ", ".join(str(Place(file)) for file in where.files[:3])
        raise ConfigError(f"no Kubernetes object in {names}")


def _modified(where: Layout) -> datetime | None:
    stamps = [file.stat().st_mtime for file in where.files if file != STANDARD_INPUT]
    return datetime.fromtimestamp(max(stamps), UTC) if stamps else None


def _asked(at: datetime | str | None, own: datetime) -> datetime:
    if at is None:
        return own
    if isinstance(at, str):
        return parse_time(at, day=own.date())
    if at.tzinfo is None:
        raise ConfigError(f"the time {at} has no time zone")
    return at
