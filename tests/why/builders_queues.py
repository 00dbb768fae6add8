"""Builders for queues, gangs and node autoscalers, and a view that reads all their kinds."""

from typing import Any

from bot.domain.event import Event
from bot.domain.node import Condition
from bot.domain.pod import Container, Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.thing import Thing, plural
from bot.domain.view import View
from bot.why.case import Case
from bot.why.finding import Stage
from tests.factories import NOW, a_pod, a_view
from tests.why.builders_owners import a_thing, ago, an_event, asked, found, words

GPU = "nvidia.com/gpu"
KUEUE, VOLCANO, KAI = "kueue.x-k8s.io/v1beta1", "scheduling.volcano.sh/v1beta1", "scheduling.run.ai/v2alpha2"
TABLES = (
    "workloads localqueues clusterqueues resourceflavors admissionchecks podgroups volcanoqueues volcanojobs kaiqueues "
    "kaipodgroups coschedulinggroups leaderworkersets jobsets statefulsets nodepools nodeclaims events"
).split()
BY_GROUP = {
    ("scheduling.volcano.sh", "Queue"): "volcanoqueues",
    ("batch.volcano.sh", "Job"): "volcanojobs",
    ("scheduling.run.ai", "Queue"): "kaiqueues",
    ("scheduling.run.ai", "PodGroup"): "kaipodgroups",
    ("scheduling.x-k8s.io", "PodGroup"): "coschedulinggroups",
}
UNSCHEDULABLE = Condition("PodScheduled", "False", "Unschedulable", f"0/4 nodes are available: 4 Insufficient {GPU}.")
GATED = Condition("PodScheduled", "False", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates")


def queues_view(*records: Any, unread: tuple[str, ...] = ()) -> View:
    """As `a_view`, with every kind that these stages read."""
    own = (Thing, Event)
    view = a_view(*(one for one in records if not isinstance(one, own)), unread=unread)
    for table in TABLES:
        reading = Reading.FORBIDDEN if table in unread else Reading.LIVE
        view.sources[table] = Source(table, reading, None if table in unread else NOW, f"needs `list {table}`")
    for one in records:
        if isinstance(one, Event):
            view.put("events", f"{one.namespace}/{one.name}", one)
        elif isinstance(one, Thing):
            group = one.api_version.partition("/")[0]
            view.put(BY_GROUP.get((group, one.kind)) or plural(one.kind), one.key, one)
    return view


def a_waiting(name: str = "glm-0", *, gpus: int = 1, condition: Condition = UNSCHEDULABLE, **changed: Any) -> Pod:
    """A pod without a node, unless one is named."""
    defaults: dict[str, Any] = {"conditions": (condition,), "created": ago(hours=1), "uid": f"uid-{name}"}
    return a_pod(name, gpus=gpus, **({"node": ""} | defaults | changed))


def a_template(gpus: int, resource: str = GPU) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "c", "resources": {"limits": {resource: str(gpus)}}}]}}


def a_job(name: str = "train", *, queue: str = "main", suspend: bool = True, gpus: int = 1, **changed: Any) -> Thing:
    labels = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
    spec = {"suspend": suspend, "parallelism": 1, "template": a_template(gpus)}
    return a_thing("Job", name, spec=spec, labels=labels, **changed)


