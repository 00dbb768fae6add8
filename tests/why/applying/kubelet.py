"""A kubelet for every node: pods that are bound become ready, pods that are deleted go once they have been told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.cluster.api import Api, ApiError, Object

READY = {"type": "Ready", "status": "True"}
STAYS = "test.gpubot.dev/slow"
"""Annotation of pods that take their whole grace period."""


@asynccontextmanager
async def kubelet(api: Api, namespace: str) -> AsyncIterator[None]:
    """Plays as long as the context lasts."""
    playing = asyncio.create_task(_play(api, namespace))
    try:
        yield
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


async def _play(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods"
    async for event in api.watch(path):
        if event["type"] in ("ADDED", "MODIFIED"):
            with suppress(ApiError):  # it has changed or gone meanwhile; the next event tells
                await _tend(api, path, event["object"])


async def _tend(api: Api, path: str, pod: Object) -> None:
    meta, status = pod["metadata"], pod.get("status", {})
    if not pod["spec"].get("nodeName"):
        return
    if meta.get("deletionTimestamp"):
        if STAYS not in meta.get("annotations", {}):
            await api.request("DELETE", f"{path}/{meta['name']}", {
                "gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]},
            })  # fmt: skip
    elif status.get("phase", "Pending") == "Pending":
        kept = [one for one in status.get("conditions") or [] if one["type"] != "Ready"]
        change = {"status": {"phase": "Running", "conditions": [*kept, READY]}}
        await api.request("PATCH", f"{path}/{meta['name']}/status", change)
