"""Does gpubot still hear everything that it speaks of? If not, it says so, and says when it does again."""

from bot.jobs.job import Job, Services

EVERY_SECONDS = 10.0


async def run(services: Services) -> None:
    if services.watchman is not None:
        await services.watchman.look()


JOB = Job("watching", EVERY_SECONDS, run, page=__doc__ or "")
