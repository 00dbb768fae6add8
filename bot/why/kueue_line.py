"""Who holds a queue's quota, and who waits for it in which order.

Kueue takes the highest priority first, then the longest wait (kubernetes-sigs/kueue:pkg/cache/queue/cluster_queue.go).
Quota is held from the moment it is reserved, whether or not a pod runs.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.time import seconds_since
from bot.domain.words import duration
from bot.why.amounts import said
from bot.why.case import Case
from bot.why.kueue_evicted import left_behind
from bot.why.kueue_workload import Workload, pods_of, workloads

SERVING = ("Deployment", "StatefulSet", "LeaderWorkerSet", "RayService", "RayCluster", "InferenceService", "Notebook")


@dataclass(frozen=True, slots=True)
class Holder:
    """`holds`: how much of the resource. `homeless`: a pod of it that no node takes; None where all have a place.
    `evicted`: Kueue took its pods away and not its quota.
    """

    workload: Workload
    holds: int
    homeless: Pod | None = None
    evicted: bool = False

    @property
    def idle(self) -> bool:
        return self.homeless is not None or self.evicted

    @property
    def serves(self) -> bool:
        """Whether it is of a kind that never ends by itself."""
        owner = self.workload.thing.owner
        return owner is not None and owner.kind in SERVING

    @property
    def title(self) -> str:
        return f"{self.workload.thing.namespace}/{self.workload.job}"


def holders(case: Case, queue: str, flavors: Set[str], resource: str) -> list[Holder]:
    """Best to end first: those that cannot run, then the lowest priority, then the youngest."""
    found = [
        Holder(one, holds, homeless(case, one), left_behind(case, one))
        for one in workloads(case)
        if one.reserved and one.cluster_queue == queue and (holds := _held(one, flavors, resource))
    ]
    found.sort(key=lambda one: one.workload.thing.created, reverse=True)
    return sorted(found, key=lambda one: (not one.idle, one.workload.priority))


def _held(workload: Workload, flavors: Set[str], resource: str) -> int:
    """By its admission; by what it asks for where the admission does not tell."""
    uses = workload.uses
    if not uses:
        return workload.asks.get(resource, 0)
    return sum(value for (flavor, name), value in uses.items() if name == resource and flavor in flavors)


def homeless(case: Case, workload: Workload) -> Pod | None:
    """A pod of it that the scheduler found no node for."""
    return next((pod for pod in pods_of(case.view, workload) if unplaced(pod)), None)


def unplaced(pod: Pod) -> bool:
    condition = pod.condition("PodScheduled")
    refused = condition is not None and condition.reason == "Unschedulable"
    return refused and not pod.node and not pod.finished and not pod.gated


def described(case: Case, holder: Holder) -> str:
    """`ml/tune-1: 8 GPUs, priority 100, 4 h 50 min` without the amount's resource repeated for other kinds."""
    seconds = seconds_since(holder.workload.fields.condition("QuotaReserved").text("lastTransitionTime"), case.now)
    age = f", {duration(seconds)}" if seconds is not None and seconds > 0 else ""
    idle = ", evicted, has no pods" if holder.evicted else ", cannot be placed" if holder.homeless else ""
    return f"{holder.title}: {holder.holds:,}, priority {holder.workload.priority}{age}{idle}"


def line(case: Case, queue: str) -> list[Workload]:
    """Those that wait in that ClusterQueue, first come first."""
    waiting = [
        one for one in workloads(case) if not one.reserved and one.active and cluster_queue_of(case, one) == queue
    ]
    return sorted(waiting, key=lambda one: (-one.priority, one.since, one.thing.key))


def place(case: Case, workload: Workload, queue: str) -> tuple[int, int]:
    """Its place in line from 1, and how long the line is; (0, n) where it is not in it."""
    keys = [one.thing.key for one in line(case, queue)]
    return (keys.index(workload.thing.key) + 1 if workload.thing.key in keys else 0), len(keys)


def cluster_queue_of(case: Case, workload: Workload) -> str:
    """Where it waits or was admitted; empty where its LocalQueue is not known."""
    if workload.cluster_queue:
        return workload.cluster_queue
    local = case.view.things("localqueues").get(f"{workload.thing.namespace}/{workload.queue}")
    return case.fields(local).text("spec", "clusterQueue") if local else ""


def behind(case: Case, queue: str, resource: str) -> Iterator[str]:
    """Those in line that ask for the resource, in words."""
    for one in line(case, queue):
        if asked := one.asks.get(resource):
            yield f"{one.thing.namespace}/{one.job} ({said(resource, asked)})"
