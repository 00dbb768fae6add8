"""Events of kubelets and detectors. A kubelet writes at most so many a second, and so does this.

Source: kubernetes/kubernetes:pkg/kubelet/apis/config (eventRecordQPS 50, eventBurst 100).
"""

import itertools
import time
from datetime import datetime, timedelta
from typing import Any

from bot.local.cluster.clock import Clock, rfc3339
from bot.local.cluster.simulator.client import MERGE, NOT_FOUND, Client, RequestError

Obj = dict[str, Any]

A_SECOND, BURST = 50.0, 100.0
KEPT = timedelta(hours=1)
REMEMBERED = 4096


class Reporter:
    """`opened_at` is when people start to look: events from more than an hour before would have expired."""

    def __init__(self, client: Client, clock: Clock, *, opened_at: datetime | None = None) -> None:
        self._client, self._clock = client, clock
        self._oldest = opened_at - KEPT if opened_at else None
        self._numbers = itertools.count(1)
        self._left, self._since = BURST, time.monotonic()
        self._seen: dict[tuple[str, str, str], tuple[str, int]] = {}

    async def report(
        self,
        about: Obj,
        source: str,
        reason: str,
        message: str,
        *,
        warning: bool = False,
        host: str = "",
        at: datetime | None = None,
    ) -> None:
        """`at` is when it happened, if that was not now. `about` needs kind and metadata only."""
        now = at or self._clock.now()
        if (self._oldest and now < self._oldest) or not self._afford():
            return
        same = (about["metadata"].get("uid", ""), reason, message)
        if same in self._seen and await self._count_up(same, now):
            return
        event = _event(about, source, reason, message, now, next(self._numbers))
        event["type"] = "Warning" if warning else "Normal"
        event["source"] = {"component": source, **({"host": host} if host else {})}
        path = f"/api/v1/namespaces/{event['metadata']['namespace']}/events"
        await self._client.create(path, event)
        if len(self._seen) >= REMEMBERED:
            self._seen.clear()
        self._seen[same] = (f"{path}/{event['metadata']['name']}", 1)

    async def _count_up(self, same: tuple[str, str, str], now: datetime) -> bool:
        path, count = self._seen[same]
        try:
            await self._client.patch(path, {"count": count + 1, "lastTimestamp": rfc3339(now)}, how=MERGE)
        except RequestError as error:
            if error.code == NOT_FOUND:
                return False
            raise
        self._seen[same] = (path, count + 1)
        return True

    def _afford(self) -> bool:
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._since) * A_SECOND)
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def _event(about: Obj, source: str, reason: str, message: str, now: datetime, number: int) -> Obj:
    meta = about["metadata"]
    namespace = meta.get("namespace") or "default"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{meta['name']}.{int(now.timestamp()):x}k{number:05x}", "namespace": namespace},
        "involvedObject": {
            "apiVersion": "v1", "kind": about["kind"], "name": meta["name"], "uid": meta.get("uid", ""),
            **({"namespace": meta["namespace"]} if meta.get("namespace") else {}),
        },
        "reason": reason,
        "message": message,
        "reportingComponent": source,
        "firstTimestamp": rfc3339(now),
        "lastTimestamp": rfc3339(now),
        "count": 1,
    }  # fmt: skip
