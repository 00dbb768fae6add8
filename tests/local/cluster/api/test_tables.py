"""The cells that people read: pod words, ages, counts, and what a definition prints."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.local.cluster.api.tables import BUILT_IN, table
from bot.local.cluster.api.tables.columns import human_duration
from bot.local.cluster.api.tables.pods import status_word
from bot.local.cluster.api.tables.printed import declared_columns
from bot.local.cluster.store import RESOURCES

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        *[(-5, "<invalid>"), (0, "0s"), (119, "119s"), (120, "2m"), (215, "3m35s"), (3600, "60m"), (10800, "3h")],
        *[(12300, "3h25m"), (86400, "24h"), (172800, "2d"), (190800, "2d5h"), (691200, "8d"), (34560000, "400d")],
        *[(63072000, "2y"), (70000000, "2y80d"), (320000000, "10y")],
    ],
)
def test_durations_are_written_as_kubectl_writes_them(seconds: int, written: str) -> None:
    assert human_duration(seconds) == written


def container(**state: Any) -> dict[str, Any]:
    return {"name": "c", "ready": state.pop("ready", False), "state": state}


def waiting(reason: str) -> dict[str, Any]:
    return container(waiting={"reason": reason})


@pytest.mark.parametrize(
    ("status", "metadata", "word"),
    [
        pytest.param({"phase": "Pending"}, {}, "Pending", id="a phase"),
        pytest.param({"phase": "Failed", "reason": "Evicted"}, {}, "Evicted", id="the pod's own reason"),
        pytest.param(
            {"phase": "Running", "containerStatuses": [waiting("CrashLoopBackOff")]}, {}, "CrashLoopBackOff",
            id="a container's reason",
        ),
        pytest.param(
            {"phase": "Running", "containerStatuses": [container(terminated={"exitCode": 137})]}, {}, "ExitCode:137",
            id="an exit code without a reason",
        ),
        pytest.param(
            {"phase": "Pending", "initContainerStatuses": [waiting("PodInitializing")]}, {}, "Init:0/1",
            id="how far the init containers are",
        ),
        pytest.param(
            {"phase": "Pending", "initContainerStatuses": [container(terminated={"exitCode": 1, "reason": "Error"})]},
            {}, "Init:Error", id="an init container's failure",
        ),
        pytest.param(
            {"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]}, {},
            "SchedulingGated", id="gated",
        ),
        pytest.param(
            {"phase": "Running", "containerStatuses": [waiting("x")]}, {"deletionTimestamp": "t"}, "Terminating",
            id="on its way out",
        ),
        pytest.param({"phase": "Failed"}, {"deletionTimestamp": "t"}, "Failed", id="finished before it was deleted"),
        pytest.param(
            {"phase": "Running", "reason": "NodeLost"}, {"deletionTimestamp": "t"}, "Unknown", id="its node is lost"
        ),
    ],
)  # fmt: skip
def test_a_pods_status_word(status: dict[str, Any], metadata: dict[str, Any], word: str) -> None:
    spec = {"containers": [{"name": "c"}], "initContainers": [{"name": "c"}]}
    assert status_word({"metadata": metadata, "spec": spec, "status": status}) == word


def cells(kind: tuple[str, str], obj: dict[str, Any]) -> dict[str, Any]:
    obj = {**obj, "metadata": {"name": "n", "creationTimestamp": "2026-01-01T23:58:00Z", **obj.get("metadata", {})}}
    made = table(BUILT_IN[kind], [obj], {}, NOW)
    names = [definition["name"] for definition in made["columnDefinitions"]]
    return dict(zip(names, made["rows"][0]["cells"], strict=True))


def job(*conditions: str) -> dict[str, Any]:
    told = [{"type": kind, "status": "True"} for kind in conditions]
    return {"spec": {"completions": 3}, "status": {"succeeded": 1, "conditions": told}}


CLAIM = {"spec": {"accessModes": ["ReadWriteOnce"]}, "status": {"phase": "Bound", "capacity": {"storage": "5Gi"}}}
UTILIZATION = {"type": "Resource", "resource": {"target": {"averageUtilization": 80}}}


@pytest.mark.parametrize(
    ("kind", "obj", "column", "cell"),
    [
        pytest.param(("", "nodes"), {"spec": {"unschedulable": True}}, "Status", "Unknown,SchedulingDisabled", id="node"),
        pytest.param(("", "nodes"), {"metadata": {"labels": {"node-role.kubernetes.io/gpu": ""}}}, "Roles", "gpu", id="role"),
        pytest.param(("apps", "deployments"), {"spec": {"replicas": 3}, "status": {"readyReplicas": 1}}, "Ready", "1/3", id="deployment"),
        pytest.param(("batch", "jobs"), job(), "Completions", "1/3", id="job progress"),
        pytest.param(("batch", "jobs"), job("Failed"), "Status", "Failed", id="job state"),
        pytest.param(("", "persistentvolumeclaims"), CLAIM, "Access Modes", "RWO", id="claim"),
        pytest.param(("", "services"), {"spec": {"ports": [{"port": 80, "nodePort": 30080}]}}, "Port(s)", "80:30080/TCP", id="service"),
        pytest.param(("autoscaling", "horizontalpodautoscalers"), {"spec": {"metrics": [UTILIZATION]}}, "Targets", "<unknown>/80%", id="autoscaler"),
        pytest.param(("resource.k8s.io", "resourceclaims"), {"status": {"allocation": {"x": 1}}}, "State", "allocated", id="device claim"),
        pytest.param(("", "events"), {"lastTimestamp": "2026-01-01T23:59:00Z", "involvedObject": {"kind": "Pod", "name": "p"}}, "Last Seen", "60s", id="event age"),
        pytest.param(("", "resourcequotas"), {"status": {"hard": {"requests.nvidia.com/gpu": "8"}, "used": {"requests.nvidia.com/gpu": "2"}}}, "Request", "requests.nvidia.com/gpu: 2/8", id="quota"),
    ],
)  # fmt: skip
def test_cells(kind: tuple[str, str], obj: dict[str, Any], column: str, cell: str) -> None:
    assert cells(kind, obj)[column] == cell


@pytest.mark.parametrize("resource", [pytest.param(RESOURCES[key], id="/".join(key)) for key in BUILT_IN])
def test_every_table_prints_a_bare_object(resource: Any) -> None:
    assert "n" in cells(resource.key, {}).values()


def test_a_definitions_columns_are_followed_into_the_object() -> None:
    ready = {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'}
    first = {"name": "First", "type": "string", "jsonPath": ".spec.hosts[0]"}
    made = {"name": "Made", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
    label = {"name": "Team", "type": "string", "jsonPath": r".metadata.labels.x\.io/team"}
    columns = declared_columns({"additionalPrinterColumns": [ready, first, made, label]})
    metadata = {"name": "t", "creationTimestamp": "2026-01-01T23:59:00Z", "labels": {"x.io/team": "ml"}}
    status = {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]}
    obj = {"metadata": metadata, "spec": {"hosts": ["a", "b"]}, "status": status}
    assert table(columns, [obj], {}, NOW)["rows"][0]["cells"] == ["t", "True", "a", "60s", "ml"]
    assert table(columns, [{"metadata": {"name": "t"}}], {}, NOW)["rows"][0]["cells"] == ["t", "", "", "<unknown>", ""]
