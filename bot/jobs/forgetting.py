"""History is bounded: what is older than settings say (`store.kept_days`) is forgotten once a day, and so is what is
more than the database should hold.
"""

from bot.jobs.job import Job, Services

EVERY_SECONDS = 86_400.0
WAITS_AT_MOST = 200_000


async def run(services: Services) -> None:
    await services.memory.prune(services.now(), days=services.kept_days, at_most=WAITS_AT_MOST)
    if services.nodes is not None:
        await services.nodes.prune(services.now(), days=services.kept_days)
    if services.sweeper is not None:
        await services.sweeper.store.prune(services.now(), days=services.kept_days)
    if services.outbox is not None:
        await services.outbox.prune(services.now(), days=services.kept_days)


JOB = Job("forgetting", EVERY_SECONDS, run, page=__doc__ or "")
