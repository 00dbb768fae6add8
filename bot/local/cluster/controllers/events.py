"""Events about objects: repeated ones are counted, floods are cut, as client-go does it.

Source: kubernetes/client-go:tools/record/events_cache.go (25 events of one object at once, then one in five minutes).
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.local.cluster.clock import Clock, rfc3339, rfc3339_micro
from bot.local.cluster.controllers.access import EVENTS, NOT_FOUND, Obj
from bot.local.cluster.store import ApiError, Store

BURST = 25
REFILL = timedelta(minutes=5)
REMEMBERED = 4096
KEPT = timedelta(hours=1)  # kube-apiserver's --event-ttl


@dataclass(slots=True)
class _Budget:
    left: int
    since: datetime


class Recorder:
    """Writes Events. `opened_at` says what is history: an event more than an hour older would be gone by then."""

    def __init__(self, store: Store, clock: Clock, *, opened_at: datetime | None = None) -> None:
        self._store, self._clock = store, clock
        self._oldest = opened_at - KEPT if opened_at else None
        self._seen: OrderedDict[tuple[str, str, str], tuple[str, str]] = OrderedDict()
        self._budgets: OrderedDict[str, _Budget] = OrderedDict()
        self._number = 0

    def record(
        self, about: Mapping[str, Any], source: str, reason: str, message: str, *, warning: bool = False
    ) -> None:
        """`source` is the component. The scheduler's events have the newer form, without first and last time."""
        now = self._clock.now()
        if self._oldest and now < self._oldest:
            return
        uid = about["metadata"].get("uid", "")
        same = (uid, reason, message)
        if same in self._seen and self._count_up(self._seen[same], now):
            return
        if not self._afford(uid or about["metadata"]["name"], now):
            return
        self._number += 1
        event = _event(about, source, reason, message, "Warning" if warning else "Normal", now, self._number)
        self._store.create(EVENTS, event["metadata"]["namespace"], event, manager=source)
        self._remember(same, (event["metadata"]["namespace"], event["metadata"]["name"]))

    def _count_up(self, key: tuple[str, str], now: datetime) -> bool:
        try:
            event = self._store.get(EVENTS, *key)
            self._store.update(EVENTS, *key, counted(dict(event), now), manager="event-recorder")
        except ApiError as error:
            if error.code == NOT_FOUND:
                return False
            raise
        return True

    def _afford(self, subject: str, now: datetime) -> bool:
        budget = self._budgets.setdefault(subject, _Budget(BURST, now))
        if earned := (now - budget.since) // REFILL:
            budget.left, budget.since = min(BURST, budget.left + earned), budget.since + earned * REFILL
        while len(self._budgets) > REMEMBERED:
            self._budgets.popitem(last=False)
        if not budget.left:
            return False
        budget.left -= 1
        return True

    def _remember(self, same: tuple[str, str, str], key: tuple[str, str]) -> None:
        self._seen[same] = key
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)


def counted(event: Obj, now: datetime) -> Obj:
    """The same event seen once more."""
    if event.get("eventTime"):
        count = (event.get("series") or {}).get("count", 1) + 1
        return {**event, "series": {"count": count, "lastObservedTime": rfc3339_micro(now)}}
    return {**event, "count": event.get("count", 1) + 1, "lastTimestamp": rfc3339(now)}


def _event(
    about: Mapping[str, Any], source: str, reason: str, message: str, type_: str, now: datetime, number: int
) -> Obj:
    meta = about["metadata"]
    namespace = meta.get("namespace") or "default"
    event: Obj = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{meta['name']}.{int(now.timestamp()):x}{number:06x}", "namespace": namespace},
        "involvedObject": {
            "apiVersion": about.get("apiVersion", ""), "kind": about["kind"], "name": meta["name"],
            "namespace": meta.get("namespace", ""), "uid": meta.get("uid", ""),
        },
        "type": type_,
        "reason": reason,
        "message": message,
        "reportingComponent": source,
    }  # fmt: skip
    if source == "default-scheduler":
        return event | {
            "eventTime": rfc3339_micro(now), "action": "Binding" if reason == "Scheduled" else "Scheduling",
            "reportingInstance": source, "source": {}, "firstTimestamp": None, "lastTimestamp": None,
        }  # fmt: skip
    times = {"firstTimestamp": rfc3339(now), "lastTimestamp": rfc3339(now), "count": 1, "eventTime": None}
    return event | times | {"source": {"component": source}}
