"""Where requests go: the replicas, and of several nodes only the one that answers."""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest

_WORKER = "leaderworkerset.sigs.k8s.io/worker-index"


def render(ground: Ground) -> dict[str, Any]:
    leader = {_WORKER: "0"} if ground.draft.nodes_per_replica > 1 else {}
    port = ground.engine.port
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": ground.metadata(),
        "spec": {
            "selector": {**ground.selector, **leader},
            "ports": [{"name": "http", "port": port, "targetPort": "http"}],
        },
    }


MANIFEST = Manifest(50, "Service", render, page=__doc__ or "")
