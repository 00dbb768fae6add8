"""Deployments: one ReplicaSet a template, and a rollout from the old ones to the new.

Source: kubernetes/kubernetes:pkg/controller/deployment/.
"""

from dataclasses import dataclass

from bot.local.cluster.controllers.access import DEPLOYMENTS, PODS, REPLICASETS, Key, Obj, key_of
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.deployment_status import deployment_status, without_times
from bot.local.cluster.controllers.history import REVISION, annotations, current, new_replica_set, revision_of
from bot.local.cluster.controllers.owned import controller_of
from bot.local.cluster.controllers.rollout import Limits, Size, grow, limits, shrink
from bot.local.cluster.store import Change


@dataclass(slots=True)
class Rollout:
    """One Deployment with its ReplicaSets; `new` is that of the present template."""

    deployment: Obj
    new: Obj | None
    olds: list[Obj]

    @property
    def replicas(self) -> int:
        return int(self.deployment["spec"].get("replicas", 1))

    @property
    def paused(self) -> bool:
        return bool(self.deployment["spec"].get("paused"))

    def everything(self) -> list[Obj]:
        return [*self.olds, *([self.new] if self.new else [])]


class DeploymentController:
    name = "deployment-controller"

    def __init__(self, context: Context) -> None:
        self._context = context

    def observe(self, change: Change) -> None:
        obj = change.new
        if change.resource.key == DEPLOYMENTS.key and change.type != "DELETED":
            self._context.queue.mark(key_of(obj))
        elif change.resource.key == REPLICASETS.key:
            self._mark_owner(obj)
        elif change.resource.key == PODS.key and change.type == "DELETED":
            self._last_one_gone(obj)

    def _mark_owner(self, replica_set: Obj) -> None:
        owner = controller_of(replica_set)
        if owner and owner["kind"] == "Deployment":
            self._context.queue.mark((replica_set["metadata"]["namespace"], owner["name"]))

    def _last_one_gone(self, pod: Obj) -> None:
        """Recreate waits for pods that are ending, of which their ReplicaSet says nothing any more (deletePod)."""
        owner = controller_of(pod)
        if owner and owner["kind"] == "ReplicaSet":
            found = self._context.access.find(REPLICASETS, (pod["metadata"]["namespace"], owner["name"]))
            if found is not None:
                self._mark_owner(found)

    def reconcile(self, key: Key) -> None:
        deployment = self._context.access.find(DEPLOYMENTS, key)
        if deployment is None or deployment["metadata"].get("deletionTimestamp"):
            return
        rollout = self._gather(deployment)
        if rollout.paused:
            self._scale_while_paused(rollout)
        elif (deployment["spec"].get("strategy") or {}).get("type") == "Recreate":
            self._recreate(rollout)
        else:
            self._roll(rollout)
        rollout = self._gather(deployment)
        self._write_revision(rollout)
        self._write_status(rollout)
        self._clean_up(rollout)

    def _gather(self, deployment: Obj) -> Rollout:
        owned = self._context.access.children(deployment["metadata"]["uid"], REPLICASETS)
        alive = [r for r in owned if not r["metadata"].get("deletionTimestamp")]
        new = current(deployment, alive)
        olds = sorted((r for r in alive if r is not new), key=revision_of)
        newest = self._context.access.find(DEPLOYMENTS, key_of(deployment)) or deployment
        return Rollout(newest, new, olds)

    # the three ways

    def _roll(self, rollout: Rollout) -> None:
        limit = limits(rollout.deployment["spec"], rollout.replicas)
        active = [old for old in rollout.olds if old["spec"]["replicas"]]
        new = self._ensure_new(rollout, self._first_size(rollout, active, limit))
        sizes = [_size(old) for old in active]
        wanted = grow(_size(new), sizes, rollout.replicas, limit)
        new = self._resize(rollout, new, wanted)
        if active and wanted == _size(new).wanted:
            for name, wanted in shrink(_size(new), sizes, rollout.replicas, limit).items():
                self._resize(rollout, next(old for old in active if old["metadata"]["name"] == name), wanted)

    def _recreate(self, rollout: Rollout) -> None:
        """No old pod may be left, not even one that is ending, before the first new one starts."""
        for old in rollout.olds:
            self._resize(rollout, old, 0)
        pods = [self._context.owned.of(old["metadata"]["uid"]) for old in rollout.olds]
        if any(p.active or p.terminating for p in pods):
            return
        new = self._ensure_new(rollout, rollout.replicas)
        self._resize(rollout, new, rollout.replicas)

    def _scale_while_paused(self, rollout: Rollout) -> None:
        """A paused Deployment starts no rollout, but still grows and shrinks."""
        active = [r for r in rollout.everything() if r["spec"]["replicas"]] or rollout.everything()[-1:]
        if len(active) == 1:
            self._resize(rollout, active[0], rollout.replicas)

    # ReplicaSets

    def _first_size(self, rollout: Rollout, active: list[Obj], limit: Limits) -> int:
        return grow(Size("", 0, 0), [_size(old) for old in active], rollout.replicas, limit)

    def _ensure_new(self, rollout: Rollout, replicas: int) -> Obj:
        newest = max((revision_of(old) for old in rollout.olds), default=0)
        if rollout.new is None:
            found = new_replica_set(rollout.deployment, replicas, newest + 1)
            made = self._context.access.create(REPLICASETS, found["metadata"]["namespace"], found)
            self._tell_scaled(rollout, made, 0, replicas)
            return made
        own = dict(rollout.new["metadata"].get("annotations") or {})
        revision = max(revision_of(rollout.new), newest + 1)
        wanted = annotations(rollout.deployment, own, revision)
        if wanted == own:
            return rollout.new
        meta = {**rollout.new["metadata"], "annotations": wanted}
        return self._context.access.put(REPLICASETS, {**rollout.new, "metadata": meta})

    def _resize(self, rollout: Rollout, found: Obj, replicas: int) -> Obj:
        before = found["spec"]["replicas"]
        if before == replicas:
            return found
        changed = {**found, "spec": {**found["spec"], "replicas": replicas}}
        made = self._context.access.put(REPLICASETS, changed)
        self._tell_scaled(rollout, found, before, replicas)
        return made

    def _tell_scaled(self, rollout: Rollout, found: Obj, before: int, after: int) -> None:
        way = "up" if after > before else "down"
        text = f"Scaled {way} replica set {found['metadata']['name']} from {before} to {after}"
        if after != before:
            self._context.recorder.record(rollout.deployment, self.name, "ScalingReplicaSet", text)

    def _clean_up(self, rollout: Rollout) -> None:
        """Old, empty ReplicaSets beyond revisionHistoryLimit."""
        empty = [old for old in rollout.olds if not old["spec"]["replicas"] and not _pods(old)]
        limit = rollout.deployment["spec"].get("revisionHistoryLimit", 10)
        for old in empty[: max(0, len(rollout.olds) - limit)]:
            self._context.access.delete(REPLICASETS, key_of(old))

    # the Deployment itself

    def _write_revision(self, rollout: Rollout) -> None:
        if rollout.new is None:
            return
        revision = str(revision_of(rollout.new))
        meta = rollout.deployment["metadata"]
        if (meta.get("annotations") or {}).get(REVISION) != revision:
            noted = {**(meta.get("annotations") or {}), REVISION: revision}
            rollout.deployment = self._context.access.put(
                DEPLOYMENTS, {**rollout.deployment, "metadata": {**meta, "annotations": noted}}
            )

    def _write_status(self, rollout: Rollout) -> None:
        old = rollout.deployment.get("status") or {}
        status, deadline = deployment_status(rollout.deployment, rollout.new, rollout.olds, self._context.clock.now())
        if deadline is not None:
            self._context.queue.mark_after(deadline, key_of(rollout.deployment))
        if without_times(status) != without_times(old):
            self._context.access.put_status(DEPLOYMENTS, rollout.deployment, status)


def _pods(found: Obj) -> int:
    return int((found.get("status") or {}).get("replicas", 0))


def _size(found: Obj) -> Size:
    available = (found.get("status") or {}).get("availableReplicas", 0)
    return Size(found["metadata"]["name"], found["spec"]["replicas"], available)
