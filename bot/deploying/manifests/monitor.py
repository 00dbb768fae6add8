"""Tells a Prometheus operator where the engine's metrics are."""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest


def render(ground: Ground) -> dict[str, Any] | None:
    if not ground.wish.monitor:
        return None
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": ground.metadata(),
        "spec": {
            "selector": {"matchLabels": ground.labels},
            "endpoints": [{"port": "http", "path": "/metrics", "interval": "15s"}],
        },
    }


MANIFEST = Manifest(80, "ServiceMonitor", render, page=__doc__ or "")
