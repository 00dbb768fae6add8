"""Reading what only a node knows, for one question: its agent's reading, its kernel's words, a pod's metrics."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from bot.adapters.cluster.connection import Connection
from bot.adapters.engines.access import USUAL, EngineAccess
from bot.adapters.engines.finding import Targets
from bot.adapters.nodes import finding
from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.asked import Asked
from bot.adapters.nodes.checked import checked
from bot.adapters.nodes.place import AGENT_PORTS, METRICS_PORTS
from bot.adapters.nodes.told import NotToldError, Told, too_late
from bot.adapters.nodes.way import Way
from bot.domain.errors import ConfigError
from bot.domain.evidence import MetricsRef, NodeRef
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.view import View
from bot.serving.engine_pods import is_engine

EXPORTER_PORT = 9400  # NVIDIA/dcgm-exporter:etc and its chart
PAGES = {"agent": "reading", "kernel": "kernel"}
SPARE = 0.95  # of the time: what we say of the delay is better than what a caller says who only knows that it is over


def utc_now() -> datetime:
    return datetime.now(UTC)


class NodeReader:
    """Of one cluster. `now` is what the times of readings are held against."""

    def __init__(
        self,
        connection: Connection,
        view: View,
        access: NodeAccess,
        engines: EngineAccess = USUAL,
        *,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._connection, self._view, self._access, self._now = connection, view, access, now
        self._way = Way(connection, access)
        self._engines = engines

    def prepare(self) -> None:
        """Load what asking needs now, and not while somebody waits."""
        self._way.prepare()

    async def read(self, ref: NodeRef | MetricsRef, timeout_seconds: float) -> Told:
        """Never raises, and never later than asked; nothing is retried, for somebody waits."""
        clock = asyncio.get_running_loop().time
        seconds = min(timeout_seconds * SPARE, self._access.timeout_seconds)
        until = clock() + seconds
        try:
            async with asyncio.timeout(seconds), self._way.opened() as ways:
                asked = await self._asked(ref, until - clock())
                data = await ways.ask(asked, until - clock())
            of_agent = isinstance(ref, NodeRef) and ref.what == "agent"
            return checked(data, asked.place.node, self._now()) if of_agent else Told(data)
        except TimeoutError:
            return Told(trouble=str(too_late(seconds)))
        except NotToldError as error:
            return Told(trouble=str(error))
        except ConfigError as error:
            return Told(trouble=inert(str(error)))

    async def _asked(self, ref: NodeRef | MetricsRef, seconds: float) -> Asked:
        if isinstance(ref, MetricsRef):
            pod = self._view.pods.get(f"{ref.namespace}/{ref.pod}")
            if pod is not None and is_engine(pod, self._engines.hints):
                return await self._of_engine(pod, seconds)
            place = await finding.place(self._connection, ref.namespace, ref.pod, METRICS_PORTS, EXPORTER_PORT, seconds)
            return Asked(place, "metrics", ours=False)
        agent = finding.agent_of(self._view, ref.node, self._access.namespace)
        place = await finding.place(
            self._connection, agent.namespace, agent.name, AGENT_PORTS, self._access.port, seconds
        )
        if place.node != ref.node:
            raise NotToldError("its agent's pod has moved to another node")
        return Asked(place, PAGES[ref.what], ours=True)

    async def _of_engine(self, pod: Pod, seconds: float) -> Asked:
        """Where its arguments, annotations and ports say that its metrics are."""
        targets = Targets(self._connection, self._engines.hints)
        trouble = await targets.find([pod], seconds)
        found = targets.get(pod)
        if found is None:
            raise NotToldError(trouble.get(pod.uid, "it is not there"))
        return found.asked(self._engines.page_max_bytes)
