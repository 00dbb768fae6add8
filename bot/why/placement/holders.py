"""Who holds what the pod needs, by owner, best to end first: of lower priority, meant to be ended, on the way out."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.pod import Pod
from bot.domain.quantity import shown
from bot.domain.text import natural
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.domain.words import count, duration
from bot.gpu.owners import top_owner
from bot.gpu.policy import Policy
from bot.why.placement.blockers import resource_name

TERMINATING = "terminating"
LONG_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Holder:
    """One owner's pods on the nodes in question. `amount` is of the resource that was asked about."""

    kind: str
    namespace: str
    name: str
    pods: tuple[Pod, ...]
    amount: int
    priority: int
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """`train/eval-17`."""
        return f"{self.namespace}/{self.name}"

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(sorted({pod.node for pod in self.pods}, key=natural))


def holders(view: View, policy: Policy, pods: Iterable[Pod], resource: str, below: int) -> list[Holder]:
    """By owner, those first whose end would cost least. `below` is the priority of the pod that waits."""
    grouped: dict[tuple[str, str, str], list[Pod]] = defaultdict(list)
    for pod in pods:
        if pod.requests.get(resource) and pod.occupies:
            kind, name = top_owner(view, pod)
            grouped[kind, pod.namespace, name].append(pod)
    found = [_holder(key, members, resource, policy) for key, members in grouped.items()]
    return sorted(found, key=lambda one: (_worth(one, below), one.amount, one.title))


def _holder(key: tuple[str, str, str], pods: list[Pod], resource: str, policy: Policy) -> Holder:
    notes = []
    if any(pod.deleted for pod in pods):
        notes.append(TERMINATING)
    if all(policy.is_burn_in(pod) for pod in pods):
        notes.append("burn-in")
    elif all(policy.is_preemptible(pod) for pod in pods):
        notes.append("may be ended for others")
    pods.sort(key=lambda pod: natural(pod.key))
    amount = sum(pod.requests[resource] for pod in pods)
    return Holder(*key, tuple(pods), amount, max(pod.priority for pod in pods), tuple(notes))


def _worth(one: Holder, below: int) -> tuple[int, int]:
    """The least first: on its way out, burn-in, may be ended, of lower priority, the rest."""
    rank = {TERMINATING: 0, "burn-in": 1, "may be ended for others": 2}
    noted = min((rank[note] for note in one.notes), default=9)
    return noted if noted < 9 else 3 if one.priority < below else 4, one.priority


def line(one: Holder, resource: str, now: datetime) -> str:
    """`train/eval-17: 2 GPUs on gpu-3, priority 0, 3 h`."""
    unit = resource_name(resource)
    amount = f"{shown(resource, one.amount)} {'GPU' if unit == 'GPUs' and one.amount == 1 else unit}"
    where = one.nodes[0] if len(one.nodes) == 1 else count(len(one.nodes), "node")
    oldest = min((pod.started or pod.created for pod in one.pods if pod.started or pod.created), default="")
    age = seconds_since(oldest, now)
    parts = [f"{amount} on {where}", f"priority {one.priority}"]
    if len(one.pods) > 1:
        parts.insert(1, count(len(one.pods), "pod"))
    if age is not None:
        parts.append(duration(max(1.0, age)))
    return f"{one.title}: {', '.join([*parts, *(_since(one, note, now) for note in one.notes)])}"


def _since(one: Holder, note: str, now: datetime) -> str:
    """How long it has been on its way out, where that takes long."""
    if note != TERMINATING:
        return note
    longest = max((seconds_since(pod.deleted, now) or 0.0 for pod in one.pods if pod.deleted), default=0.0)
    return f"{note} for {duration(longest)}" if longest > LONG_SECONDS else note
