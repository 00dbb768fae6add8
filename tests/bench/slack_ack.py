"""How soon a slash command is acknowledged with a hundred typed at once, beside a Bolt app that does nothing else.

Each app is a process of its own with a local Slack of its own, and the rounds of both alternate; the median round counts. gpubot answers each
command over the demo's fleet, read beforehand; the empty app acknowledges and is done.

    python -m tests.bench.slack_ack gpubot|empty API_URL KUBECONFIG     runs one app until its standard input closes
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.acting.actor import Doing
from bot.adapters.cluster.connection import from_kubeconfig
from bot.adapters.cluster.once import read_once
from bot.cli.source import moment
from bot.command import Cluster
from bot.demo.people import ANA, BEN, OPS, setup
from bot.dialogue import all_commands
from bot.domain.person import Asker
from bot.gpu.inventory import Inventory
from bot.local.cluster import LocalCluster
from bot.local.workspace import Workspace
from bot.slack.connection import Socket, web_client
from bot.slack.desk import Desk
from bot.slack.listeners import register
from bot.slack.people import Caller
from bot.slack.redelivery import Redelivery
from bot.slack.shelf import Shelf
from config.settings import load
from tests.bench.figure import Figure, beside, percentile

ROUNDS, AT_ONCE = 15, 100
WARM_UP = 2
ANSWERED_SECONDS = 30
COMMAND = "/gpu"


@dataclass
class Side:
    """One app and its Slack. `p99_ms` is of each round: the acknowledgement that only one of a hundred came after."""

    workspace: Workspace
    answers: bool
    p99_ms: list[float] = field(default_factory=list)

    async def round(self) -> None:
        before = self._answered()
        people = [(ANA, BEN)[number % 2] for number in range(AT_ONCE)]
        outcomes = await asyncio.gather(*(self.workspace.slash(who, OPS, f"{COMMAND} status") for who in people))
        assert all(outcome.error is None for outcome in outcomes), outcomes[0]
        self.p99_ms.append(percentile([outcome.acked_after_seconds * 1000 for outcome in outcomes], 99))
        async with asyncio.timeout(ANSWERED_SECONDS):
            while self.answers and self._answered() < before + AT_ONCE:  # noqa: ASYNC110  # after what is measured
                await asyncio.sleep(0.01)

    def _answered(self) -> int:
        return sum(len(self.workspace.messages(OPS, who)) for who in (ANA, BEN))


def figures() -> list[Figure]:
    return asyncio.run(_figures())


async def _figures() -> list[Figure]:
    cluster = LocalCluster()
    await cluster.start()
    try:
        async with _side("gpubot", cluster) as ours, _side("empty", cluster) as empty:
            await cluster.stop()  # its kubelets would only be in the way
            for number in range(WARM_UP + ROUNDS):
                for side in (ours, empty) if number % 2 else (empty, ours):
                    await side.round()
                    if number < WARM_UP:
                        side.p99_ms.clear()
    finally:
        await cluster.stop()
    value, peer = statistics.median(ours.p99_ms), statistics.median(empty.p99_ms)
    return [beside(f"ack of {AT_ONCE} slash commands at once: p99", value, "ms", "an empty Bolt app", peer, at_most=2)]


@asynccontextmanager
async def _side(app: str, cluster: LocalCluster) -> AsyncIterator[Side]:
    workspace = Workspace(setup(all_commands(), {COMMAND: "gpu"}))
    await workspace.start()
    command = [sys.executable, "-m", "tests.bench.slack_ack", app, workspace.api_url, str(cluster.kubeconfig_path)]
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
    try:
        await workspace.connected(20)
        yield Side(workspace, answers=app == "gpubot")
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        await workspace.stop()


async def _run(which: str, api_url: str, kubeconfig: str) -> None:
    async with aiohttp.ClientSession() as session:
        app = AsyncApp(client=web_client("xoxb-local", api_url, session))
        if which == "gpubot":
            await _hang_on(app, kubeconfig)
        else:

            @app.command(COMMAND)
            async def nothing(ack: AsyncAck) -> None:
                await ack()

        socket = Socket(app, "xapp-local", 3)
        await socket.start()
        await asyncio.to_thread(sys.stdin.read)
        await socket.stop()


async def _hang_on(app: AsyncApp, kubeconfig: str) -> None:
    """All of gpubot's listeners, over that cluster as it is now."""
    async with await from_kubeconfig(kubeconfig) as connection:
        view = await read_once("demo", connection, now=moment)
    cluster = Cluster("demo", view, Inventory(view, load(None).gpu.policy()))
    desk = Desk(all_commands(), {"demo": cluster}, "demo", {}, moment, Shelf(), _reader, _doing)
    redelivery = Redelivery(asyncio.get_running_loop().time)

    async def first(key: str) -> bool:
        return redelivery.is_first(key)

    register(app, desk, first, COMMAND)


async def _reader(caller: Caller) -> Asker:
    return Asker(caller.person, caller.team, caller.person, caller.channel)


def _doing(asker: Asker, cluster: Cluster) -> Doing:
    return Doing(asker, cluster, moment)


if __name__ == "__main__":
    asyncio.run(_run(*sys.argv[1:]))
