"""Room for the weights: read by many nodes where more than one pod reads, and a seventh more than they take."""

from math import ceil
from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest

_ROOM = 1.15


def needed_gib(ground: Ground) -> int:
    return ceil(ground.draft.variant.weights_bytes * _ROOM / 2**30)


def shared(ground: Ground) -> bool:
    """Whether several nodes read them."""
    return ground.wish.replicas > 1 or ground.draft.nodes_per_replica > 1 or (ground.wish.most_replicas or 0) > 1


def render(ground: Ground) -> dict[str, Any] | None:
    if not ground.downloads:
        return None
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteMany" if shared(ground) else "ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{needed_gib(ground)}Gi"}},
    }
    if ground.wish.storage_class:
        spec["storageClassName"] = ground.wish.storage_class
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": ground.metadata(ground.claim),
        "spec": spec,
    }


MANIFEST = Manifest(20, "PersistentVolumeClaim", render, page=__doc__ or "")
