"""Pods that do not run and should, in groups that are explained once each; and pods that are Ready and may be broken.

A group is what one controller's pods have in common: what they ask for, how they stand, whether their node answers.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.domain.evidence import Evidence, LogRef
from bot.domain.pod import Pod
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.gpu.kind import gpus_of
from bot.gpu.owners import top_owner
from bot.serving.reading import read
from bot.why.standing import rank

NOT_READY = 4  # bot.why.standing.rank: waits, crashes, starts, has failed, runs without being ready
FAILED_IN_A_ROW = 5  # requests
LATELY_SECONDS = 3600.0
OVERDUE_SECONDS = 60.0  # a kubelet may take so long after the grace period
_SIGNS = frozenset({"Unhealthy", "BackOff", "Killing"})


@dataclass(frozen=True, slots=True)
class Group:
    """Pods of one owner that stand alike, the oldest first. `owner` is `namespace/name`."""

    owner: str
    kind: str
    pods: tuple[Pod, ...]

    @property
    def first(self) -> Pod:
        return self.pods[0]

    @property
    def gpus(self) -> int:
        return sum(gpus_of(pod) for pod in self.pods)


def groups(view: View, now: datetime) -> list[Group]:
    """Those with GPUs first, the oldest first."""
    found: dict[tuple[object, ...], list[Pod]] = defaultdict(list)
    for pod in _not_well(view, now):
        found[_alike(view, pod)].append(pod)
    made = [_group(key, pods) for key, pods in found.items()]
    return sorted(made, key=lambda one: (not one.gpus, one.first.created or "~", one.owner, one.first.key))


def _group(key: tuple[object, ...], pods: list[Pod]) -> Group:
    ordered = sorted(pods, key=lambda pod: (pod.created, pod.key))
    return Group(f"{key[0]}/{key[2]}", str(key[1]), tuple(ordered))


def _alike(view: View, pod: Pod) -> tuple[object, ...]:
    node = view.nodes.get(pod.node)
    asks = () if pod.node else (id(pod.spec), tuple(sorted(pod.requests.items())), bool(pod.volumes))
    stands = rank(pod)[0], pod.states[0].waiting if pod.states else "", pod.reason
    return (pod.namespace, *top_owner(view, pod), *asks, *stands, node.ready if node else None)


def _not_well(view: View, now: datetime) -> Iterator[Pod]:
    """Of pods on their way out only those that should be gone: deletionTimestamp is when their grace period ends."""
    for pod in view.pods.values():
        if pod.deleted:
            over = seconds_since(pod.deleted, now)
            if over is not None and over > OVERDUE_SECONDS:
                yield pod
        elif pod in view.waiting or _ails(view, pod):
            yield pod


def _ails(view: View, pod: Pod) -> bool:
    """Has a node and does not work there; or has failed without ever having had one."""
    doubted = pod in view.ailing or pod.condition("Ready") is not None or pod.phase == "Failed"
    return doubted and 1 <= rank(pod)[0] <= NOT_READY


# ---- ready, and perhaps broken -------------------------------------------------------------------------------------


def doubtful(view: View, now: datetime) -> list[Pod]:
    """GPU pods that are Ready, those first whose events or restarts give reason for doubt."""
    ready = (pod for pod in view.pods.values() if pod.node and rank(pod)[0] > NOT_READY and not pod.finished)
    users = [pod for pod in ready if gpus_of(pod) and not pod.deleted]
    return sorted(users, key=lambda pod: (-_doubt(view, pod, now), pod.key))


def _doubt(view: View, pod: Pod, now: datetime) -> int:
    events = view.events_on("Pod", pod.namespace, pod.name)
    lately = (one for one in events if one.reason in _SIGNS and (seconds_since(one.time, now) or 0) < LATELY_SECONDS)
    return 2 * any(True for _ in lately) + any(one.restarts for one in pod.states)


def with_errors(pods: list[Pod], evidence: Evidence) -> list[Pod]:
    """Those whose own log speaks of something that is wrong now."""
    return [pod for pod in pods if any(_bad(evidence.texts.get(ref, "")) for ref in logs(pod))]


def logs(pod: Pod) -> list[LogRef]:
    """The main container's: the first that is no init container."""
    main = next((one.name for one in pod.containers if not one.init), "")
    return [LogRef(pod.namespace, pod.name, main)] if main else []


def _bad(text: str) -> bool:
    if not text:
        return False
    told = read(text)
    answers = told.progress.answers if told.progress else None
    if answers is not None and (answers.fails_while_healthy or answers.failed_in_a_row >= FAILED_IN_A_ROW):
        return True
    return any(not one.past for one in told.matches)
