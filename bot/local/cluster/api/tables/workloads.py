"""The tables of workloads: what was asked for, and how much of it is there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.local.cluster.api.tables.columns import (
    AGE,
    NAME,
    NONE,
    UNKNOWN,
    UNSET,
    Column,
    Json,
    at,
    containers,
    field,
    human_duration,
    moment,
    pairs,
)
from bot.local.cluster.api.tables.columns import since as time_since
from bot.local.cluster.store.selectors import from_object, render


def _count(*path: str | int) -> Column:
    name, *rest = path
    return Column(str(name), field(*rest, default=0), type="integer")


def _ready(obj: Json, now: datetime) -> str:
    return f"{at(obj, 'status', 'readyReplicas', default=0)}/{at(obj, 'spec', 'replicas', default=1)}"


def _template(*path: str) -> tuple[Column, Column]:
    def column(name: str, key: str) -> Column:
        return Column(name, lambda obj, now: containers(at(obj, *path), key), 1)

    return column("Containers", "name"), column("Images", "image")


def _selector(obj: Json, now: datetime) -> str:
    return render(from_object(at(obj, "spec", "selector")) or ()) or NONE


def _job_status(job: Json, now: datetime) -> str:
    states = {c["type"] for c in at(job, "status", "conditions", default=[]) if c.get("status") == "True"}
    words = {"Complete": "Complete", "Failed": "Failed", "Suspended": "Suspended", "FailureTarget": "FailureTarget"}
    if at(job, "metadata", "deletionTimestamp"):
        return "Terminating"
    return next((word for state, word in words.items() if state in states), "Running")


def _completions(job: Json, now: datetime) -> str:
    done, wanted = at(job, "status", "succeeded", default=0), at(job, "spec", "completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallel = at(job, "spec", "parallelism", default=0)
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def _duration(job: Json, now: datetime) -> str:
    start, end = moment(at(job, "status", "startTime")), moment(at(job, "status", "completionTime"))
    return "" if start is None else human_duration(int(((end or now) - start).total_seconds()))


def _last_schedule(cron: Json, now: datetime) -> str:
    last = at(cron, "status", "lastScheduleTime")
    return time_since(last, now) if last else NONE


def _suspended(cron: Json, now: datetime) -> str:
    return str(bool(at(cron, "spec", "suspend")))


def _targets(hpa: Json, now: datetime) -> str:
    current = at(hpa, "status", "currentMetrics", default=[])
    told = [
        f"{_metric_value(current[i] if i < len(current) else {}, 'current')}/{_metric_value(metric, 'target')}"
        for i, metric in enumerate(at(hpa, "spec", "metrics", default=[]))
    ]
    return ", ".join(told) or NONE


def _metric_value(metric: Json, side: str) -> str:
    values: Any = at(metric, str(metric.get("type", "")).lower(), side, default={})
    if values.get("averageUtilization") is not None:
        return f"{values['averageUtilization']}%"
    return str(values.get("averageValue") or values.get("value") or UNKNOWN)


def _reference(hpa: Json, now: datetime) -> str:
    return f"{at(hpa, 'spec', 'scaleTargetRef', 'kind')}/{at(hpa, 'spec', 'scaleTargetRef', 'name')}"


def _budget(name: str, key: str) -> Column:
    return Column(name, field("spec", key, default="N/A"))


_IN_TEMPLATE = _template("spec", "template", "spec")
_IN_JOB_TEMPLATE = _template("spec", "jobTemplate", "spec", "template", "spec")
_SELECTOR = Column("Selector", _selector, 1)
_REPLICA_COUNTS = (
    _count("Desired", "spec", "replicas"),
    _count("Current", "status", "replicas"),
    _count("Ready", "status", "readyReplicas"),
)

COLUMNS: Mapping[tuple[str, str], tuple[Column, ...]] = {
    ("apps", "deployments"): (
        *(NAME, Column("Ready", _ready), _count("Up-to-date", "status", "updatedReplicas")),
        *(_count("Available", "status", "availableReplicas"), AGE, *_IN_TEMPLATE, _SELECTOR),
    ),
    ("apps", "replicasets"): (NAME, *_REPLICA_COUNTS, AGE, *_IN_TEMPLATE, _SELECTOR),
    ("", "replicationcontrollers"): (
        *(NAME, *_REPLICA_COUNTS, AGE, *_IN_TEMPLATE),
        Column("Selector", lambda obj, now: pairs(at(obj, "spec", "selector")), 1),
    ),
    ("apps", "statefulsets"): (NAME, Column("Ready", _ready), AGE, *_IN_TEMPLATE),
    ("apps", "daemonsets"): (
        *(NAME, _count("Desired", "status", "desiredNumberScheduled")),
        *(_count("Current", "status", "currentNumberScheduled"), _count("Ready", "status", "numberReady")),
        *(_count("Up-to-date", "status", "updatedNumberScheduled"), _count("Available", "status", "numberAvailable")),
        Column("Node Selector", lambda obj, now: pairs(at(obj, "spec", "template", "spec", "nodeSelector"))),
        *(AGE, *_IN_TEMPLATE, _SELECTOR),
    ),
    ("apps", "controllerrevisions"): (
        *(NAME, Column("Controller", field("metadata", "ownerReferences", 0, "name", default=NONE))),
        *(Column("Revision", field("revision"), type="integer"), AGE),
    ),
    ("batch", "jobs"): (
        *(NAME, Column("Status", _job_status), Column("Completions", _completions), Column("Duration", _duration)),
        *(AGE, *_IN_TEMPLATE, _SELECTOR),
    ),
    ("batch", "cronjobs"): (
        *(NAME, Column("Schedule", field("spec", "schedule"))),
        *(Column("Timezone", field("spec", "timeZone", default=NONE)), Column("Suspend", _suspended)),
        Column("Active", lambda obj, now: len(at(obj, "status", "active", default=[])), type="integer"),
        *(Column("Last Schedule", _last_schedule), AGE, *_IN_JOB_TEMPLATE),
    ),
    ("autoscaling", "horizontalpodautoscalers"): (
        *(NAME, Column("Reference", _reference), Column("Targets", _targets)),
        *(Column("MinPods", field("spec", "minReplicas", default=UNSET)), _count("MaxPods", "spec", "maxReplicas")),
        *(_count("Replicas", "status", "currentReplicas"), AGE),
    ),
    ("policy", "poddisruptionbudgets"): (
        *(NAME, _budget("Min Available", "minAvailable"), _budget("Max Unavailable", "maxUnavailable")),
        *(_count("Allowed Disruptions", "status", "disruptionsAllowed"), AGE),
    ),
}
