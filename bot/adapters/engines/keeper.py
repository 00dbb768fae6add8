"""The engines of all clusters as they were read last, in memory: who asks for them waits for nothing."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.domain.engine import EngineReading
from bot.domain.engine_told import EngineTold, Said, told_again
from bot.domain.engine_window import EngineWindow
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.ports import Clock
from bot.serving.engine_pods import Hint, is_engine

AGAIN_SECONDS = 5.0  # sooner nobody is asked again, whoever wants it


class Source(Protocol):
    """Asks engines: themselves, or a Prometheus."""

    async def read(self, pods: Sequence[Pod]) -> Mapping[str, Said]:
        """By the pod's uid. Never raises."""


@dataclass
class _Kept:
    view: View
    source: Source
    told: Mapping[str, EngineTold] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)  # a pod's uid → its key
    begun: datetime | None = None
    done: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class EngineKeeper:
    """An `EngineWatch`. Of each engine a bounded window is kept, and nothing of those that are gone."""

    def __init__(self, now: Clock, *, hints: tuple[Hint, ...] = (), every_seconds: float = 15.0) -> None:
        self._now, self._hints, self._every_seconds = now, hints, every_seconds
        self._kept: dict[str, _Kept] = {}

    def add(self, cluster: str, view: View, source: Source) -> None:
        self._kept[cluster] = _Kept(view, source)

    def due(self, cluster: str) -> bool:
        kept = self._kept.get(cluster)
        if kept is None or kept.lock.locked() or not kept.view.knows("pods"):
            return False
        return kept.begun is None or (self._now() - kept.begun).total_seconds() >= self._every_seconds

    async def read(self, cluster: str) -> None:
        kept = self._kept.get(cluster)
        if kept is None or not kept.view.knows("pods"):
            return
        async with kept.lock:
            if kept.begun is not None and (self._now() - kept.begun).total_seconds() < AGAIN_SECONDS:
                return
            kept.begun = self._now()
            pods = await asyncio.to_thread(engines, list(kept.view.pods.values()), self._hints)
            said = await kept.source.read(pods) if pods else {}
            kept.told = told_again(kept.told, said, [pod.uid for pod in pods])
            kept.keys = {pod.uid: pod.key for pod in pods}
            kept.done = True

    def told(self, cluster: str) -> Mapping[str, EngineTold] | None:
        kept = self._kept.get(cluster)
        return kept.told if kept is not None and kept.done else None

    def window(self, cluster: str, pod_uid: str) -> EngineWindow | None:
        told = (self.told(cluster) or {}).get(pod_uid)
        return told.window if told is not None and told.window else None

    def latest(self, cluster: str, pod_uid: str) -> EngineReading | None:
        window = self.window(cluster, pod_uid)
        return window.last if window is not None else None

    def tokens(self, cluster: str) -> dict[str, float] | None:
        """Tokens per second by the pod's key, the most that each made in any minute that is kept; None: none tells."""
        kept = self._kept.get(cluster)
        if kept is None or not kept.done:
            return None
        rates = ((kept.keys.get(uid, ""), _best(one.window)) for uid, one in kept.told.items())
        return {key: rate for key, rate in rates if key and rate is not None} or None


def engines(pods: Sequence[Pod], hints: tuple[Hint, ...]) -> list[Pod]:
    """Those that run and can be asked."""
    running = (pod for pod in pods if pod.phase == "Running" and pod.uid and not pod.deleted)
    return [pod for pod in running if is_engine(pod, hints)]


def _best(window: EngineWindow) -> float | None:
    rates = (step.per_second("generated_tokens") for step in window.steps())
    return max((rate for rate in rates if rate is not None), default=None)
