"""The inference servers of a simulated cluster: one for each pod whose program is an engine's, from its start on.

A pod's proxy and its Service's lead to it, so that whoever asks the API server for tokens gets them over real HTTP.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import yaml
from aiohttp import web

from bot.local.cluster.api.proxying import Proxied
from bot.local.cluster.clock import Clock
from bot.local.cluster.engine_logs import last_of, now_of
from bot.local.cluster.engine_ports import number_in, pod_port, service_port
from bot.local.cluster.simulator.pod_run import RUNS, PodRun, Stage, seconds_of
from bot.local.cluster.simulator.simulator import Simulator
from bot.local.cluster.store import RESOURCES, Store
from bot.local.cluster.store.errors import ApiError
from bot.local.cluster.store.selectors import from_object, matches
from bot.local.engine import Engine
from bot.local.engine.api import NotServingError, handle

LOAD = "gpubot.dev/sim-load"  # requests at once of the steady load that users make
_PODS, _SERVICES, _CONFIG_MAPS = RESOURCES["", "pods"], RESOURCES["", "services"], RESOURCES["", "configmaps"]


class Engines:
    """Made when they are first asked for: an engine that nobody looks at costs nothing."""

    def __init__(self, store: Store, simulator: Simulator, clock: Clock) -> None:
        self._store, self._simulator, self._clock = store, simulator, clock
        self._made: dict[str, tuple[int, Engine]] = {}
        simulator.host = self

    def of(self, namespace: str, pod: str) -> Engine | None:
        """None for a pod that is none, or whose container does not run. One that starts anew is a new one."""
        run = self._simulator.pod(namespace, pod)
        if run is None or run.stage not in RUNS or run.started_at is None or not run.is_engine:
            return None
        restarts, engine = self._made.get(run.uid, (-1, None))
        if engine is None or restarts != run.restarts:
            engine = self._new(run, run.started_at)
            self._made[run.uid] = (run.restarts, engine)
        return engine

    def log(self, namespace: str, pod: str, container: str, *, previous: bool = False) -> list[str] | None:
        """What an engine has written up to now, or before it ended the last time; None for anything else."""
        run = self._simulator.pod(namespace, pod)
        if run is None or not run.is_engine or container not in ("", run.container):
            return None
        engine = self.of(namespace, pod)
        if previous or (engine is None and run.stage is not Stage.ENDING):
            return list(last_of(run)) if run.last else []
        return list(now_of(run, engine, self._clock.now())) if engine else []

    async def proxied(self, request: web.BaseRequest, asked: Proxied) -> web.StreamResponse:
        """ApiError 404 for a pod or Service that is not there, 503 where nobody listens behind it, or not there."""
        for pod, port in self._behind(asked):
            engine = self.of(asked.namespace, pod)
            if engine is not None and engine.serves and engine.args.port == port:
                return await _answer(engine, request, asked.path)
        told = "error trying to reach service: dial tcp: connect: connection refused"
        raise ApiError(503, "ServiceUnavailable", told)

    def settings(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        """The configuration file, which a ConfigMap is mounted for."""
        for volume in pod["spec"].get("volumes") or ():
            name = (volume.get("configMap") or {}).get("name", "")
            for text in self._texts(pod["metadata"]["namespace"], name) if name else ():
                found = yaml.safe_load(text)
                if isinstance(found, dict):
                    return found
        return {}

    def _behind(self, asked: Proxied) -> Iterator[tuple[str, int | None]]:
        """The pod, or the ready pods of the Service, each with the port that is dialled."""
        if asked.plural == "pods":
            pod = self._store.get(_PODS, asked.namespace, asked.name)
            yield asked.name, pod_port(pod, asked.port)
            return
        service = self._store.get(_SERVICES, asked.namespace, asked.name)
        target = service_port(service, asked.port)
        selector = from_object({"matchLabels": service["spec"].get("selector") or {}})
        for pod in self._store.list(_PODS, asked.namespace):
            if _is_ready(pod) and selector is not None and matches(selector, pod["metadata"].get("labels") or {}):
                yield pod["metadata"]["name"], number_in(pod, target)

    def _new(self, run: PodRun, started_at: datetime) -> Engine:
        ready_at = started_at + timedelta(seconds=run.ready_seconds)
        load = seconds_of(run.pod, LOAD) or 0.0
        return Engine(run.engine_args, started_at, ready_at, self._clock.now, load=load)

    def _texts(self, namespace: str, name: str) -> list[str]:
        try:
            data = self._store.get(_CONFIG_MAPS, namespace, name).get("data") or {}
        except ApiError:
            return []
        return [text for file, text in data.items() if file.endswith((".yaml", ".yml"))]


def _is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


async def _answer(engine: Engine, request: web.BaseRequest, path: str) -> web.StreamResponse:
    try:
        return await handle(engine, request, path)
    except NotServingError as error:
        raise ApiError(503, "ServiceUnavailable", str(error)) from error


__all__ = ("LOAD", "Engines")
