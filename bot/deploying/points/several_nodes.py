"""Whether a replica over several nodes can be made: LeaderWorkerSet is installed, RDMA is offered."""

from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.source import Reading


def judge(ground: Ground) -> Told | None:
    draft = ground.manifests.draft
    if draft.nodes_per_replica == 1:
        return None
    source = ground.view.source("leaderworkersets")
    if source.reading is Reading.ABSENT:
        return Told(False, "LeaderWorkerSet is not installed", "https://lws.sigs.k8s.io/docs/installation/")
    if not source.known:
        return Told(None, "whether LeaderWorkerSet is installed", "`kubectl get crd | grep leaderworkerset`")
    return Told(True, f"LeaderWorkerSet is there, and nodes offer `{draft.pool.rdma_resource}`")


POINT = Asked(90, "several-nodes", "Several nodes", judge, page=__doc__ or "")
