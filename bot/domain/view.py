"""One consistent picture of one cluster, kept up to date record by record, with the indexes that answers need.

A view does no I/O: adapters put records in and take them out; commands read it without awaiting, so that nothing
changes while they decide. All indexes are kept incrementally: a put or a take costs the same in a cluster of ten pods
and of a hundred thousand.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TypeVar

from bot.domain.devices import DeviceIndex
from bot.domain.dra import DeviceClass, ResourceClaim, ResourceSlice
from bot.domain.event import Event
from bot.domain.node import Node
from bot.domain.pod import FINISHED, Pod
from bot.domain.record import Record
from bot.domain.remembered import NodeFacts, PodSorts
from bot.domain.source import Reading, Source
from bot.domain.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from bot.domain.thing import Thing, plural
from bot.domain.workload import Namespace, PodDisruptionBudget, PriorityClass, Workload

_NOBODY: frozenset[Pod] = frozenset()
_NOTHING: dict[str, int] = {}
_NO_EVENTS: frozenset[Event] = frozenset()
_NO_THINGS: dict[str, Thing] = {}
FactT = TypeVar("FactT")


class _Tables(dict[str, dict[str, Record]]):
    """Kinds without an attribute of their own get their table when their first record comes."""

    def __missing__(self, kind: str) -> dict[str, Record]:
        made: dict[str, Record] = {}
        self[kind] = made
        return made


class View:
    """Records of one cluster by kind, their indexes, and how well each kind is known.

    `tables` maps a kind's plural to its records by key (`namespace/name`, or the name where there is no namespace).
    Kinds that only explanations read have no attribute of their own: `things("deployments")` is their table.
    `requested` maps a node's name to what live pods bound to it ask for, terminating ones included.
    `watchers` are sets that collect the names of nodes whose record, pods or devices changed (see bot.gpu.inventory).
    """

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster
        self.sources: dict[str, Source] = {}
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, Pod] = {}
        self.namespaces: dict[str, Namespace] = {}
        self.replicasets: dict[str, Workload] = {}
        self.jobs: dict[str, Workload] = {}
        self.poddisruptionbudgets: dict[str, PodDisruptionBudget] = {}
        self.priorityclasses: dict[str, PriorityClass] = {}
        self.resourceslices: dict[str, ResourceSlice] = {}
        self.resourceclaims: dict[str, ResourceClaim] = {}
        self.deviceclasses: dict[str, DeviceClass] = {}
        self.persistentvolumeclaims: dict[str, PersistentVolumeClaim] = {}
        self.persistentvolumes: dict[str, PersistentVolume] = {}
        self.storageclasses: dict[str, StorageClass] = {}
        self.csinodes: dict[str, CSINode] = {}
        self.csidrivers: dict[str, CSIDriver] = {}
        self.csistoragecapacities: dict[str, CSIStorageCapacity] = {}
        self.volumeattachments: dict[str, VolumeAttachment] = {}
        self.events: dict[str, Event] = {}
        self.events_about: dict[tuple[str, str, str], set[Event]] = {}
        self.tables: dict[str, dict[str, Record]] = _Tables(
            {
                "nodes": self.nodes,  # type: ignore[dict-item]  # one table per kind, typed where it is read
                "pods": self.pods,  # type: ignore[dict-item]
                "namespaces": self.namespaces,  # type: ignore[dict-item]
                "replicasets": self.replicasets,  # type: ignore[dict-item]
                "jobs": self.jobs,  # type: ignore[dict-item]
                "poddisruptionbudgets": self.poddisruptionbudgets,  # type: ignore[dict-item]
                "priorityclasses": self.priorityclasses,  # type: ignore[dict-item]
                "resourceslices": self.resourceslices,  # type: ignore[dict-item]
                "resourceclaims": self.resourceclaims,  # type: ignore[dict-item]
                "deviceclasses": self.deviceclasses,  # type: ignore[dict-item]
                "persistentvolumeclaims": self.persistentvolumeclaims,  # type: ignore[dict-item]
                "persistentvolumes": self.persistentvolumes,  # type: ignore[dict-item]
                "storageclasses": self.storageclasses,  # type: ignore[dict-item]
                "csinodes": self.csinodes,  # type: ignore[dict-item]
                "csidrivers": self.csidrivers,  # type: ignore[dict-item]
                "csistoragecapacities": self.csistoragecapacities,  # type: ignore[dict-item]
                "volumeattachments": self.volumeattachments,  # type: ignore[dict-item]
                "events": self.events,  # type: ignore[dict-item]
            }
        )
        self.pods_by_node: dict[str, set[Pod]] = {}
        self.repelling: set[Pod] = set()  # bound pods with required anti-affinity
        self.pods_by_owner: dict[str, set[Pod]] = {}  # by the uid of their controller
        self.unowned: set[Pod] = set()
        self.devices = DeviceIndex()
        self.waiting: set[Pod] = set()  # not bound to a node and not finished
        self.ailing: set[Pod] = set()  # bound, and not plainly running or completed: few, to be looked at more closely
        self.leaving: set[Pod] = set()  # bound and terminating
        self.inhabited: dict[str, int] = {}  # how many pods each namespace has
        self.requested: dict[str, dict[str, int]] = {}
        self.priorities: dict[str, dict[int, int]] = {}  # how many live pods of each priority a node has
        self.watchers: list[set[str]] = []
        self._facts = NodeFacts(self.nodes)
        self._sorts = PodSorts(self.pods)

    # ---- reading -------------------------------------------------------------------------------------------------

    def on_node(self, name: str) -> set[Pod] | frozenset[Pod]:
        """All pods bound to that node, finished ones included."""
        return self.pods_by_node.get(name, _NOBODY)

    def requested_on(self, name: str) -> dict[str, int]:
        return self.requested.get(name, _NOTHING)

    def each_node(self, find: Callable[[Node], FactT]) -> Mapping[str, FactT]:
        """What `find` says of each node, by name; it is asked again only of nodes that have changed.

        A function of a module, which looks at nothing but the node. The order is not that of `nodes`.
        """
        return self._facts.of(find)

    def places(self) -> Mapping[str, int]:
        """Where each node stands among all by its name, gpu-8 before gpu-10."""
        return self._facts.places()

    def pods_that(self, find: Callable[[Pod], bool]) -> list[Pod]:
        """The pods of which `find` is true, by key: all are asked the first time, later only new ones.

        A function of a module, which looks at nothing but names, labels and owner.
        """
        return self._sorts.of(find)

    def pods_named(self, name: str) -> list[Pod]:
        """Pods of exactly that name, in any namespace."""
        pods = self.pods
        found = [pod for namespace in self.inhabited if (pod := pods.get(f"{namespace}/{name}")) is not None]
        return found if len(found) < 2 else [pod for pod in pods.values() if pod.name == name]  # in their usual order

    def things(self, kind: str) -> dict[str, Thing]:
        """The table of a kind that only explanations read, by its plural."""
        return self.tables.get(kind, _NO_THINGS)  # type: ignore[return-value]  # such tables hold things

    def thing(self, object_kind: str, namespace: str, name: str) -> Thing | None:
        """One of them by what it calls itself; None where it is not known."""
        found = self.tables.get(plural(object_kind), _NO_THINGS).get(f"{namespace}/{name}" if namespace else name)
        return found if isinstance(found, Thing) else None

    def events_on(self, object_kind: str, namespace: str, name: str) -> list[Event]:
        """Events about an object, the newest first."""
        found = self.events_about.get((object_kind, namespace, name), _NO_EVENTS)
        return sorted(found, key=lambda one: (one.time, one.name), reverse=True)

    def source(self, kind: str) -> Source:
        """How well a kind is known; a kind nobody spoke of is unread."""
        return self.sources.get(kind) or Source(kind, Reading.UNREAD)

    def knows(self, kind: str) -> bool:
        return self.source(kind).known

    def unknown(self) -> Iterator[Source]:
        """The kinds whose records may not be counted, by name."""
        return (source for _, source in sorted(self.sources.items()) if not source.known)

    def oldest(self, *kinds: str) -> datetime | None:
        """When we last heard of the kind among `kinds` that has been silent longest."""
        heard = [source.heard_at for kind in kinds if (source := self.source(kind)).known and source.heard_at]
        return min(heard, default=None)

    # ---- writing -------------------------------------------------------------------------------------------------

    def put(self, kind: str, key: str, record: Record) -> None:
        """Add or replace one record."""
        table = self.tables[kind]
        old = table.get(key)
        table[key] = record
        if kind == "pods":
            self._pod_changed(old, record)  # type: ignore[arg-type]  # the table holds pods
        elif kind == "nodes":
            self._facts.changed(key)
            self._touch(key)
        elif kind in ("resourceslices", "resourceclaims"):
            self._devices_changed(old, record)
        elif kind in ("namespaces", "replicasets", "jobs"):
            self._names_changed(old, record)
        elif kind == "events":
            self._event_changed(old, record)
        elif isinstance(record, Thing) and record.owner is not None:
            self._names_changed(old, record)

    def take(self, kind: str, key: str) -> None:
        """Remove one record; one that is not there is gone already."""
        old = self.tables.get(kind, {}).pop(key, None)
        if old is None:
            return
        if kind == "pods":
            self._pod_changed(old, None)  # type: ignore[arg-type]  # the table holds pods
        elif kind == "nodes":
            self._facts.changed(key)
            self._touch(key)
        elif kind in ("resourceslices", "resourceclaims"):
            self._devices_changed(old, None)
        elif kind == "events":
            self._event_changed(old, None)

    def _event_changed(self, old: Record | None, new: Record | None) -> None:
        if isinstance(old, Event):
            about = self.events_about.get(old.about, set())
            about.discard(old)
            if not about:
                self.events_about.pop(old.about, None)
        if isinstance(new, Event):
            self.events_about.setdefault(new.about, set()).add(new)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None:
            self._unlist(old)
        if new is not None:
            self._list(new)
        if old is None or new is None or old.labels is not new.labels:
            self._named(old, new)
        if old is not None and new is not None and _counts_alike(old, new):  # most events: only a status changed
            if old.deleted != new.deleted or old.labels is not new.labels:
                self._touch(new.node)
            return
        if old is not None and old.node and old.phase not in FINISHED:  # Pod.occupies, without the call
            self._account(old, -1)
        if new is not None and new.node and new.phase not in FINISHED:
            self._account(new, +1)

    def _list(self, pod: Pod) -> None:
        if pod.node:
            _add(self.pods_by_node, pod.node, pod)
            if pod.spec.anti_affinity:
                self.repelling.add(pod)
            if pod.deleted:
                self.leaving.add(pod)
            if pod.phase == "Running":
                for one in pod.states:
                    if one.waiting or one.exit_code:
                        self.ailing.add(pod)
                        break
            elif pod.phase != "Succeeded":
                self.ailing.add(pod)
        elif pod.phase not in FINISHED:
            self.waiting.add(pod)
        if pod.owner is not None:
            _add(self.pods_by_owner, pod.owner.uid, pod)
        else:
            self.unowned.add(pod)

    def _unlist(self, pod: Pod) -> None:
        if pod.node:
            _discard(self.pods_by_node, pod.node, pod)
            if pod.spec.anti_affinity:
                self.repelling.discard(pod)
            self.ailing.discard(pod)
            if pod.deleted:
                self.leaving.discard(pod)
        else:
            self.waiting.discard(pod)
        if pod.owner is not None:
            _discard(self.pods_by_owner, pod.owner.uid, pod)
        else:
            self.unowned.discard(pod)

    def _named(self, old: Pod | None, new: Pod | None) -> None:
        """A pod came, went, or is called otherwise."""
        self._sorts.changed(old, new)
        if old is None and new is not None:
            self.inhabited[new.namespace] = self.inhabited.get(new.namespace, 0) + 1
        elif old is not None and new is None:
            left = self.inhabited[old.namespace] - 1
            if left:
                self.inhabited[old.namespace] = left
            else:
                del self.inhabited[old.namespace]

    def _account(self, pod: Pod, sign: int) -> None:
        requested = self.requested.get(pod.node)
        if requested is None:
            requested = self.requested[pod.node] = {}
        for resource, value in pod.requests.items():
            left = requested.get(resource, 0) + sign * value
            if left:
                requested[resource] = left
            else:
                requested.pop(resource, None)
        pods = requested.get("pods", 0) + sign
        if pods:
            requested["pods"] = pods
        else:
            del self.requested[pod.node]
        priorities = self.priorities.setdefault(pod.node, {})
        alike = priorities.get(pod.priority, 0) + sign
        if alike:
            priorities[pod.priority] = alike
        else:
            priorities.pop(pod.priority, None)
            if not priorities:
                del self.priorities[pod.node]
        self._touch(pod.node)

    def _devices_changed(self, old: Record | None, new: Record | None) -> None:
        for node in self.devices.replace(old, new):
            self._touch(node)

    def _names_changed(self, old: Record | None, new: Record) -> None:
        """Owners and namespaces name who holds what: nodes whose pods are called otherwise now are touched."""
        if isinstance(new, Thing):
            for pod in self.pods_by_owner.get(new.uid, _NOBODY):
                self._touch(pod.node)
        elif isinstance(new, Namespace) and not (isinstance(old, Namespace) and old.labels == new.labels):
            for names in self.watchers:
                names.update(self.pods_by_node)

    def _touch(self, name: str) -> None:
        if name:
            for names in self.watchers:
                names.add(name)


def _counts_alike(old: Pod, new: Pod) -> bool:
    if old.node != new.node or old.requests is not new.requests or old.priority != new.priority:
        return False
    return old.occupies == new.occupies


def _add(index: dict[str, set[Pod]], key: str, pod: Pod) -> None:
    pods = index.get(key)
    if pods is None:
        index[key] = {pod}
    else:
        pods.add(pod)


def _discard(index: dict[str, set[Pod]], key: str, pod: Pod) -> None:
    pods = index.get(key)
    if pods is not None:
        pods.discard(pod)
        if not pods:
            del index[key]
