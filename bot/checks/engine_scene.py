"""All that is known of one inference engine when checks are asked: its pod, and what it said in the last minutes."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bot.checks.finding import Finding, Severity, State, Subject
from bot.domain.answer import Remedy
from bot.domain.engine import EngineReading
from bot.domain.engine_told import EngineTold
from bot.domain.engine_window import NO_WINDOW, Delta, EngineWindow
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.kind import gpus_of


@dataclass
class EngineScene:
    """One engine. `told` is None where nobody has asked it."""

    view: View
    pod: Pod
    told: EngineTold | None
    now: datetime

    @property
    def name(self) -> str:
        return self.pod.key

    @property
    def subject(self) -> Subject:
        return Subject(node=self.pod.node, pod=self.pod.key)

    @property
    def ready(self) -> bool:
        return self.pod.condition("Ready") is None

    @property
    def gpus(self) -> int:
        return gpus_of(self.pod)

    @cached_property
    def window(self) -> EngineWindow:
        """Empty where nothing tells of now: what is old says nothing."""
        return self.told.window if self.told is not None and self.told.fresh(self.now) else NO_WINDOW

    @property
    def last(self) -> EngineReading | None:
        return self.window.last

    @property
    def missing(self) -> tuple[str, ...]:
        """What was not told. Of an engine that is not Ready nothing is missed: as long as it loads it does not listen.

        Whether it takes too long for that is asked elsewhere, by what it logs.
        """
        if self.window or not self.ready:
            return ()
        why = self.told.trouble if self.told is not None else "nobody asked it"
        return (f"metrics of {self.name} ({why or 'its last reading is old'})",)

    def lately(self, seconds: float) -> Delta | None:
        """The last so many seconds; None where readings do not go back so far."""
        return self.window.over(seconds)

    def fires(
        self,
        severity: Severity,
        fact: str,
        evidence: tuple[str, ...],
        remedies: tuple[Remedy, ...],
        *,
        useless: tuple[str, ...] = (),
        since: datetime | None = None,
    ) -> Finding:
        """`fact`: what follows the engine's name in a sentence."""
        return Finding(
            state=State.FIRING,
            severity=severity,
            subject=self.subject,
            sentence=f"{self.name} {fact}",
            evidence=evidence,
            remedies=remedies,
            useless=useless,
            at=since,
        )

    def unknown(self, what: str, why: str) -> Finding:
        return Finding(
            state=State.UNKNOWN,
            severity=Severity.INFO,
            subject=self.subject,
            sentence=f"{self.name}: not known {what}: {why}",
            missing=(why,),
        )
