"""Where a terminal command looks: a folder or file, a kubeconfig, or what kubectl would use.

--from DIR_OR_FILE    a captured folder, `kubectl cluster-info dump` output, YAML or JSON of objects; - for stdin
--kubeconfig FILE     with --context NAME for another than its current one
"""

import argparse
import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.domain.errors import UsageError
from bot.domain.evidence import Evidence, Wanted
from bot.domain.view import View
from bot.ports import Looker

if TYPE_CHECKING:
    from bot.adapters.nodes.access import NodeAccess

PATIENT_SECONDS = 3.0  # a terminal may wait longer than a channel
PAGE_LIMIT = 2_000  # objects: nobody waits meanwhile as in the bot, and larger pages cost the API server less


@dataclass(frozen=True, slots=True)
class Opened:
    """A view that is complete as far as it goes, and the time that counts as now for it."""

    view: View
    now: datetime
    looker: Looker | None = None


def arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_argument_group("source (default: as kubectl finds its cluster)")
    source.add_argument(
        "--from", dest="folder", metavar="DIR_OR_FILE", help="a captured folder, a dump, YAML or JSON; - reads stdin"
    )
    source.add_argument("--kubeconfig", metavar="FILE", help="a kubeconfig file")
    source.add_argument("--context", metavar="NAME", help="a context of that kubeconfig")
    source.add_argument("--at", metavar="TIME", help="count ages from here, such as 2026-11-30T12:00:00Z")


def open_source(chosen: argparse.Namespace, kinds: Iterable[str] = ()) -> Opened:
    """Reads the source once; only `kinds` of a live cluster, all if empty. Raises ConfigError and ClusterError."""
    now = moment()
    if chosen.folder is not None:
        if chosen.kubeconfig or chosen.context:
            raise UsageError("--from and --kubeconfig are two sources: give one of them.")
        from bot.adapters import files

        loaded = files.read(Path(chosen.folder), at=chosen.at, now=now)
        return Opened(loaded.view, loaded.now, files.FileLooker(loaded))
    if chosen.at:
        raise UsageError("--at needs --from: a live cluster is asked about now.")
    access = node_access()
    view = asyncio.run(_live(chosen, set(kinds)))
    return Opened(view, moment(), _Opening(chosen, view, access))


def moment() -> datetime:
    """The time now: read at the edge and handed in from here on."""
    return datetime.now(UTC)


async def _live(chosen: argparse.Namespace, kinds: set[str]) -> View:
    from bot.adapters.cluster.once import read_once
    from bot.adapters.cluster.opening import open_connection
    from bot.adapters.cluster.pace import Pace

    pace = Pace(page_limit=PAGE_LIMIT)
    async with await open_connection(chosen.kubeconfig, chosen.context) as connection:
        return await read_once(chosen.context or "default", connection, now=moment, kinds=kinds or None, pace=pace)


class _Opening:
    """A looker that opens a connection of its own for each look: the one that read the cluster is closed by then."""

    def __init__(self, chosen: argparse.Namespace, view: View, access: "NodeAccess") -> None:
        self._chosen, self._view, self._access = chosen, view, access

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence:
        from bot.adapters.cluster.looker import ClusterLooker
        from bot.adapters.cluster.opening import open_connection
        from bot.adapters.nodes.reader import NodeReader

        async with await open_connection(self._chosen.kubeconfig, self._chosen.context) as connection:
            nodes = NodeReader(connection, self._view, self._access, now=moment)
            return await ClusterLooker(connection, nodes).look(wanted, max(timeout_seconds, PATIENT_SECONDS))


def node_access() -> "NodeAccess":
    """As the settings in GPUBOT_CONFIG say; without any, whichever way works, since people sit outside the cluster.

    Raises ConfigError.
    """
    from bot.adapters.nodes.access import NodeAccess, Via

    file = os.environ.get("GPUBOT_CONFIG")
    if not file:
        return NodeAccess(via=Via.AUTO)
    from config.settings import load  # a library for settings is loaded where there are any

    return load(file).nodes.access()
