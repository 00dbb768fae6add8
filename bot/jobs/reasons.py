"""Why pods wait, remembered as it changes: so that an answer can say "4 h quota, then 2 h fragmentation".

Once a minute every waiting pod's reason is worked out (once for all pods of an owner that ask alike) and handed to the
history. Events expire after an hour; this does not. Between two groups answers get their turn.
"""

import asyncio

from bot.command import Cluster
from bot.domain.history import Observation
from bot.jobs.job import Job, Services
from bot.scheduling.history import gone
from bot.why.watching import started, waiting, watched

EVERY_SECONDS = 60.0


async def run(services: Services) -> None:
    for cluster in services.clusters.values():
        if cluster.view.knows("pods") and cluster.view.knows("nodes"):
            await _sweep(cluster, services)


async def _sweep(cluster: Cluster, services: Services) -> None:
    view, policy = cluster.view, cluster.inventory.policy
    found: list[Observation] = []
    for pods in watched(view, services.now()):
        found += waiting(view, policy, pods, services.now())
        await asyncio.sleep(0)  # each group is decided on the view as it is then
    history = services.memory.history(cluster.name)
    found += started(view, history)
    found += gone(history, {pod.uid for pod in view.pods.values()})
    services.memory.observe(cluster.name, found, services.now())


JOB = Job("reasons", EVERY_SECONDS, run, page=__doc__ or "")
