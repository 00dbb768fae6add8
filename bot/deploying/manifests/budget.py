"""One replica at a time may be evicted. `maxUnavailable` and not `minAvailable`: with one replica the latter would keep
a node from ever being drained.
"""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest


def render(ground: Ground) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": ground.metadata(),
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": ground.selector}},
    }


MANIFEST = Manifest(60, "PodDisruptionBudget", render, page=__doc__ or "")
