"""One refused pod: who wanted it, and how its findings begin."""

from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.why.admission_errors import Refusal
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.makers import Failure, Maker
from bot.why.rolling import Rollout
from bot.why.shell import kubectl, quoted

NO_POD = "the API server refuses it when it is created, so there is no Pending pod"


@dataclass(frozen=True, slots=True)
class Refused:
    """`maker` could not make a pod. `rolling` is its Deployment's rollout, where it has one."""

    case: Case
    maker: Maker
    refusal: Refusal
    failure: Failure
    rolling: Rollout | None = None

    @property
    def namespace(self) -> str:
        return self.maker.thing.namespace

    @property
    def top(self) -> Thing:
        """The object whose template people change: the Deployment, not its ReplicaSet."""
        if self.rolling is not None:
            return self.rolling.deployment
        above = [one for one in self.case.owners if one.kind in ("CronJob", "JobSet", "LeaderWorkerSet")]
        return above[-1] if above else self.maker.thing

    @property
    def template(self) -> Fields:
        """The pod's spec as the maker's template has it."""
        return self.maker.fields.at("spec", "template", "spec")

    @property
    def missing(self) -> int:
        return max(1, self.maker.missing)

    @property
    def pods(self) -> str:
        """`its next pod`, `its 3 missing pods`, `its volume claim x`."""
        if self.refusal.claim:
            return f"its volume claim `{self.refusal.claim}`, without which no pod is made"
        return "its next pod" if self.missing == 1 else f"its {self.missing} missing pods"

    def finding(
        self,
        clause: str,
        *evidence: str,
        remedies: tuple[Remedy, ...] = (),
        useless: tuple[str, ...] = (),
        unknown: tuple[str, ...] = (),
        what: str = "",
    ) -> Finding:
        """`clause` says who refuses what and why. About a pod that exists it is only told beside its own matters."""
        sentence, level = clause, Level.CAUSE
        if self.case.subject.pod is not None:
            sentence = f"`{self.top.title}` is {count(self.missing, 'pod')} short: {clause}"
            level = Level.ALSO
        return Finding(
            f"admission.{what or self.refusal.kind}",
            sentence,
            level,
            evidence=(*evidence, self.said),
            remedies=remedies,
            useless=useless,
            unknown=unknown,
        )

    def change(self, action: str, cost: str = "") -> Remedy:
        """Change the template; that of a Job cannot be changed, so a Job has to be made again."""
        if self.top.kind == "Job":
            command = kubectl("get", self.top.title, "-o", "yaml", namespace=self.namespace)
            return Remedy(f"{action}: create the Job again, since the template of a Job cannot be changed", command)
        return Remedy(action, kubectl("edit", self.top.title, namespace=self.namespace), cost=cost)

    @property
    def said(self) -> str:
        """The event or condition as it stands."""
        event, title = self.failure.event, self.maker.thing.title
        if event is None and not self.failure.message:
            return f"No event of `{title}` is left (they expire, after an hour as a rule)"
        where = f"Condition ReplicaFailure of `{title}`" if event is None else f"Event {event.reason} of `{title}`"
        often = f", {count(event.count, 'time')}" if event is not None and event.count > 1 else ""
        when = f", last {self.failure.time[11:16]}" if len(self.failure.time) > 15 else ""
        return f"{where}{often}{when}: {quoted(self.failure.message, 300)}"
