"""Room for the weights: read by many nodes where more than one pod reads, and a seventh more than they take."""

from math import ceil
from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest
from bot.domain.view import View

_ROOM = 1.15
MANY = frozenset({"ReadWriteMany", "ReadOnlyMany", "RWX", "ROX"})


def needed_gib(ground: Ground) -> int:
    return ceil(ground.draft.variant.weights_bytes * _ROOM / 2**30)


def shared(ground: Ground) -> bool:
    """Whether several nodes read them."""
    wish = ground.wish
    return wish.replicas > 1 or ground.draft.nodes_per_replica > 1 or bool(wish.autoscale)


def many_may_mount(view: View, ground: Ground) -> bool:
    """Whether a new pod on another node can read the weights while an old one has them, by the claim that is there."""
    claim = view.persistentvolumeclaims.get(f"{ground.namespace}/{ground.claim}")
    return claim is None or not claim.access_modes or bool(claim.access_modes & MANY)


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
