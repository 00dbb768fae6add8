"""PodDisruptionBudgets: how many of their pods may go now, which the eviction subresource takes from.

Not here: unhealthyPodEvictionPolicy. Source: kubernetes/kubernetes:pkg/controller/disruption/disruption.go.
"""

from bot.local.cluster.controllers.access import (
    BUDGETS,
    PODS,
    REPLICASETS,
    STATEFULSETS,
    Key,
    Obj,
    key_of,
)
from bot.local.cluster.controllers.conditions import is_true
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.owned import controller_of
from bot.local.cluster.controllers.rollout import resolve
from bot.local.cluster.store import Change
from bot.local.cluster.store.selectors import from_object, matches

_SCALED = {"ReplicaSet": REPLICASETS, "StatefulSet": STATEFULSETS}


class DisruptionController:
    """Keys are budgets; any change of a pod makes those of its namespace be counted anew."""

    name = "disruption-controller"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._budgets: set[Key] = set()

    def observe(self, change: Change) -> None:
        obj = change.new
        if change.resource.key == BUDGETS.key:
            if change.type == "DELETED":
                self._budgets.discard(key_of(obj))
            else:
                self._budgets.add(key_of(obj))
                self._context.queue.mark(key_of(obj))
        elif change.resource.key == PODS.key and self._budgets:
            namespace = obj["metadata"]["namespace"]
            for key in self._budgets:
                if key[0] == namespace:
                    self._context.queue.mark(key)

    def reconcile(self, key: Key) -> None:
        budget = self._context.access.find(BUDGETS, key)
        if budget is None:
            return
        pods = self._pods_of(budget)
        expected, desired = self._wanted(budget, pods)
        healthy = sum(is_true(pod, "Ready") and "deletionTimestamp" not in pod["metadata"] for pod in pods)
        status = {
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "disruptionsAllowed": max(0, healthy - desired) if expected else 0,
            "expectedPods": expected,
            "observedGeneration": budget["metadata"].get("generation", 1),
        }
        if {**(budget.get("status") or {}), **status} != budget.get("status"):
            self._context.access.put_status(BUDGETS, budget, {**(budget.get("status") or {}), **status})

    def _pods_of(self, budget: Obj) -> list[Obj]:
        selector = from_object(budget["spec"].get("selector"))
        if selector is None:
            return []
        return [
            pod
            for pod in self._context.access.all_of(PODS, budget["metadata"]["namespace"])
            if matches(selector, pod["metadata"].get("labels") or {})
            and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        ]

    def _wanted(self, budget: Obj, pods: list[Obj]) -> tuple[int, int]:
        """How many pods are expected, and how many of them must stay healthy."""
        spec = budget["spec"]
        least = spec.get("minAvailable")
        if isinstance(least, int):
            return len(pods), least
        expected = self._scale_of(pods)
        if least is not None:
            return expected, resolve(least, expected, up=True)
        return expected, max(0, expected - resolve(spec.get("maxUnavailable", 0), expected, up=True))

    def _scale_of(self, pods: list[Obj]) -> int:
        """What the owners of the pods were told to have; a pod without such an owner counts as one."""
        owners: dict[tuple[str, Key], int] = {}
        alone = 0
        for pod in pods:
            owner = controller_of(pod)
            key = (pod["metadata"]["namespace"], owner["name"]) if owner else ("", "")
            found = (
                self._context.access.find(_SCALED[owner["kind"]], key) if owner and owner["kind"] in _SCALED else None
            )
            if owner and found:
                owners[owner["kind"], key] = found["spec"].get("replicas", 1)
            else:
                alone += 1
        return sum(owners.values()) + alone