def a_workload(
    job: str, gpus: int = 1, *, admitted: bool = False, message: str = "", reason: str = "Pending", **changed: Any
) -> Thing:
    """Of a job of that name; admitted ones hold their GPUs of flavor `default` in `team-a`."""
    status: dict[str, Any] = {"conditions": []}
    if admitted:
        assigned = [{"name": "main", "flavors": {GPU: "default"}, "resourceUsage": {GPU: str(gpus)}, "count": 1}]
        status["admission"] = {"clusterQueue": "team-a", "podSetAssignments": assigned}
        for kind in ("QuotaReserved", "Admitted"):
            status["conditions"].append({"type": kind, "status": "True", "lastTransitionTime": ago(hours=1)})
    elif message or reason:
        told = {"type": "QuotaReserved", "status": "False", "reason": reason, "message": message}
        status["conditions"].append(told)
    status |= changed.pop("status", {})
    spec = {"queueName": "main", "podSets": [{"name": "main", "count": 1, "template": a_template(gpus)}]}
    owner = Owner("Job", job, f"uid-Job-llm-{job}")
    thing = a_thing("Workload", f"job-{job}-1", spec=spec | changed.pop("spec", {}), status=status, **changed)
    return _with_owner(thing, owner)


def _with_owner(thing: Thing, owner: Owner) -> Thing:
    fields = {name: getattr(thing, name) for name in thing.__struct_fields__}
    return type(thing)(**(fields | {"owner": owner, "api_version": KUEUE}))


def a_local_queue(name: str = "main", queue: str = "team-a", **spec: Any) -> Thing:
    return a_thing("LocalQueue", name, spec={"clusterQueue": queue, **spec})


def a_cluster_queue(
    name: str = "team-a",
    nominal: int = 8,
    used: int = 0,
    *,
    flavor: str = "default",
    limits: dict[str, str] | None = None,
    conditions: tuple[dict[str, str], ...] = (),
    **spec: Any,
) -> Thing:
    cell = {"name": GPU, "nominalQuota": str(nominal), **(limits or {})}
    groups = [{"coveredResources": [GPU], "flavors": [{"name": flavor, "resources": [cell]}]}]
    reserved = [{"name": flavor, "resources": [{"name": GPU, "total": str(used)}]}]
    status = {"flavorsReservation": reserved, "conditions": list(conditions)}
    return a_thing("ClusterQueue", name, "", spec={"resourceGroups": groups, **spec}, status=status)


def a_flavor(name: str = "default") -> Thing:
    return a_thing("ResourceFlavor", name, "", spec={})


def a_group_pod(index: int, worker: int, *, node: str = "", lws: str = "vllm", gpus: int = 1, **changed: Any) -> Pod:
    """A pod of a LeaderWorkerSet; worker 0 is the leader."""
    labels = {
        "leaderworkerset.sigs.k8s.io/name": lws,
        "leaderworkerset.sigs.k8s.io/group-index": str(index),
        "leaderworkerset.sigs.k8s.io/worker-index": str(worker),
    } | changed.pop("labels", {})
    name = f"{lws}-{index}" if worker == 0 else f"{lws}-{index}-{worker}"
    if not node:
        return a_waiting(name, gpus=gpus, labels=labels, **changed)
    return a_pod(name, node=node, gpus=gpus, labels=labels, uid=f"uid-{name}", **changed)


def an_lws(name: str = "vllm", replicas: int = 4, size: int = 2, gpus: int = 1, **spec: Any) -> Thing:
    template = {"size": size, "workerTemplate": a_template(gpus)}
    return a_thing("LeaderWorkerSet", name, spec={"replicas": replicas, "leaderWorkerTemplate": template, **spec})


def an_autoscaler(**changed: Any) -> Pod:
    defaults: dict[str, Any] = {
        "labels": {"app": "cluster-autoscaler"},
        "containers": (Container("cluster-autoscaler"),),
        "gpus": 0,
        "node": "cpu-1",
    }
    return a_pod("cluster-autoscaler-0", namespace="kube-system", **(defaults | changed))


def told(stage: Stage, case: Case) -> str:
    """Every finding: id, level, all its words, its groups."""
    parts = []
    for one in found(stage, case):
        lines = "\n".join(line for group in one.groups for line in (group.title, *group.lines))
        parts.append(f"{one.id} {one.level.name}\n{words(one)}\n{lines}")
    return "\n".join(parts)


__all__ = ["a_thing", "ago", "an_event", "asked", "found", "words"]
