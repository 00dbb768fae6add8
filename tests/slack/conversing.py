"""The whole bot in a local Slack, on a local API server with one node: for what only the whole can show."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.app import App
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import RESOURCES, Store
from bot.local.workspace import Message, Workspace
from config.access import AccessSettings, ApprovalSettings, GrantSettings
from config.settings import ClusterSettings, Settings, SlackSettings, StoreSettings
from tests.slack.conftest import SETUP

NODE = "gpu-1"
OPERATORS = AccessSettings(
    operators=(GrantSettings(users=("U0ANA", "U0BEN")),),
    approvals=ApprovalSettings(small=1, usual=1),
)


@dataclass
class Whole:
    """workspace and cluster are what people and Kubernetes see; `app` may be stopped and started anew."""

    workspace: Workspace
    store: Store
    settings: Settings
    app: App

    async def restarted(self) -> None:
        await self.app.stop()
        self.app = await started(self.settings, self.workspace)

    async def slash(self, who: str, typed: str, where: str = "C0OPS") -> Message:
        """What the person alone is told."""
        before = {one.ts for one in self.workspace.messages(where, who)}
        outcome = await self.workspace.slash(who, where, typed)
        assert outcome.error is None, outcome.error
        return await self.seen(who, lambda one: one.ts not in before and one.ephemeral_to == who, where)

    async def click(self, who: str, message: Message, action: str) -> Message:
        before = {one.ts for one in self.workspace.messages(message.channel, who)}
        outcome = await self.workspace.click(who, message.ts, action)
        assert outcome.error is None, outcome.error
        return await self.seen(who, lambda one: one.ts not in before and one.ephemeral_to == who, message.channel)

    async def seen(self, who: str, wanted: Callable[[Message], bool], where: str = "C0OPS") -> Message:
        """The first message that is as wanted, now or soon."""
        after = ""
        async with asyncio.timeout(20):
            while True:
                found = [one for one in self.workspace.messages(where, who) if wanted(one)]
                if found:
                    return found[-1]
                after = (await self.workspace.next_message(where, who, after=after, timeout_seconds=20)).changed

    def node(self) -> dict[str, Any]:
        return self.store.get(RESOURCES["", "nodes"], "", NODE)

    @property
    def cordoned(self) -> bool:
        return bool(self.node()["spec"].get("unschedulable"))


async def started(settings: Settings, workspace: Workspace) -> App:
    app = App(settings, "xoxb-local", "xapp-local")
    await app.start()
    await app.synced(10)
    await workspace.connected(5)
    return app


def a_node() -> dict[str, Any]:
    room = {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}
    return {
        "metadata": {"name": NODE, "labels": {"nvidia.com/gpu.product": "NVIDIA-H200"}},
        "spec": {},
        "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]},
    }


@asynccontextmanager
async def the_whole(folder: Path, **settings: Any) -> AsyncIterator[Whole]:
    """Ana and Ben are operators, and one must agree to what the other asks for."""
    store = Store(clock=lambda: datetime.now(UTC))
    store.create(RESOURCES["", "nodes"], "", a_node())
    server = ApiServer(store)
    await server.start()
    kubeconfig = folder / "kubeconfig"
    server.write_kubeconfig(kubeconfig)
    workspace = Workspace(SETUP)
    await workspace.start()
    chosen = Settings(
        clusters=(ClusterSettings(name="prod-a", kubeconfig=str(kubeconfig)),),
        slack=SlackSettings(base_url=workspace.api_url),
        store=StoreSettings(url=f"sqlite+aiosqlite:///{folder}/history.db"),
        access=OPERATORS,
    ).model_copy(update=settings)
    whole = Whole(workspace, store, chosen, await started(chosen, workspace))
    try:
        yield whole
    finally:
        await whole.app.stop()
        await workspace.stop()
        await server.stop()
