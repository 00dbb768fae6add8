"""A live cluster into a folder that `bot.adapters.files` reads: the same answers, no secrets, other names if wanted."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from bot.adapters.capture.folder import new_folder, write_document, write_objects
from bot.adapters.capture.kinds import KINDS, Listed
from bot.adapters.capture.listing import Outcome, read_kind
from bot.adapters.capture.prune import pruned
from bot.adapters.capture.rename import Renamer, plan
from bot.adapters.capture.secrets import masked
from bot.adapters.capture.spool import Spool
from bot.adapters.cluster.connection import Connection
from bot.domain.errors import ClusterError
from bot.domain.source import Reading

_COMPLETE = (Reading.READ, Reading.ABSENT)  # a kind that the server does not serve has no objects


class Report(msgspec.Struct, frozen=True):
    """What was written. The keys of all maps are kinds as objects call themselves (`Pod`)."""

    directory: Path
    objects: dict[str, int]
    bytes_written: int
    absent: tuple[str, ...]  # not served by this cluster
    forbidden: dict[str, str]  # kind → the API server's words
    silent: dict[str, str]  # kind → what was answered instead


async def capture(connection: Connection, directory: Path, *, rename: bool, now: datetime) -> Report:
    """Read every kind in `KINDS` and write the folder, or nothing.

    Kinds that may not be read or that no one answers for are left out and told. Raises ClusterError where the cluster
    cannot be read at all, ConfigError where the folder cannot be written.
    """
    with new_folder(directory) as staging, Spool(staging) as spool:
        outcomes = {kind: await _read(connection, rank, kind, spool) for rank, kind in enumerate(KINDS)}
        _refuse_strangers(connection, outcomes)
        size = await asyncio.to_thread(_write, staging, spool, outcomes, rename, now)
        counted = Counter(KINDS[entry.rank].kind for entry in spool.entries)
    return Report(
        directory=directory,
        objects=dict(counted),
        bytes_written=size,
        absent=tuple(_named(outcomes, Reading.ABSENT)),
        forbidden=_named(outcomes, Reading.FORBIDDEN),
        silent=_named(outcomes, Reading.SILENT),
    )


async def _read(connection: Connection, rank: int, kind: Listed, spool: Spool) -> Outcome:
    before = len(spool.entries)

    def keep(items: list[dict[str, Any]]) -> None:
        for item in items:
            spool.add(rank, masked(pruned(item, kind.kind)))

    return await read_kind(connection, kind, restart=lambda: spool.rewind(before), keep=keep)


def _refuse_strangers(connection: Connection, outcomes: dict[Listed, Outcome]) -> None:
    """Whatever answers 404 for the core API is no cluster, and all its kinds would count as read and empty."""
    if any(outcome.reading is Reading.ABSENT for kind, outcome in outcomes.items() if kind.versions == ("v1",)):
        raise ClusterError(f"{connection.base_url} does not serve the Kubernetes core API", retryable=False)


def _write(staging: Path, spool: Spool, outcomes: dict[Listed, Outcome], rename: bool, now: datetime) -> int:
    case = {
        "now": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "complete": sorted(kind.kind for kind, outcome in outcomes.items() if outcome.reading in _COMPLETE),
        "forbidden": sorted(_named(outcomes, Reading.FORBIDDEN)),
    }
    write_document(staging / "case.yaml", case)
    return write_objects(staging / "objects.yaml", _renamed(spool) if rename else spool.items())


def _renamed(spool: Spool) -> Iterator[dict[str, Any]]:
    """In the order of the new names: the old order would tell something about the old names."""
    renamer = Renamer(plan(spool.items()))
    order = sorted(
        spool.entries, key=lambda entry: (entry.rank, renamer.text(entry.namespace), renamer.text(entry.name))
    )
    return (renamer.item(spool.read(entry)) for entry in order)


def _named(outcomes: dict[Listed, Outcome], reading: Reading) -> dict[str, str]:
    return {kind.kind: outcome.why for kind, outcome in outcomes.items() if outcome.reading is reading}
