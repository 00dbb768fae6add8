"""Everything that one question is decided from. Stages read it; what several of them need is worked out once."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from bot.domain.event import Event
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.source import Reading
from bot.domain.thing import Thing
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scheduling.evaluate import Verdict, evaluate
from bot.scheduling.messages import Said
from bot.scheduling.messages import parse as taken_apart
from bot.scheduling.state import State
from bot.why import above
from bot.why.subject import Subject

FoundT = TypeVar("FoundT")


@dataclass
class Case:
    """`subject` is asked about; `pod` is the one pod that is looked at (for an owner: the one that is worst off).

    odd: fields that were of another type than expected, by `Fields`; an answer names them.
    """

    subject: Subject
    view: View
    now: datetime
    policy: Policy
    evidence: Evidence = NO_EVIDENCE
    pod: Pod | None = None
    odd: list[str] = field(default_factory=list)
    shared: State | None = None  # where many cases are decided together, one snapshot serves them all
    brief: bool = False  # only the sentences count: no tables, and of remedies only what is found at once
    _found: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, find: Callable[[], FoundT]) -> FoundT:
        """What several stages need, found the first time that one of them asks."""
        if key not in self._found:
            self._found[key] = find()
        found: FoundT = self._found[key]
        return found

    @cached_property
    def state(self) -> State:
        """The cluster as filters read it."""
        return self.shared or State(self.view)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Our own evaluation of the pod; None where there is no pod to place."""
        return evaluate(self.pod, self.state) if self.pod and self.waits else None

    @property
    def waits(self) -> bool:
        """Whether the pod has no node yet, and could still get one."""
        return self.pod is not None and not self.pod.node and not self.pod.finished

    @cached_property
    def said(self) -> Said | None:
        """The scheduler's own words: of the pod's condition, else of its newest event; None where there are none."""
        if self.pod is None:
            return None
        condition = self.pod.condition("PodScheduled")
        if condition is not None and condition.message:
            return taken_apart(condition.message)
        event = next(
            (one for one in self.events if one.reason == "FailedScheduling" and one.source != "karpenter"), None
        )
        return taken_apart(event.message) if event else None

    @cached_property
    def detail(self) -> Fields:
        """The whole pod as the API server has it; empty where it could not be had."""
        pod = self.pod
        if pod is None:
            return Fields()
        return Fields(self.evidence.object("Pod", pod.namespace, pod.name).data, f"Pod {pod.key}", self.odd)

    @cached_property
    def events(self) -> list[Event]:
        """Events about the pod, the newest first. Of an older pod of the same name none."""
        pod = self.pod
        if pod is None:
            return []
        found = self.view.events_on("Pod", pod.namespace, pod.name)
        return [one for one in found if not one.about_uid or not pod.uid or one.about_uid == pod.uid]

    @cached_property
    def owners(self) -> tuple[Thing, ...]:
        """The known controllers above the pod (or of the subject itself), nearest first: ReplicaSet, Deployment."""
        own = self.subject.thing
        if own is None:
            owner = self.pod.owner if self.pod else None
            return tuple(above.chain(self.view, owner, self.subject.namespace))
        higher = above.chain(self.view, own.owner, self.subject.namespace)
        return (own, *(one for one in higher if one is not own))

    def thing_of(self, owner: Owner, namespace: str) -> Thing | None:
        """The object behind an owner reference, where its kind is read."""
        return above.known(self.view, owner, namespace)

    def fields(self, thing: Thing) -> Fields:
        """The thing's spec and status; odd fields are noted in this case."""
        return thing.told(self.odd)

    def age_seconds(self, time: str) -> float | None:
        """How long ago that was; None for a time that cannot be read, never below zero."""
        seconds = seconds_since(time, self.now)
        return None if seconds is None else max(0.0, seconds)

    def events_on(self, thing: Thing) -> list[Event]:
        """Events about a thing, the newest first."""
        return self.view.events_on(thing.kind, thing.namespace, thing.name)

    def not_read(self, *kinds: str) -> tuple[str, ...]:
        """Those of the kinds that could not be read, in words. One that the server lacks is known to be empty."""
        silent = (self.view.source(kind) for kind in kinds)
        return tuple(
            f"{one.name}: {one.detail or one.reading}"
            for one in silent
            if not one.known and one.reading is not Reading.ABSENT
        )
