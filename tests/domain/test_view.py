"""A view's indexes as records come and go, and what it says of its sources."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.domain.dra import Allocated, Device, ResourceClaim, ResourceSlice
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.view import View

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
FOUR: dict[str, int] = {"cpu": 4000, "nvidia.com/gpu": 4}


def pod(name: str = "a", **fields: Any) -> Pod:
    return Pod(name=name, namespace="ml", **({"requests": FOUR, "phase": "Running", "node": "n1"} | fields))


def view_with(*pods: Pod) -> View:
    view = View("test")
    for one in pods:
        view.put("pods", one.key, one)
    return view


def test_pods_of_a_node_are_added_up() -> None:
    view = view_with(pod("a"), pod("b"))
    assert view.requested_on("n1") == {"cpu": 8000, "nvidia.com/gpu": 8, "pods": 2}
    assert {one.name for one in view.on_node("n1")} == {"a", "b"}


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_stays_on_its_node_and_holds_nothing(phase: str) -> None:
    view = view_with(pod())
    view.put("pods", "ml/a", pod(phase=phase))
    assert view.requested == {}
    assert {one.phase for one in view.on_node("n1")} == {phase}


def test_a_terminating_pod_still_counts() -> None:
    assert view_with(pod(deleted="2026-12-01T00:00:00Z")).requested_on("n1")["nvidia.com/gpu"] == 4


def test_a_pod_that_is_bound_waits_no_more() -> None:
    view = view_with(pod(node="", phase="Pending"))
    assert {one.name for one in view.waiting} == {"a"}
    view.put("pods", "ml/a", pod())
    assert not view.waiting


def test_a_pod_that_finishes_without_a_node_waits_no_more() -> None:
    view = view_with(pod(node="", phase="Pending"))
    view.put("pods", "ml/a", pod(node="", phase="Failed"))
    assert not view.waiting


def test_a_pod_that_moves_is_counted_where_it_is() -> None:
    view = view_with(pod())
    view.put("pods", "ml/a", pod(node="n2"))
    assert set(view.requested) == {"n2"}
    assert set(view.pods_by_node) == {"n2"}


def test_a_pod_that_asks_for_less_is_counted_with_less() -> None:
    view = view_with(pod())
    view.put("pods", "ml/a", pod(requests={"cpu": 1}))
    assert view.requested_on("n1") == {"cpu": 1, "pods": 1}


def test_pods_are_found_by_the_uid_of_their_owner() -> None:
    view = view_with(pod(owner=Owner("ReplicaSet", "rs", "u1")))
    assert {one.name for one in view.pods_by_owner["u1"]} == {"a"}
    view.take("pods", "ml/a")
    assert view.pods_by_owner == {}


def test_taking_the_last_pod_leaves_no_trace() -> None:
    view = view_with(pod())
    view.take("pods", "ml/a")
    assert (view.pods, view.pods_by_node, view.requested, view.waiting) == ({}, {}, {}, set())


def test_taking_what_is_not_there_changes_nothing() -> None:
    view = view_with(pod())
    view.take("pods", "ml/other")
    assert view.requested_on("n1")["pods"] == 1


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        pytest.param(lambda view: view.put("pods", "ml/b", pod("b")), {"n1"}, id="a new pod"),
        pytest.param(lambda view: view.put("pods", "ml/a", pod(node="n2")), {"n1", "n2"}, id="a pod that moves"),
        pytest.param(
            lambda view: view.put("pods", "ml/a", pod(deleted="now")), {"n1"}, id="a pod that is being deleted"
        ),
        pytest.param(
            lambda view: view.put("pods", "ml/a", pod(reason="Noise")), set(), id="a status that counts for nothing"
        ),
        pytest.param(lambda view: view.put("pods", "ml/w", pod("w", node="")), set(), id="a pod that waits"),
        pytest.param(lambda view: view.take("pods", "ml/a"), {"n1"}, id="a pod that goes"),
        pytest.param(lambda view: view.put("nodes", "n3", Node(name="n3")), {"n3"}, id="a node"),
    ],
)
def test_watchers_collect_the_nodes_that_changed(change: Any, touched: set[str]) -> None:
    view = view_with(pod())
    watcher: set[str] = set()
    view.watchers.append(watcher)
    change(view)
    assert watcher == touched


def test_a_claim_holds_its_devices_and_touches_their_node() -> None:
    view = View("test")
    device = Allocated("gpu.nvidia.com", "n1", "gpu-0")
    view.put(
        "resourceslices",
        "s",
        ResourceSlice(name="s", driver="gpu.nvidia.com", pool="n1", node="n1", devices=(Device("gpu-0"),)),
    )
    watcher: set[str] = set()
    view.watchers.append(watcher)
    claim = ResourceClaim(name="c", namespace="ml", allocated=(device,))
    view.put("resourceclaims", "ml/c", claim)
    assert (view.devices.holders, watcher) == ({device: [claim]}, {"n1"})
    view.take("resourceclaims", "ml/c")
    assert view.devices.holders == {}


@pytest.mark.parametrize(
    ("reading", "known"),
    [
        (Reading.LIVE, True),
        (Reading.READ, True),
        (Reading.STALE, True),
        (Reading.ABSENT, True),
        (Reading.FORBIDDEN, False),
        (Reading.SILENT, False),
        (Reading.UNREAD, False),
    ],
)
def test_what_was_not_read_may_not_be_counted(reading: Reading, known: bool) -> None:
    view = View("test")
    view.sources["pods"] = Source("pods", reading)
    assert view.knows("pods") is known
    assert [source.name for source in view.unknown()] == ([] if known else ["pods"])


def test_a_kind_nobody_spoke_of_is_unread() -> None:
    assert View("test").source("pods") == Source("pods", Reading.UNREAD)


def test_the_oldest_word_is_that_of_the_kind_that_was_silent_longest() -> None:
    view = View("test")
    view.sources["pods"] = Source("pods", Reading.LIVE, NOW)
    view.sources["nodes"] = Source("nodes", Reading.STALE, NOW - timedelta(minutes=5))
    view.sources["jobs"] = Source("jobs", Reading.FORBIDDEN, NOW - timedelta(hours=1))
    assert view.oldest("pods", "nodes", "jobs") == NOW - timedelta(minutes=5)
    assert view.oldest("jobs") is None


def test_an_age_is_never_negative() -> None:
    assert Source("pods", Reading.LIVE, NOW).age_seconds(NOW - timedelta(seconds=3)) == 0.0
    assert Source("pods", Reading.SILENT).age_seconds(NOW) is None
