"""The object store of the local cluster: what etcd, the registry and admission do in a real one, in one process.

Objects are plain dicts that nobody changes once they are stored: a write hands in a new object, reads hand out the
stored one. Everything is synchronous, so a caller on the event loop sees one consistent cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from bot.local.cluster.store import defaults, errors, managed, validate
from bot.local.cluster.store.admission import admit
from bot.local.cluster.store.apply import apply_intent
from bot.local.cluster.store.custom import DEFINITIONS, established, resource_of
from bot.local.cluster.store.deletion import Deletion, Propagation
from bot.local.cluster.store.history import Change
from bot.local.cluster.store.managed import Writer
from bot.local.cluster.store.names import Names
from bot.local.cluster.store.owners import ObjectRef
from bot.local.cluster.store.prepare import detached, identified, successor_of
from bot.local.cluster.store.resources import Resource
from bot.local.cluster.store.shelf import Entry
from bot.local.cluster.store.state import State

Json = dict[str, Any]


class Store:
    """Every object of one cluster."""

    def __init__(
        self, *, clock: Callable[[], datetime], history: int = 20_000, seed: int = 0, graceful_pods: bool = True
    ) -> None:
        """`clock` gives aware times; `history` is how many writes a watch can be behind.

        With `graceful_pods`, a pod on a node that is deleted stays, marked, until something deletes it with
        `grace_seconds=0` as its kubelet does.
        """
        self._clock = clock
        self.state = State(history, Names(seed))
        self._deletion = Deletion(self.state, self._timestamp, graceful_pods)

    @property
    def version(self) -> int:
        """The resourceVersion of the newest write."""
        return self.state.version

    @property
    def resources(self) -> Mapping[tuple[str, str], Resource]:
        """Every kind that is served now, those of CustomResourceDefinitions included."""
        return self.state.resources

    def now(self) -> datetime:
        """The cluster's time."""
        return self._clock()

    def get(self, resource: Resource, namespace: str, name: str) -> Json:
        """Return an object; ApiError 404."""
        return self.state.object_of(self.entry(resource, namespace, name))

    def entry(self, resource: Resource, namespace: str, name: str) -> Entry:
        """Return an object as bytes and facets; ApiError 404."""
        return self.state.entry(resource, (namespace if resource.namespaced else "", name))

    def list(self, resource: Resource, namespace: str = "") -> list[Json]:
        """Return all objects, in order of namespace and name."""
        return list(self.state.walk(resource, namespace))

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call `callback` synchronously after each write, in order; returns what ends it.

        A subscriber may write; that change is announced once the present one has reached everybody.
        """
        return self.state.subscribe(callback)

    def children(self, uid: str) -> set[ObjectRef]:
        """Return the objects whose ownerReferences name `uid`."""
        return self.state.owners.dependents(uid)

    def load_encoded(self, resource: Resource, items: Iterable[bytes]) -> int:
        """Load objects as encoded JSON, e.g. 150,000 pods; return how many. They are not announced.

        Nothing is checked or filled in beyond kind, uid and resourceVersion; earlier history is forgotten.
        """
        return self.state.load(resource, items)

    def create(
        self, resource: Resource, namespace: str, obj: Json, *, manager: str = "unknown", dry_run: bool = False
    ) -> Json:
        """Store a new object and return it; ApiError 400, 403, 404 (namespace), 409 (name taken) or 422."""
        return self._create(resource, namespace, obj, Writer(manager, "Update", self._timestamp()), dry_run)

    def _create(self, resource: Resource, namespace: str, obj: Json, writer: Writer, dry_run: bool) -> Json:
        given = detached(resource, obj)
        new = identified(self.state, resource, namespace, given, self._timestamp())
        new["metadata"].pop("managedFields", None)
        # who applies owns only what was said, who creates owns the defaults too
        entries = managed.on_create(resource, new, writer) if writer.operation == "Apply" else []
        defaults.fill_in(resource, new)
        entries = entries or managed.on_create(resource, new, writer)
        admit(self.state, resource, new)
        validate.validate_new(resource, new)
        new["metadata"]["managedFields"] = entries
        if resource is DEFINITIONS:
            declared = resource_of(new)
            new["status"] = established(new, self._timestamp())
            if not dry_run:
                self.state.add_resource(declared)
        return new if dry_run else self.state.commit("ADDED", resource, new)

    def update(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        obj: Json,
        *,
        subresource: str = "",
        manager: str = "unknown",
        dry_run: bool = False,
    ) -> Json:
        """Replace an object and return it as stored; ApiError 404, 409 (another version) or 422.

        The update of an object leaves its status alone, that of "status" everything else.
        """
        old = self.get(resource, namespace, name)
        new = successor_of(resource, old, detached(resource, obj), subresource)
        writer = Writer(manager, "Update", self._timestamp(), subresource)
        new["metadata"]["managedFields"] = managed.on_update(resource, old, new, writer)
        return self._replace(resource, old, new, dry_run)

    def apply(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        intent: Json,
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
    ) -> tuple[Json, bool]:
        """Server-side apply; return (object, whether it was created). ApiError 409 lists the conflicting fields."""
        writer = Writer(manager, "Apply", self._timestamp(), subresource)
        intent = detached(resource, intent)
        key = (namespace if resource.namespaced else "", name)
        if key not in self.state.shelf(resource) and not subresource:
            if uid := (intent.get("metadata") or {}).get("uid"):
                why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                raise errors.conflict(resource, name, why)
            created = {**intent, "metadata": {**(intent.get("metadata") or {}), "name": name}}
            return self._create(resource, namespace, created, writer, dry_run), True
        old = self.get(resource, namespace, name)
        merged = apply_intent(resource, old, intent, writer, force)
        entries = merged["metadata"]["managedFields"]
        new = successor_of(resource, old, detached(resource, merged), subresource)
        new["metadata"]["managedFields"] = entries
        return self._replace(resource, old, new, dry_run), False

    def _replace(self, resource: Resource, old: Json, new: Json, dry_run: bool) -> Json:
        validate.validate_change(resource, old, new)
        if dry_run or new == old:
            return new
        if self._deletion.settle(resource, new):
            return self._deletion.remove(resource, new)
        if resource is DEFINITIONS:
            self.state.add_resource(resource_of(new))
        return self.state.commit("MODIFIED", resource, new)

    def delete(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        *,
        grace_seconds: int | None = None,
        propagation: Propagation = "Background",
        preconditions: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> Json:
        """Delete an object and return it as it then is; ApiError 404, or 409 when a precondition does not hold.

        It stays, marked with a deletionTimestamp, while finalizers, a grace period or its content hold it.
        """
        obj = self.get(resource, namespace, name)
        for field, wanted in (preconditions or {}).items():
            present = obj["metadata"].get(field)
            if wanted and wanted != present:
                label = "UID" if field == "uid" else "ResourceVersion"
                why = f"Precondition failed: {label} in precondition: {wanted}, {label} in object meta: {present}"
                raise errors.conflict(resource, name, why)
        return obj if dry_run else self._deletion.delete(resource, obj, grace_seconds, propagation)

    def compact(self) -> None:
        """Forget the history: watches from any earlier version get 410."""
        self.state.history.forget(self.version)

    def _timestamp(self) -> str:
        return self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
