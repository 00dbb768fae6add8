"""LeaderWorkerSets in groups: a leader and its workers, of use only together.

kubernetes-sigs/lws:api/leaderworkerset/v1/leaderworkerset_types.go: `spec.leaderWorkerTemplate.size` counts the leader
too; group n is called `<set>-n`, its workers `<set>-n-1` and up.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.record import Amounts
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.amounts import of_template

NAME, INDEX, WORKER = (f"leaderworkerset.sigs.k8s.io/{one}" for one in ("name", "group-index", "worker-index"))
MOST_GROUPS = 2000  # that are packed; more are never asked about


@dataclass(frozen=True, slots=True)
class Group:
    """One group. `size`: how many pods belong to it; `pods` those that exist."""

    index: int
    size: int
    pods: tuple[Pod, ...]

    @property
    def leader(self) -> Pod | None:
        return next((pod for pod in self.pods if is_leader(pod)), None)

    @property
    def placed(self) -> tuple[Pod, ...]:
        return tuple(pod for pod in self.pods if pod.node)

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """Those that want a node and have none; gated ones are somebody else's."""
        return tuple(pod for pod in self.pods if not pod.node and not pod.gated)

    @property
    def whole(self) -> bool:
        """Every pod of it has a node."""
        return len(self.placed) >= self.size

    @property
    def complete(self) -> bool:
        """Every pod of it runs and is ready."""
        ready = [pod for pod in self.placed if pod.phase == "Running" and pod.condition("Ready") is None]
        return len(ready) >= self.size


def set_of(view: View, pod: Pod) -> Thing | None:
    """The LeaderWorkerSet of a pod."""
    name = pod.labels.get(NAME)
    return view.things("leaderworkersets").get(f"{pod.namespace}/{name}") if name else None


def group_index(pod: Pod) -> int | None:
    text = pod.labels.get(INDEX, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else None


def is_leader(pod: Pod) -> bool:
    return pod.labels.get(WORKER) == "0"


def surge(lws: Thing) -> str:
    return lws.fields.text("spec", "rolloutStrategy", "rollingUpdateConfiguration", "maxSurge") or "0"


def size_of(lws: Thing) -> int:
    return max(1, lws.fields.number("spec", "leaderWorkerTemplate", "size") or 1)


def groups_of(view: View, lws: Thing) -> list[Group]:
    """Those of which a pod exists, by index."""
    found: dict[int, list[Pod]] = {}
    for pod in view.pods.values():
        if pod.namespace == lws.namespace and pod.labels.get(NAME) == lws.name and not pod.finished:
            index = group_index(pod)
            if index is not None:
                found.setdefault(index, []).append(pod)
    size = size_of(lws)
    return [Group(index, size, tuple(sorted(pods, key=lambda pod: pod.name))) for index, pods in sorted(found.items())]


def members(lws: Thing) -> list[dict[str, int]]:
    """What the pods of one group ask for, the leader first."""
    template = lws.fields.at("spec", "leaderWorkerTemplate")
    worker = of_template(template.at("workerTemplate", "spec"))
    leader_spec = template.at("leaderTemplate", "spec")
    leader = of_template(leader_spec) if leader_spec else worker
    return [leader, *[worker] * (min(size_of(lws), 1000) - 1)]


def packed(free: Mapping[str, Amounts], group: Iterable[Amounts], most: int) -> int:
    """How many whole groups fit into what is free on each node, up to `most`.

    Largest pods first, each on the node that has least left and still takes it. A lower bound: no attempt is made to
    find a better packing, which matters only where nodes and pods are of many sizes.
    """
    left = {name: dict(amounts) for name, amounts in free.items()}
    pods = sorted(group, key=lambda one: sorted(one.values()), reverse=True)
    for fitted in range(min(most, MOST_GROUPS)):
        if not _place(left, pods):
            return fitted
    return min(most, MOST_GROUPS)


def _place(left: dict[str, dict[str, int]], pods: list[Amounts]) -> bool:
    for pod in pods:
        asked = {**pod, "pods": 1}
        fitting = [
            name for name, free in left.items() if all(free.get(key, 0) >= value for key, value in asked.items())
        ]
        if not fitting:
            return False
        rare = [key for key in pod if "/" in key] or list(pod)
        best = min(fitting, key=lambda name: tuple(left[name].get(key, 0) for key in rare))
        for key, value in asked.items():
            left[best][key] -= value
    return True
