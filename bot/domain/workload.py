"""The kinds between a pod and what people call it: namespaces, owners, priorities, disruption budgets."""

from bot.domain.record import NONE, Labels, Record
from bot.domain.selectors import NOTHING, Selector
from bot.domain.thing import Thing


class Namespace(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """A namespace; its labels often name the team."""

    labels: Labels = NONE


class Workload(Thing, frozen=True, eq=False, gc=False, kw_only=True):
    """A ReplicaSet or Job: its own owner is what people know (Deployment, CronJob, JobSet), so pods look it up."""


class PriorityClass(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """A priority by name."""

    value: int = 0
    preemption_policy: str = "PreemptLowerPriority"
    is_default: bool = False


class PodDisruptionBudget(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """How many of its pods may be disrupted now. The scheduler only prefers other victims, it is not bound by it."""

    namespace: str
    selector: Selector = NOTHING
    allowed: int = 0  # status.disruptionsAllowed
    disrupted: frozenset[str] = frozenset()  # names of pods that were counted already
