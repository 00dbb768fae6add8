from datetime import UTC, datetime, timedelta

from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers.events import BURST, Recorder
from bot.local.cluster.store import Store
from tests.local.cluster.controllers.helpers import resource

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", "uid": "u"}}


def a_recorder(**options):
    clock = Clock(speed=1, at=NOW)
    store = Store(clock=clock)
    store.create(resource("namespaces"), "", {"metadata": {"name": "default"}})
    return Recorder(store, clock, **options), store, clock


def events(store):
    return store.list(resource("events"))


def test_the_same_again_is_counted():
    recorder, store, _ = a_recorder()
    for _ in range(3):
        recorder.record(POD, "kubelet", "BackOff", "again")
    [event] = events(store)
    assert event["count"] == 3


def test_the_schedulers_events_have_the_newer_form():
    recorder, store, _ = a_recorder()
    for _ in range(2):
        recorder.record(POD, "default-scheduler", "FailedScheduling", "no")
    [event] = events(store)
    assert event["eventTime"].startswith("2026-11-01T12:00:0")
    assert event["series"]["count"] == 2
    assert event.get("firstTimestamp") is None
    assert event["reportingComponent"] == "default-scheduler"


def test_a_flood_about_one_object_is_cut_and_others_are_heard():
    recorder, store, clock = a_recorder()
    for number in range(BURST * 2):
        recorder.record(POD, "kubelet", "Noise", f"number {number}")
    assert len(events(store)) == BURST
    other = {**POD, "metadata": {**POD["metadata"], "uid": "v"}}
    recorder.record(other, "kubelet", "Noise", "another")
    assert len(events(store)) == BURST + 1
    clock.move_to(NOW + timedelta(minutes=6))
    recorder.record(POD, "kubelet", "Noise", "later")
    assert len(events(store)) == BURST + 2


def test_what_would_have_expired_is_not_written():
    recorder, store, clock = a_recorder(opened_at=NOW + timedelta(hours=2))
    recorder.record(POD, "kubelet", "Old", "old")
    assert events(store) == []
    clock.move_to(NOW + timedelta(minutes=61))
    recorder.record(POD, "kubelet", "Young", "young")
    assert len(events(store)) == 1
