"""What GPU nodes run, remembered as it changes: driver, CUDA, toolkit, plugin, kubelet, kernel, their GPUs.

An upgrade that silently went back a version looks like one that worked; only who remembers can tell. Every minute
labels, images and what the kubelet says are compared with the last known; every fifth, agents are asked as well.
Between two nodes answers get their turn.
"""

import asyncio
from collections.abc import Iterator
from datetime import datetime

from bot.command import Cluster
from bot.domain.evidence import NO_EVIDENCE, Evidence, NodeRef, Wanted
from bot.domain.gpu_reading import NodeReading
from bot.gpu import reading
from bot.gpu.past import Said
from bot.gpu.past_told import told
from bot.gpu.versions import images
from bot.jobs.job import Job, Services

EVERY_SECONDS = 60.0
AGENTS_EVERY_MINUTES = 5
AT_ONCE = 64  # agents that are asked together
LOOK_SECONDS = 5.0  # for each such group
OLD_SECONDS = 180.0


async def run(services: Services) -> None:
    if services.nodes is None:
        return
    for cluster in services.clusters.values():
        if cluster.view.knows("nodes") and cluster.view.knows("pods"):
            services.nodes.look(cluster.name, await _told(cluster, services.now()), services.now())


async def _told(cluster: Cluster, now: datetime) -> dict[str, dict[str, Said]]:
    """Of every GPU node there is."""
    found: dict[str, dict[str, Said]] = {}
    for _ in range(cluster.inventory.pending() // AT_ONCE + 1):
        cluster.inventory.refresh(at_most=AT_ONCE)
        await asyncio.sleep(0)
    tags = images(cluster.view)
    asks = cluster.looker is not None and now.minute % AGENTS_EVERY_MINUTES == 0
    for names in _groups(sorted(cluster.inventory.nodes)):
        evidence = await _agents(cluster, names) if asks else NO_EVIDENCE
        for name in names:
            node = cluster.view.nodes.get(name)
            text = evidence.agent(name)
            if node is not None:
                read = reading.read(text, name) if text else None
                found[name] = told(node, tags.get(name, {}), _fresh(read, now), asked=asks)
            await asyncio.sleep(0)
    return found


def _fresh(read: NodeReading | None, now: datetime) -> NodeReading | None:
    """One that has trouble or is old says nothing of now."""
    if read is None or read.trouble or (read.age_seconds(now) or 0.0) > OLD_SECONDS:
        return None
    return read


def _groups(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]


async def _agents(cluster: Cluster, names: list[str]) -> Evidence:
    """Never raises; who does not answer is not waited for."""
    if cluster.looker is None:
        return NO_EVIDENCE
    return await cluster.looker.look(Wanted(tuple(NodeRef("agent", name) for name in names)), LOOK_SECONDS)


JOB = Job("node_versions", EVERY_SECONDS, run, page=__doc__ or "")
