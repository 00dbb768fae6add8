"""The digests of the morning and the week, at the times that settings say; nothing where there is nothing to say.

What was said is known by its key, which has the date: said again in the minutes after, it is the same message.
"""

from datetime import datetime

from bot.acting.incidents.digesting import Digests, due, post
from bot.acting.incidents.sweeper import Sweeper
from bot.command import Cluster
from bot.jobs.job import Job, Services

EVERY_SECONDS = 60.0


async def run(services: Services) -> None:
    digests, sweeper = services.digests, services.sweeper
    if digests is None or sweeper is None:
        return
    for name, at in due(digests, services.now()):
        for cluster in services.clusters.values():
            await _say(digests, sweeper, cluster, name, at, services.now())


async def _say(digests: Digests, sweeper: Sweeper, cluster: Cluster, name: str, at: datetime, now: datetime) -> None:
    usage = sweeper.usage.get(cluster.name)
    book, lasting = sweeper.store.incidents(cluster.name), sweeper.lasting.get(cluster.name, ())
    found = post(digests, book, cluster.view, name, at, usage, lasting)
    if found is not None:
        await digests.posts.put((found,), now)


JOB = Job("digesting", EVERY_SECONDS, run, page=__doc__ or "")
