"""Starts the demo and stops it: cluster, workspace, bot, in this order; nothing is left behind."""

import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.adapters.nodes.access import Via
from bot.app import App
from bot.demo.people import OPS, access, setup
from bot.dialogue import all_commands
from bot.local.cluster import LocalCluster
from bot.local.workspace import Workspace
from config.access import AccessSettings
from config.alerts import AlertSettings, RouteSettings
from config.engines import EngineSettings
from config.settings import ClusterSettings, Settings, SlackSettings, StoreSettings

READY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Options:
    """What the demo was asked for. With a kubeconfig or an API server the cluster is a real one, only read."""

    scenario: str = "default"
    speed: float = 1.0
    port: int = 0
    kubeconfig: str | None = None
    context: str | None = None
    api_server: str | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that runs."""

    workspace: Workspace
    app: App
    cluster: LocalCluster | None


@asynccontextmanager
async def stage(options: Options) -> AsyncIterator[Stage]:
    """Raises ConfigError and UpstreamError with one sentence where a part cannot start."""
    async with contextlib.AsyncExitStack() as stack:
        chosen, cluster = await _cluster(options, stack)
        settings = Settings(clusters=(chosen,))
        workspace = Workspace(setup(all_commands(), settings.slack.slashes()))
        await workspace.start(options.port)
        stack.push_async_callback(workspace.stop)
        slack = SlackSettings(base_url=workspace.api_url)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        store = StoreSettings(url=f"sqlite+aiosqlite:///{folder}/history.db")
        may = access() if cluster is not None else AccessSettings(dry_run=True)  # yours is only read, whoever asks
        parts = {
            "slack": slack,
            "store": store,
            "access": may,
            "alerts": alerts(),
            "engines": EngineSettings(via=Via.PROXY),
        }
        settings = settings.model_copy(update=parts)
        app = App(settings, workspace.setup.bot_token, workspace.setup.app_token)
        await app.start()
        stack.push_async_callback(app.stop)
        await workspace.connected(READY_SECONDS)
        await app.synced(READY_SECONDS)
        yield Stage(workspace, app, cluster)


async def _cluster(options: Options, stack: contextlib.AsyncExitStack) -> tuple[ClusterSettings, LocalCluster | None]:
    if options.kubeconfig or options.context:
        return ClusterSettings(name="real", kubeconfig=options.kubeconfig, context=options.context), None
    if options.api_server:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = Path(folder) / "kubeconfig"
        file.write_text(json.dumps(_kubeconfig(options.api_server)), encoding="utf-8")
        return ClusterSettings(name="real", kubeconfig=str(file)), None
    cluster = LocalCluster(scenario=options.scenario, speed=options.speed)
    await cluster.start()
    stack.push_async_callback(cluster.stop)
    return ClusterSettings(name="demo", kubeconfig=str(cluster.kubeconfig_path)), cluster


def _kubeconfig(server: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "real", "cluster": {"server": server}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [{"name": "real", "context": {"cluster": "real", "user": "nobody"}}],
        "current-context": "real",
    }


def alerts() -> AlertSettings:
    """Everything goes to the channel of those who operate."""
    return AlertSettings(sweep_seconds=10, routes=(RouteSettings(name="ops", channel=OPS),))
