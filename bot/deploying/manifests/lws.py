"""Replicas over several nodes: a leader that answers, and workers that join it; all of a group start again together.

`startupPolicy` stays LeaderCreated: an engine's leader gets ready only with its workers, so LeaderReady waits for ever.
kubernetes-sigs/lws:api/leaderworkerset/v1/leaderworkerset_types.go
"""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest
from bot.deploying.manifests.pod import template


def render(ground: Ground) -> dict[str, Any] | None:
    size = ground.draft.nodes_per_replica
    if size == 1:
        return None
    update = {"maxSurge": 1, "maxUnavailable": 0} if ground.spare else {"maxSurge": 0, "maxUnavailable": 1}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {**ground.metadata(), "labels": ground.queued},
        "spec": {
            **({} if ground.wish.autoscale else {"replicas": ground.wish.replicas}),
            "rolloutStrategy": {"type": "RollingUpdate", "rollingUpdateConfiguration": update},
            "leaderWorkerTemplate": {
                "size": size,
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": template(ground),
                "workerTemplate": template(ground, leads=False),
            },
        },
    }


MANIFEST = Manifest(41, "LeaderWorkerSet", render, page=__doc__ or "")
