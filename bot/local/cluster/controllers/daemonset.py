"""DaemonSets: one pod on every node that suits. Source: kubernetes/kubernetes:pkg/controller/daemon/."""

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.controllers.access import DAEMONSETS, NODES, PODS, Key, Obj, key_of
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.owned import PodSet, controller_of
from bot.local.cluster.controllers.pods import pod_from
from bot.local.cluster.controllers.revisions import LABEL, ensure_revision
from bot.local.cluster.controllers.rollout import resolve
from bot.local.cluster.controllers.scheduler.affinity import REQUIRED, matches_node
from bot.local.cluster.controllers.scheduler.node import NodeView, view_node
from bot.local.cluster.controllers.scheduler.pod import view_pod
from bot.local.cluster.controllers.scheduler.taints import first_untolerated
from bot.local.cluster.store import Change

TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)


class DaemonSetController:
    name = "daemonset-controller"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sets: set[Key] = set()
        self._nodes: dict[str, NodeView] = {}

    def observe(self, change: Change) -> None:
        obj = change.new
        if change.resource.key == DAEMONSETS.key:
            self._observe_set(key_of(obj), gone=change.type == "DELETED")
        elif change.resource.key == NODES.key:
            self._observe_node(obj, gone=change.type == "DELETED")
        elif change.resource.key == PODS.key:
            owner = controller_of(obj)
            if owner and owner["kind"] == "DaemonSet":
                self._context.queue.mark((obj["metadata"]["namespace"], owner["name"]))

    def _observe_set(self, key: Key, *, gone: bool) -> None:
        if gone:
            self._sets.discard(key)
        else:
            self._sets.add(key)
            self._context.queue.mark(key)

    def _observe_node(self, obj: Mapping[str, Any], *, gone: bool) -> None:
        node, old = view_node(obj), self._nodes.get(obj["metadata"]["name"])
        if gone:
            self._nodes.pop(node.name, None)
        elif old and (old.labels, old.taints) == (node.labels, node.taints):
            return
        else:
            self._nodes[node.name] = node
        for key in self._sets:
            self._context.queue.mark(key)

    def reconcile(self, key: Key) -> None:
        found = self._context.access.find(DAEMONSETS, key)
        if found is None or found["metadata"].get("deletionTimestamp"):
            return
        revision = ensure_revision(self._context, found)
        pods = self._context.owned.of(found["metadata"]["uid"])
        wanted = self._wanted(found)
        for pod_key in (*pods.failed, *pods.succeeded):
            self._context.access.delete(PODS, pod_key)
        self._place(found, pods, wanted, revision)
        self._update(found, pods, len(wanted), revision)
        self._write_status(found, pods, wanted, revision)

    def _wanted(self, found: Obj) -> set[str]:
        meta = {"name": "", "namespace": found["metadata"]["namespace"]}
        pod = view_pod({"metadata": meta, "spec": _tolerant(found["spec"]["template"]["spec"])})
        nodes = self._nodes.values()
        return {n.name for n in nodes if matches_node(pod, n) and first_untolerated(pod.tolerations, n.taints) is None}

    def _place(self, found: Obj, pods: PodSet, wanted: set[str], revision: str) -> None:
        there = {node_of(pod): key for key, pod in {**pods.active, **pods.terminating}.items()}
        for name in sorted(wanted - there.keys()):
            template = {**found["spec"]["template"], "spec": _pinned(found["spec"]["template"]["spec"], name)}
            pod = pod_from(template, found, labels={LABEL: revision, "pod-template-generation": "1"})
            made = self._context.access.create(PODS, found["metadata"]["namespace"], pod)
            text = f"Created pod: {made['metadata']['name']}"
            self._context.recorder.record(found, self.name, "SuccessfulCreate", text)
        for key, pod in list(pods.active.items()):
            if node_of(pod) not in wanted:
                self._context.access.delete(PODS, key)

    def _update(self, found: Obj, pods: PodSet, wanted: int, revision: str) -> None:
        strategy = found["spec"].get("updateStrategy") or {}
        old = [k for k, p in pods.active.items() if p["metadata"]["labels"].get(LABEL) != revision]
        if not old or strategy.get("type") == "OnDelete":
            return
        allowed = resolve((strategy.get("rollingUpdate") or {}).get("maxUnavailable", 1), wanted, up=True)
        spare = max(1, allowed) - (wanted - len(pods.ready))
        broken = [k for k in old if k not in pods.ready]
        for key in [*broken, *[k for k in sorted(old) if k in pods.ready][: max(0, spare)]]:
            self._context.access.delete(PODS, key)

    def _write_status(self, found: Obj, pods: PodSet, wanted: set[str], revision: str) -> None:
        placed = [pod for pod in pods.active.values() if node_of(pod) in wanted]
        status = {
            "observedGeneration": found["metadata"].get("generation", 1),
            "currentNumberScheduled": len(placed),
            "desiredNumberScheduled": len(wanted),
            "numberMisscheduled": len(pods.active) - len(placed),
            "numberReady": len(pods.ready),
            "numberAvailable": len(pods.ready),
            "numberUnavailable": len(wanted) - len(pods.ready),
            "updatedNumberScheduled": sum(p["metadata"]["labels"].get(LABEL) == revision for p in placed),
        }
        if status != (found.get("status") or {}):
            self._context.access.put_status(DAEMONSETS, found, status)


def node_of(pod: Mapping[str, Any]) -> str:
    """The node that a DaemonSet's pod is for: where it is bound, or what its affinity names."""
    if bound := pod["spec"].get("nodeName"):
        return str(bound)
    terms = pod["spec"]["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    return str(terms[0]["matchFields"][0]["values"][0])


def _tolerant(spec: Mapping[str, Any]) -> Obj:
    added = [{"key": key, "operator": "Exists", "effect": effect} for key, effect in TOLERATED]
    if spec.get("hostNetwork"):
        key = "node.kubernetes.io/network-unavailable"
        added.append({"key": key, "operator": "Exists", "effect": "NoSchedule"})
    return {**spec, "tolerations": [*(spec.get("tolerations") or ()), *added]}


def _pinned(spec: Mapping[str, Any], node: str) -> Obj:
    """Only for `node`, on top of what the template's own affinity asks for."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    affinity = dict(spec.get("affinity") or {})
    own = (affinity.get("nodeAffinity") or {}).get(REQUIRED) or {}
    terms: list[Obj] = [{**term, "matchFields": [field]} for term in own.get("nodeSelectorTerms") or [Obj()]]
    affinity["nodeAffinity"] = {**(affinity.get("nodeAffinity") or {}), REQUIRED: {"nodeSelectorTerms": terms}}
    return {**_tolerant(spec), "affinity": affinity}
