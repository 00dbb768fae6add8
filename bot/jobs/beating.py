"""A heartbeat for somebody else to watch: it stops when gpubot does, or could not say any more what goes wrong."""

import structlog

from bot.domain.errors import ChatError
from bot.jobs.job import Job, Services

log = structlog.get_logger()
EVERY_SECONDS = 10.0  # how often it is seen whether one is due


async def run(services: Services) -> None:
    heartbeat, watchman = services.heartbeat, services.watchman
    if heartbeat is None or (watchman is not None and watchman.mute) or not heartbeat.due(services.now()):
        return
    try:
        await heartbeat.beat()
    except ChatError as error:
        log.warning("nobody takes the heartbeat", reason=str(error))


JOB = Job("beating", EVERY_SECONDS, run, page=__doc__ or "")
