"""Every half minute, or as settings say, each cluster is swept: what was found is decided on, kept, told in threads.

A cluster that takes longer delays no other, and is not looked at twice at once. What goes wrong with one is logged,
stands in its book as trouble, and is tried again at the next time.
"""

import asyncio

import structlog

from bot.acting.incidents.sweeper import Sweeper
from bot.command import Cluster
from bot.domain.errors import BotError
from bot.jobs.job import Job, Services

log = structlog.get_logger()
EVERY_SECONDS = 10.0  # how often it is seen whether a look is due
WAIT_SECONDS = 8.0  # for looks that were begun: those that take longer go on by themselves


async def run(services: Services) -> None:
    sweeper = services.sweeper
    if sweeper is None:
        return
    begun = [sweeper.begin(one.name, _watch(sweeper, one)) for one in services.clusters.values() if _due(sweeper, one)]
    if begun:
        await asyncio.wait(begun, timeout=WAIT_SECONDS)


def _due(sweeper: Sweeper, cluster: Cluster) -> bool:
    """Before nodes and pods were read for the first time there is nothing to judge."""
    read = cluster.view.oldest("nodes") and cluster.view.oldest("pods")
    return read is not None and sweeper.due(cluster.name)


async def _watch(sweeper: Sweeper, cluster: Cluster) -> None:
    try:
        await sweeper.watch(cluster)
    except BotError as error:
        log.warning("alerts are not decided", cluster=cluster.name, reason=str(error))


JOB = Job("sweeping", EVERY_SECONDS, run, page=__doc__ or "")
