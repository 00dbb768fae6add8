"""The inference servers of a simulated cluster: one for each pod whose program is vLLM's, from the pod's start on.

A pod's proxy and its Service's lead to it, so that whoever asks the API server for tokens gets them over real HTTP.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import yaml
from aiohttp import web

from bot.local.cluster.clock import Clock
from bot.local.cluster.simulator.pod_run import RUNS, PodRun, seconds_of
from bot.local.cluster.simulator.simulator import Simulator
from bot.local.cluster.store import RESOURCES, Store
from bot.local.cluster.store.errors import ApiError
from bot.local.cluster.store.selectors import from_object, matches
from bot.local.engine import Engine, startup
from bot.local.engine.api import NotServingError, handle
from bot.local.engine.arguments import is_engine, of_container

LOAD = "gpubot.dev/sim-load"  # requests at once of the steady load that users make
_PODS, _SERVICES, _CONFIG_MAPS = RESOURCES["", "pods"], RESOURCES["", "services"], RESOURCES["", "configmaps"]


class Engines:
    """Made when they are first asked for: an engine that nobody looks at costs nothing."""

    def __init__(self, store: Store, simulator: Simulator, clock: Clock) -> None:
        self._store, self._simulator, self._clock = store, simulator, clock
        self._made: dict[tuple[str, int], Engine] = {}

    def of(self, namespace: str, pod: str) -> Engine | None:
        """None for a pod that is none, or whose container does not run."""
        run = self._simulator.pod(namespace, pod)
        if run is None or run.stage not in RUNS or run.started_at is None or not run.is_engine:
            return None
        key = (run.uid, run.restarts)
        if key not in self._made:
            self._made[key] = self._new(run, run.started_at)
        return self._made[key]

    def log(self, namespace: str, pod: str, container: str) -> list[str]:
        """What an engine has written up to now; empty for anything else."""
        engine = self.of(namespace, pod)
        run = self._simulator.pod(namespace, pod)
        if engine is None or run is None or container not in ("", run.container):
            return []
        seconds = (engine.ready_at - engine.started_at).total_seconds()
        return startup.lines(engine.args, engine.started_at, seconds, self._clock.now())

    async def proxied(
        self, request: web.BaseRequest, plural: str, namespace: str, name: str, path: str
    ) -> web.StreamResponse:
        """ApiError 404 for a pod or Service that is not there, 503 where nobody answers behind it."""
        pods = [name] if plural == "pods" else list(self._behind(namespace, name))
        for pod in pods:
            engine = self.of(namespace, pod)
            if engine is not None and engine.serves:
                return await _answer(engine, request, path)
        self._store.get(_PODS if plural == "pods" else _SERVICES, namespace, name)
        told = "error trying to reach service: dial tcp: connect: connection refused"
        raise ApiError(503, "ServiceUnavailable", told)

    def _behind(self, namespace: str, service: str) -> Iterator[str]:
        """Ready pods of a Service."""
        selector = from_object({"matchLabels": self._store.get(_SERVICES, namespace, service)["spec"]["selector"]})
        for pod in self._store.list(_PODS, namespace):
            conditions = (pod.get("status") or {}).get("conditions") or ()
            ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
            if ready and selector is not None and matches(selector, pod["metadata"].get("labels") or {}):
                yield pod["metadata"]["name"]

    def _new(self, run: PodRun, started_at: datetime) -> Engine:
        container = run.pod["spec"]["containers"][0]
        args = of_container(container, self._settings(run))
        ready_at = started_at + timedelta(seconds=run.ready_seconds)
        return Engine(args, started_at, ready_at, self._clock.now, load=seconds_of(run.pod, LOAD) or 0.0)

    def _settings(self, run: PodRun) -> Mapping[str, Any]:
        """The configuration file, which a ConfigMap is mounted for."""
        for volume in run.pod["spec"].get("volumes") or ():
            name = (volume.get("configMap") or {}).get("name", "")
            for text in self._texts(run.key[0], name) if name else ():
                found = yaml.safe_load(text)
                if isinstance(found, dict):
                    return found
        return {}

    def _texts(self, namespace: str, name: str) -> list[str]:
        try:
            data = self._store.get(_CONFIG_MAPS, namespace, name).get("data") or {}
        except ApiError:
            return []
        return [text for file, text in data.items() if file.endswith(".yaml")]


async def _answer(engine: Engine, request: web.BaseRequest, path: str) -> web.StreamResponse:
    try:
        return await handle(engine, request, path)
    except NotServingError as error:
        raise ApiError(503, "ServiceUnavailable", str(error)) from error


__all__ = ("LOAD", "Engines", "is_engine")
