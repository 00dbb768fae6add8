"""Who runs the inference servers of the simulated pods: asked by kubelets and faults, which know nothing of stores."""

from collections.abc import Mapping
from typing import Any, Protocol

from bot.local.engine import Engine


class EngineHost(Protocol):
    """What a simulator needs of it."""

    def settings(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the configuration file says that is mounted into an engine's pod."""
        ...

    def of(self, namespace: str, pod: str) -> Engine | None:
        """The engine of a pod that runs; None for any other."""
        ...


class NoEngines:
    """A cluster whose pods serve nothing."""

    def settings(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        del pod
        return {}

    def of(self, namespace: str, pod: str) -> Engine | None:
        del namespace, pod
        return None
