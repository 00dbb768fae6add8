"""Dynamic resource allocation, as far as a fleet of whole GPUs needs it: so many devices of a class, all on one node.

Class selectors are read only in the form `device.driver == "..."`; any other expression matches nothing here, and the
pod stays pending with kube-scheduler's own words. Source: kubernetes/dynamic-resource-allocation:structured/.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.local.cluster.controllers.access import CLAIMS, DEVICE_CLASSES, SLICES, Access, Obj
from bot.local.cluster.controllers.scheduler.filters import Rejection
from bot.local.cluster.controllers.scheduler.node import NodeView
from bot.local.cluster.controllers.scheduler.pod import PodView

BY_DRIVER = re.compile(r"""^\s*device\.driver\s*==\s*["']([^"']+)["']\s*$""")
PLUGIN = "DynamicResources"

Device = tuple[str, str, str]  # driver, pool, device


class Claims:
    def __init__(self, access: Access) -> None:
        self._access = access

    def missing(self, pod: PodView) -> bool:
        """A claim is not there yet: such a pod waits outside the queue, without a word."""
        return any(claim is None for claim in self._of(pod))

    def filter(self, pod: PodView, node: NodeView) -> Rejection | None:
        for claim in self._of(pod):
            if claim is None:
                continue
            allocation = (claim.get("status") or {}).get("allocation")
            if allocation and not _allows(allocation, node.name):
                return Rejection(PLUGIN, ("resourceclaim not available on the node",), False)
            if not allocation and self._choose(claim, node.name) is None:
                return Rejection(PLUGIN, ("cannot allocate all claims",), False)
        return None

    def reserve(self, pod: PodView, node_name: str) -> None:
        """Allocate what is not allocated yet, and note the pod as a consumer."""
        for claim in self._of(pod):
            if claim is None:
                continue
            status: Obj = dict(claim.get("status") or {})
            if not status.get("allocation"):
                status["allocation"] = _allocation(self._choose(claim, node_name) or [], node_name)
            consumer = {"resource": "pods", "name": pod.key[1], "uid": pod.uid}
            if consumer not in status.get("reservedFor", ()):
                status["reservedFor"] = [*status.get("reservedFor", ()), consumer]
            self._access.put_status(CLAIMS, claim, status)

    def release(self, uid: str, namespace: str) -> None:
        """A pod has ended: its claims are free again once nobody else holds them."""
        for claim in self._access.all_of(CLAIMS, namespace):
            status = claim.get("status") or {}
            kept = [c for c in status.get("reservedFor", ()) if c["uid"] != uid]
            if len(kept) < len(status.get("reservedFor", ())):
                self._access.put_status(CLAIMS, claim, {**status, "reservedFor": kept} if kept else {})

    def _of(self, pod: PodView) -> Iterator[Obj | None]:
        for entry in pod.claims:
            if name := entry.get("resourceClaimName"):
                yield self._access.find(CLAIMS, (pod.key[0], name))
            else:
                yield None  # made from a template by a controller that is not here

    def _choose(self, claim: Obj, node_name: str) -> list[tuple[str, Device]] | None:
        """A device for each request, or None if they cannot all be had on the node."""
        taken, chosen = self._taken(), []
        for request in claim["spec"].get("devices", {}).get("requests", ()):
            exact = request.get("exactly") or {}
            drivers = self._drivers(exact.get("deviceClassName", ""))
            free = [d for d in self._devices(node_name) if d[0] in drivers and d not in taken]
            count = len(free) if exact.get("allocationMode") == "All" else exact.get("count", 1)
            if exact.get("selectors") or not free or len(free) < count:
                return None
            chosen += [(request["name"], device) for device in free[:count]]
            taken |= set(free[:count])
        return chosen

    def _drivers(self, class_name: str) -> set[str]:
        found = self._access.find(DEVICE_CLASSES, ("", class_name))
        expressions = [
            s.get("cel", {}).get("expression", "") for s in (found or {}).get("spec", {}).get("selectors", ())
        ]
        return {match[1] for e in expressions if (match := BY_DRIVER.match(e))}

    def _devices(self, node_name: str) -> Iterator[Device]:
        for piece in self._access.all_of(SLICES):
            spec = piece["spec"]
            if spec.get("nodeName") == node_name:
                healthy = (d for d in spec.get("devices", ()) if not d.get("taints"))
                yield from ((spec["driver"], spec["pool"]["name"], d["name"]) for d in healthy)

    def _taken(self) -> set[Device]:
        allocations = ((c.get("status") or {}).get("allocation") for c in self._access.all_of(CLAIMS))
        return {
            (r["driver"], r["pool"], r["device"])
            for allocation in allocations
            if allocation
            for r in allocation.get("devices", {}).get("results", ())
        }


def _allocation(chosen: Iterable[tuple[str, Device]], node_name: str) -> Obj:
    results = [{"request": name, "driver": d[0], "pool": d[1], "device": d[2]} for name, d in chosen]
    field = {"key": "metadata.name", "operator": "In", "values": [node_name]}
    return {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]}}


def _allows(allocation: Mapping[str, Any], node_name: str) -> bool:
    terms = (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms")
    if not terms:
        return True
    return any(node_name in f["values"] for t in terms for f in t.get("matchFields", ()))
