"""A question made into a case: the pod to look at, what to look up for it, the answer."""

from datetime import datetime

from bot.domain.evidence import NO_EVIDENCE, Evidence, ObjectRef, Wanted
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scheduling.state import State
from bot.why.case import Case
from bot.why.explain import wanted
from bot.why.standing import rank
from bot.why.subject import Subject


def case_of(
    subject: Subject,
    view: View,
    policy: Policy,
    now: datetime,
    evidence: Evidence = NO_EVIDENCE,
    shared: State | None = None,
    *,
    brief: bool = False,
) -> Case:
    """The case of that subject. `shared` is one state for many cases of one view; `brief`: only sentences count."""
    return Case(subject, view, now, policy, evidence, worst(subject), shared=shared, brief=brief)


def worst(subject: Subject) -> Pod | None:
    """The pod that is looked at: of several the one that is worst off, the oldest of equals."""
    return min(subject.pods, key=rank, default=None)


def to_look_up(subject: Subject, view: View, policy: Policy, now: datetime) -> Wanted:
    """The whole pod first, then what the stages want."""
    case = case_of(subject, view, policy, now)
    first = Wanted((ObjectRef("Pod", case.pod.namespace, case.pod.name),)) if case.pod else Wanted()
    return first + wanted(case)
