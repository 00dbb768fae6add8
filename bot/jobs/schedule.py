"""Runs the jobs by the clock: APScheduler in this process, nothing pickled, nothing kept over a restart."""

import sys
from datetime import UTC, datetime, timedelta
from functools import cache

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from bot.jobs.job import Job, Services
from bot.registry import collect

log = structlog.get_logger()
FIRST_SECONDS = 5.0  # after the start: the clusters have been read by then, as a rule


@cache
def all_jobs() -> tuple[Job, ...]:
    return collect(sys.modules["bot.jobs"], "JOB", Job)


class Schedule:
    """All jobs, from `start` until `stop`."""

    def __init__(self, services: Services, jobs: tuple[Job, ...] | None = None) -> None:
        self._services = services
        self._jobs = all_jobs() if jobs is None else jobs
        self._scheduler = AsyncIOScheduler(timezone=UTC)

    def start(self) -> None:
        """Belongs to the running event loop."""
        begin = datetime.now(UTC) + timedelta(seconds=FIRST_SECONDS)
        for job in self._jobs:
            self._scheduler.add_job(
                self._run,
                IntervalTrigger(seconds=job.every_seconds, start_date=begin),
                args=[job],
                id=job.name,
                max_instances=1,  # a slow run is not overtaken by the next
                coalesce=True,
                misfire_grace_time=None,
            )
        self._scheduler.start()

    async def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    async def _run(self, job: Job) -> None:
        try:
            await job.run(self._services)
        except Exception:  # a job that failed is tried again at its time; the log has the trace
            log.exception("a job failed", job=job.name)
