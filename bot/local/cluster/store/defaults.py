"""The fields that the API fills in, for the kinds that controllers, schedulers and people read.

Every function here changes the object it is given: `Store` hands over a copy that nobody else holds.
Source: kubernetes/kubernetes:pkg/apis/{core,apps,batch,autoscaling}/v1/defaults.go and plugin/pkg/admission.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.local.cluster.store.resources import Resource

Json = dict[str, Any]
_TOLERATED_SECONDS = 300


def fill_in(resource: Resource, obj: Json) -> None:
    """Set what was left out, in place."""
    if fill := _BY_KEY.get(resource.key):
        fill(obj)


def _set(target: Json, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        target.setdefault(key, value)


def _section(obj: Json, name: str) -> Json:
    if not isinstance(obj.get(name), dict):
        obj[name] = {}
    section: Json = obj[name]
    return section


def _pod_spec(spec: Json) -> None:
    _set(spec, {"restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst"})
    _set(spec, {"schedulerName": "default-scheduler", "securityContext": {}})
    for container in [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]:
        _container(container)


def _container(container: Json) -> None:
    tag = str(container.get("image", "")).rpartition("/")[2].partition(":")[2]
    pull = "Always" if tag in ("", "latest") and "@" not in str(container.get("image", "")) else "IfNotPresent"
    _set(container, {"resources": {}, "imagePullPolicy": pull})
    _set(container, {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"})
    resources = container["resources"]
    if limits := resources.get("limits"):
        resources["requests"] = {**limits, **(resources.get("requests") or {})}
    for port in container.get("ports") or []:
        port.setdefault("protocol", "TCP")


def _pod(obj: Json) -> None:
    spec = _section(obj, "spec")
    _pod_spec(spec)
    _set(
        spec, {"enableServiceLinks": True, "serviceAccountName": "default", "preemptionPolicy": "PreemptLowerPriority"}
    )
    status = _section(obj, "status")
    _set(status, {"phase": "Pending", "qosClass": quality_of_service(spec)})
    tolerations = spec.setdefault("tolerations", [])
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
        if not any(_tolerates_no_execute(toleration, key) for toleration in tolerations):
            toleration = {"key": key, "operator": "Exists", "effect": "NoExecute"}
            tolerations.append({**toleration, "tolerationSeconds": _TOLERATED_SECONDS})


def _tolerates_no_execute(toleration: Mapping[str, Any], key: str) -> bool:
    return toleration.get("key") in (key, None, "") and toleration.get("effect") in ("NoExecute", None, "")


def quality_of_service(spec: Mapping[str, Any]) -> str:
    """Return the pod's QoS class: Guaranteed, Burstable or BestEffort, by CPU and memory alone."""
    guaranteed, any_set = True, False
    for container in spec.get("containers") or []:
        resources = container.get("resources") or {}
        requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
        for name in ("cpu", "memory"):
            any_set = any_set or name in requests or name in limits
            guaranteed = guaranteed and name in limits and requests.get(name) == limits[name]
    return "Guaranteed" if guaranteed and any_set else "Burstable" if any_set else "BestEffort"


def _template(obj: Json) -> Json:
    spec = _section(obj, "spec")
    template = _section(spec, "template")
    _section(template, "metadata")
    _pod_spec(_section(template, "spec"))
    _section(obj, "status")
    return spec


def _deployment(obj: Json) -> None:
    spec = _template(obj)
    _set(spec, {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600})
    strategy = _section(spec, "strategy")
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        _set(_section(strategy, "rollingUpdate"), {"maxSurge": "25%", "maxUnavailable": "25%"})


def _replica_set(obj: Json) -> None:
    _set(_template(obj), {"replicas": 1})
    _set(_section(obj, "status"), {"replicas": 0})


def _stateful_set(obj: Json) -> None:
    spec = _template(obj)
    _set(spec, {"replicas": 1, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10})
    _set(spec, {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}})
    _set(spec, {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"}})
    _set(_section(obj, "status"), {"replicas": 0, "availableReplicas": 0})


def _daemon_set(obj: Json) -> None:
    spec = _template(obj)
    rolling = {"maxSurge": 0, "maxUnavailable": 1}
    _set(spec, {"revisionHistoryLimit": 10, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling}})
    counts = ("currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady")
    _set(_section(obj, "status"), dict.fromkeys(counts, 0))


def _job_spec(spec: Json) -> None:
    _set(spec, {"parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False})
    if spec["parallelism"] == 1:
        spec.setdefault("completions", 1)
    _pod_spec(_section(_section(spec, "template"), "spec"))


def _job(obj: Json) -> None:
    _job_spec(_section(obj, "spec"))
    _section(obj, "status")


def _cron_job(obj: Json) -> None:
    spec = _section(obj, "spec")
    _set(spec, {"concurrencyPolicy": "Allow", "suspend": False})
    _set(spec, {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1})
    _section(obj, "status")


def _autoscaler(obj: Json) -> None:
    spec = _section(obj, "spec")
    utilization = {"target": {"type": "Utilization", "averageUtilization": 80}}
    _set(spec, {"minReplicas": 1, "metrics": [{"type": "Resource", "resource": {"name": "cpu", **utilization}}]})
    _section(obj, "status")


def _namespace(obj: Json) -> None:
    metadata = obj["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata["name"]}
    _set(_section(obj, "spec"), {"finalizers": ["kubernetes"]})
    _set(_section(obj, "status"), {"phase": "Active"})


def _service(obj: Json) -> None:
    spec = _section(obj, "spec")
    _set(spec, {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"})
    for port in spec.get("ports") or []:
        _set(port, {"protocol": "TCP", "targetPort": port.get("port")})
    _section(obj, "status").setdefault("loadBalancer", {})


def _claim(obj: Json) -> None:
    _section(obj, "spec").setdefault("volumeMode", "Filesystem")
    _section(obj, "status").setdefault("phase", "Pending")


def _volume(obj: Json) -> None:
    _set(_section(obj, "spec"), {"volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain"})
    _section(obj, "status").setdefault("phase", "Pending")


def _storage_class(obj: Json) -> None:
    _set(obj, {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"})


def _sections(obj: Json) -> None:
    _section(obj, "spec")
    _section(obj, "status")


def _secret(obj: Json) -> None:
    obj.setdefault("type", "Opaque")


def _priority_class(obj: Json) -> None:
    _set(obj, {"preemptionPolicy": "PreemptLowerPriority"})


_BY_KEY: Mapping[tuple[str, str], Callable[[Json], None]] = {
    ("", "pods"): _pod,
    ("", "nodes"): _sections,
    ("", "namespaces"): _namespace,
    ("", "services"): _service,
    ("", "persistentvolumeclaims"): _claim,
    ("", "persistentvolumes"): _volume,
    ("", "secrets"): _secret,
    ("", "resourcequotas"): _sections,
    ("", "replicationcontrollers"): _replica_set,
    ("apps", "deployments"): _deployment,
    ("apps", "replicasets"): _replica_set,
    ("apps", "statefulsets"): _stateful_set,
    ("apps", "daemonsets"): _daemon_set,
    ("batch", "jobs"): _job,
    ("batch", "cronjobs"): _cron_job,
    ("autoscaling", "horizontalpodautoscalers"): _autoscaler,
    ("policy", "poddisruptionbudgets"): _sections,
    ("scheduling.k8s.io", "priorityclasses"): _priority_class,
    ("storage.k8s.io", "storageclasses"): _storage_class,
    ("resource.k8s.io", "resourceclaims"): _sections,
}
