"""A container that has begun and is not ready yet: how far it is, and how much of its start-up budget is used.

The kubelet ends a container whose startup probe fails for initialDelay + period × failureThreshold; without one the
liveness probe counts from the beginning (kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes).
"""

from dataclasses import dataclass
from datetime import timedelta

from bot.serving.phase import Phase
from bot.serving.progress import Progress
from bot.serving.reading import Reading
from bot.why.case import Case
from bot.why.containers import Container, main
from bot.why.started.crashing import crashing
from bot.why.started.logs import present, reading
from bot.why.started.probe import Probe

STILL_SECONDS = {  # without a new line or figure for so long, a phase stands still
    Phase.START: 600,
    Phase.DOWNLOAD: 600,
    Phase.LOAD: 600,
    Phase.COMPILE: 1800,
    Phase.WARM: 900,
}
YOUNG_SECONDS = 180  # a program that says nothing of its start is given so long


@dataclass(frozen=True, slots=True)
class Start:
    """`seconds`: since the container began. `probe`: which one ends it when the budget is used up; None: none does."""

    container: Container
    read: Reading
    seconds: float | None = None
    probe: Probe | None = None
    probe_kind: str = ""
    quiet_seconds: float | None = None  # since the log last moved; None: not known

    @property
    def progress(self) -> Progress | None:
        return self.read.progress

    @property
    def waits(self) -> bool:
        """For something outside its container, which may never come."""
        return self.progress is not None and self.progress.phase is Phase.WAITING

    @property
    def left_seconds(self) -> float | None:
        """Of the budget."""
        if self.probe is None or self.seconds is None:
            return None
        return self.probe.budget_seconds - self.seconds

    @property
    def expected_seconds(self) -> float | None:
        """Until the present phase is over, by the bar's own estimate; moved on by the time since."""
        bar = self.progress.bar if self.progress else None
        if bar is None or bar.left_seconds is None:
            return None
        return max(0.0, bar.left_seconds - min(self.quiet_seconds or 0.0, bar.left_seconds))

    @property
    def stands_still(self) -> bool:
        limit = STILL_SECONDS.get(self.progress.phase) if self.progress else None
        return limit is not None and self.quiet_seconds is not None and self.quiet_seconds > limit


def starting(case: Case) -> Start | None:
    """None where nothing starts: not running, ready, crashing, or up already by its own log."""
    pod, one = case.pod, main(case)
    if pod is None or one is None or pod.phase != "Running" or pod.deleted or not one.running or one.ready:
        return None
    if crashing(case) is not None:
        return None
    read = reading(present(case, one))
    seconds = case.age_seconds(one.since)
    startup = one.probe("startup")
    if read.progress is not None and read.progress.started:
        return None
    before_startup = startup is not None and one.status.flag("started") is not True
    young = seconds is not None and seconds < YOUNG_SECONDS
    if read.progress is None and not before_startup and not young:
        return None
    probe, kind = (startup, "startup") if startup else (one.probe("liveness"), "liveness")
    return Start(one, read, seconds, probe, kind if probe else "", _quiet(case, one, read))


def _quiet(case: Case, one: Container, read: Reading) -> float | None:
    """A bar carries no time of its own, but how long it has run; clocks of another zone are not believed."""
    progress = read.progress
    moments = [read.last.at(case.now)] if read.last else []
    if progress is not None and progress.since is not None and progress.bar.elapsed_seconds is not None:
        began = progress.since.at(case.now)
        moments.append(began + timedelta(seconds=progress.bar.elapsed_seconds) if began else None)
    newest = max((one for one in moments if one is not None), default=None)
    if newest is None:
        return None
    quiet = (case.now - newest).total_seconds()
    age = case.age_seconds(one.since)
    return max(0.0, quiet) if quiet > -120 and (age is None or quiet <= age + 120) else None
