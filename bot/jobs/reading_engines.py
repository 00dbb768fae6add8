"""Every few seconds inference engines are asked for their metrics, so that a minute without a token is seen as one.

Looks at the cluster ask them as well; nobody is asked twice within seconds. What does not answer is remembered as such.
"""

import asyncio

from bot.jobs.job import Job, Services

EVERY_SECONDS = 5.0  # how often it is seen whether it is time


async def run(services: Services) -> None:
    engines = services.engines
    if engines is not None:
        due = [name for name in services.clusters if engines.due(name)]
        await asyncio.gather(*(engines.read(name) for name in due))


JOB = Job("reading_engines", EVERY_SECONDS, run, page=__doc__ or "")
