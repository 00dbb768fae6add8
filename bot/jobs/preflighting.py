"""The ten-point checklist by itself: for a node that joined, and for one whose driver, kubelet or plugin changed.

Once a minute, by what the store remembers of nodes (`node_versions`). Nothing is written to the cluster. What comes of
it is kept, handed to who listens (`Services.preflighted`) once the node has settled, and logged. Between its steps
answers get their turn.
"""

import asyncio
from collections.abc import Sequence

import structlog

from bot.checks import look
from bot.checks.preflight.kept import Kept
from bot.checks.preflight.report import NodeReport, Verdict, judged, wanted_of
from bot.checks.preflight.shared import shared
from bot.command import Cluster
from bot.domain.errors import UpstreamError
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.jobs.job import Job, Services

log = structlog.get_logger()
EVERY_SECONDS = 60.0
AT_ONCE = 20  # nodes in one run; the others have their turn in the next
LOOK_SECONDS = 10.0


async def run(services: Services) -> None:
    if services.nodes is None or services.preflights is None:
        return
    for cluster in services.clusters.values():
        if not (cluster.view.knows("nodes") and cluster.view.knows("pods")):
            continue
        there = frozenset(cluster.view.nodes)
        services.preflights.forget(cluster.name, there)
        due = {one.node: one for one in services.preflights.due(services.nodes.past(cluster.name)) if one.node in there}
        chosen = sorted(due.values(), key=lambda one: one.since)[:AT_ONCE]
        for report in await _reports(cluster, services, [one.node for one in chosen]):
            await _told(services, Kept(cluster.name, due[report.name], report, services.now()))


async def _reports(cluster: Cluster, services: Services, names: Sequence[str]) -> list[NodeReport]:
    """Of those that have GPUs, or should."""
    if not names:
        return []
    view, policy = cluster.view, cluster.inventory.policy
    evidence = await _looked(cluster, services, names)
    scenes = list(look.scenes(view, policy, evidence, services.now(), past=cluster.nodes_before))
    await asyncio.sleep(0)
    facts = shared(view, scenes)
    found = []
    for scene in scenes:
        if scene.name in names:
            await asyncio.sleep(0)
            found.append(judged(scene, facts))
    return found


async def _looked(cluster: Cluster, services: Services, names: Sequence[str]) -> Evidence:
    if cluster.looker is None:
        return NO_EVIDENCE
    view, policy, now = cluster.view, cluster.inventory.policy, services.now()
    scenes = [one for one in look.scenes(view, policy, NO_EVIDENCE, now) if one.name in names]
    await asyncio.sleep(0)
    return await cluster.looker.look(wanted_of(view, policy, now, scenes), LOOK_SECONDS)


async def _told(services: Services, kept: Kept) -> None:
    if services.preflights is None or not services.preflights.put(kept):
        return
    speaks = log.info if kept.report.verdict is Verdict.READY else log.warning
    speaks("preflight", cluster=kept.cluster, node=kept.due.node, why=kept.due.why, verdict=str(kept.report.verdict))
    if services.preflighted is not None:
        try:
            await services.preflighted(kept)
        except UpstreamError as error:
            services.preflights.untold(kept)
            log.warning("a preflight is told later", node=kept.due.node, reason=str(error))


JOB = Job("preflighting", EVERY_SECONDS, run, page=__doc__ or "")
