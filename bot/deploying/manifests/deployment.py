"""Replicas that each fit on one node. How it is updated goes by the GPUs that are free besides, and by the volume.

With an autoscaler the number of replicas is not said: whoever applies the manifest again would take back what it did.
"""

from typing import Any

from bot.deploying.manifests.claim import shared
from bot.deploying.manifests.manifest import Ground, Manifest
from bot.deploying.manifests.pod import template


def render(ground: Ground) -> dict[str, Any] | None:
    if ground.draft.nodes_per_replica > 1:
        return None
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**ground.metadata(), "labels": ground.queued},
        "spec": {
            **({} if ground.wish.autoscale else {"replicas": ground.wish.replicas}),
            "revisionHistoryLimit": 3,
            "progressDeadlineSeconds": ground.deadline_seconds,
            "strategy": strategy(ground),
            "selector": {"matchLabels": ground.selector},
            "template": template(ground),
        },
    }


def strategy(ground: Ground) -> dict[str, Any]:
    """With no GPU to spare a new pod can only come when an old one has gone."""
    if surges(ground):
        return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    if ground.wish.replicas == 1:
        return {"type": "Recreate"}
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def surges(ground: Ground) -> bool:
    """A volume for one node cannot follow a new pod to another while the old pod has it."""
    return ground.spare and (shared(ground) or not ground.downloads)


def note(ground: Ground) -> str:
    if ground.draft.nodes_per_replica > 1:
        return ""
    if surges(ground):
        return "Updates add a replica first: there is room for one more."
    if ground.spare:
        return "An update ends the one replica before it starts the new one: its volume is for one node at a time."
    if ground.wish.replicas == 1:
        return "An update ends the one replica before it starts the new one: there is no room for both."
    return "Updates end one replica before they start its successor: there is no room for one more."


MANIFEST = Manifest(40, "Deployment", render, note, page=__doc__ or "")
