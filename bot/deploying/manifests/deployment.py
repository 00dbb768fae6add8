"""Replicas that each fit on one node. How it is updated goes by the GPUs that are free besides."""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest
from bot.deploying.manifests.pod import template

_MORE_SECONDS = 600


def render(ground: Ground) -> dict[str, Any] | None:
    if ground.draft.nodes_per_replica > 1:
        return None
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**ground.metadata(), "labels": ground.queued},
        "spec": {
            "replicas": ground.wish.replicas,
            "revisionHistoryLimit": 3,
            "progressDeadlineSeconds": ground.budget_seconds + _MORE_SECONDS,
            "strategy": strategy(ground),
            "selector": {"matchLabels": ground.selector},
            "template": template(ground),
        },
    }


def strategy(ground: Ground) -> dict[str, Any]:
    """With no GPU to spare a new pod can only come when an old one has gone."""
    if ground.spare:
        return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    if ground.wish.replicas == 1:
        return {"type": "Recreate"}
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def note(ground: Ground) -> str:
    if ground.draft.nodes_per_replica > 1:
        return ""
    if ground.spare:
        return "Updates add a replica first: there are GPUs for one more."
    if ground.wish.replicas == 1:
        return "An update ends the one replica before it starts the new one: there are no GPUs for both."
    return "Updates end one replica before they start its successor: there are no GPUs for one more."


MANIFEST = Manifest(40, "Deployment", render, note, page=__doc__ or "")
