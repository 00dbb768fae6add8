"""Kinds that only explanations read: kept as they came, whatever shape that has; and events in both API forms."""

import json
from typing import Any

import pytest

from bot.adapters.cluster import kinds
from bot.adapters.cluster.kinds.events import LONGEST
from bot.domain.event import Event
from bot.domain.thing import Thing
from bot.why import needs

META = {
    "name": "glm",
    "namespace": "llm",
    "uid": "u-1",
    "resourceVersion": "7",
    "generation": 3,
    "creationTimestamp": "2026-11-30T10:00:00Z",
    "labels": {"app": "glm"},
    "annotations": {"a": "b", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
    "ownerReferences": [{"kind": "App", "name": "top", "uid": "u-0", "controller": True}],
}


def decoded(plural: str, obj: Any) -> tuple[str, Any]:
    return kinds.decode(kinds.collect()[plural], json.dumps(obj).encode())


def test_a_thing_keeps_its_metadata_and_the_rest_as_it_came() -> None:
    key, thing = decoded("deployments", {"metadata": META, "spec": {"replicas": 2}, "status": {"x": [1]}, "extra": 1})
    assert key == "llm/glm"
    assert isinstance(thing, Thing)
    assert (thing.kind, thing.api_version, thing.generation) == ("Deployment", "apps/v1", 3)
    assert (thing.uid, thing.version, thing.created) == ("u-1", "7", "2026-11-30T10:00:00Z")
    assert (thing.labels, thing.annotations) == ({"app": "glm"}, {"a": "b"})
    assert thing.owner is not None
    assert (thing.owner.kind, thing.owner.name, thing.owner.uid) == ("App", "top", "u-0")
    assert thing.fields.data == {"spec": {"replicas": 2}, "status": {"x": [1]}}


@pytest.mark.parametrize(
    ("obj", "data"),
    [
        pytest.param({}, {}, id="nothing but metadata"),
        pytest.param({"spec": None, "status": []}, {"spec": None, "status": []}, id="parts of other types"),
        pytest.param({"spec": "text"}, {"spec": "text"}, id="a text for a spec"),
        pytest.param({"webhooks": [{"name": "w"}]}, {"webhooks": [{"name": "w"}]}, id="other parts at the top"),
    ],
)
def test_any_shape_is_kept(obj: dict[str, Any], data: dict[str, Any]) -> None:
    thing = decoded("deployments", {"metadata": META, **obj})[1]
    assert thing.fields.data == data


def test_a_foreign_version_is_told_apart_from_the_usual() -> None:
    thing = decoded("deployments", {"apiVersion": "apps/v9alpha1", "metadata": META, "spec": {"new": {}}})[1]
    assert thing.api_version == "apps/v9alpha1"


def test_a_cluster_wide_thing_has_no_namespace() -> None:
    key, thing = decoded("clusterqueues", {"metadata": {"name": "team-a"}, "spec": {}})
    assert (key, thing.key, thing.namespace) == ("team-a", "team-a", "")


@pytest.mark.parametrize(
    ("metadata", "annotations"),
    [
        pytest.param({"annotations": None}, {}, id="no annotations"),
        pytest.param({"annotations": {}}, {}, id="none of them"),
        pytest.param({"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "x"}}, {}, id="only kubectl's"),
    ],
)  # fmt: skip
def test_annotations_are_kept_without_the_copy_of_the_object(metadata: Any, annotations: Any) -> None:
    assert decoded("deployments", {"metadata": {**META, **metadata}})[1].annotations == annotations


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param([], id="a list"),
        pytest.param({}, id="no metadata"),
        pytest.param({"metadata": {"namespace": "llm"}}, id="no name"),
        pytest.param({"metadata": {**META, "annotations": ["a"]}}, id="annotations that are a list"),
        pytest.param({"metadata": {**META, "labels": {"a": 1}}}, id="labels that are numbers"),
    ],
)
def test_what_is_no_object_is_one_error(obj: Any) -> None:
    with pytest.raises(kinds.ObjectError, match=r"not a Deployment: "):
        decoded("deployments", obj)


EVENT_META = {"name": "glm-0.1", "namespace": "llm", "creationTimestamp": "2026-11-30T10:00:00Z"}
ABOUT = {"kind": "Pod", "namespace": "llm", "name": "glm-0", "uid": "u-1"}
CORE = {
    "involvedObject": ABOUT,
    "reason": "FailedScheduling",
    "message": "0/3 nodes",
    "type": "Warning",
    "count": 4,
    "firstTimestamp": "2026-11-30T10:00:00Z",
    "lastTimestamp": "2026-11-30T11:00:00Z",
    "source": {"component": "default-scheduler", "host": "gpu-1"},
}
NEWER = {
    "regarding": ABOUT,
    "reason": "FailedScheduling",
    "note": "0/3 nodes",
    "type": "Warning",
    "deprecatedCount": 4,
    "deprecatedFirstTimestamp": "2026-11-30T10:00:00Z",
    "deprecatedLastTimestamp": "2026-11-30T11:00:00Z",
    "deprecatedSource": {"component": "default-scheduler", "host": "gpu-1"},
}


@pytest.mark.parametrize("form", [pytest.param(CORE, id="the core form"), pytest.param(NEWER, id="the newer form")])
def test_an_event_is_read_in_both_forms(form: dict[str, Any]) -> None:
    key, event = decoded("events", {"metadata": EVENT_META, **form})
    assert key == "llm/glm-0.1"
    assert isinstance(event, Event)
    assert event.about == ("Pod", "llm", "glm-0")
    assert (event.about_uid, event.reason, event.message) == ("u-1", "FailedScheduling", "0/3 nodes")
    assert (event.kind, event.source, event.node, event.count) == ("Warning", "default-scheduler", "gpu-1", 4)
    assert (event.first, event.last) == ("2026-11-30T10:00:00Z", "2026-11-30T11:00:00Z")
    assert event.time == event.last


SERIES = {"series": {"count": 9, "lastObservedTime": "2026-11-30T11:30:00Z"}, "eventTime": "2026-11-30T10:00:00Z"}
TOLD = [
    ({**SERIES}, "time", "2026-11-30T11:30:00Z", "a series tells when it was last seen"),
    ({**SERIES}, "count", 9, "a series tells how often"),
    ({"eventTime": "2026-11-30T10:05:00Z"}, "time", "2026-11-30T10:05:00Z", "a single one tells its time"),
    ({"eventTime": "2026-11-30T10:05:00Z"}, "count", 1, "a single one was seen once"),
    ({}, "time", "2026-11-30T10:00:00Z", "one without times was made at some time"),
    ({"count": -3}, "count", 1, "no event is seen less than once"),
    ({"reportingComponent": "kubelet"}, "source", "kubelet", "who reports, in the newer field"),
    ({"reportingController": "karpenter"}, "source", "karpenter", "who reports, in the newest field"),
    ({"message": "x" * 9_000}, "message", "x" * LONGEST, "a message without end is cut"),
    ({"message": None, "reason": None, "type": None}, "message", "", "nothing said"),
    ({"involvedObject": {"kind": "Node", "name": "gpu-1", "namespace": "default"}}, "about_namespace", "", "nodes have no namespace"),
    ({"involvedObject": None}, "about_name", "", "about nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "field", "value"), [pytest.param(*row[:3], id=row[3]) for row in TOLD])
def test_an_event_tells(more: dict[str, Any], field: str, value: Any) -> None:
    assert getattr(decoded("events", {"metadata": EVENT_META, **more})[1], field) == value


def test_every_kind_that_explanations_ask_for_is_read() -> None:
    assert set(kinds.collect()) >= needs.KINDS
