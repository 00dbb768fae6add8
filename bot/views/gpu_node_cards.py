"""What is known of each GPU of a node: how it is, who uses it, its numbers, its last Xid; for lines and for JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.checks.finding import Finding
from bot.checks.scene import Scene
from bot.checks.xid_events import bus_of
from bot.domain.gpu_reading import ClearedXid, GpuReading, XidEvent
from bot.gpu.kind import Form
from bot.gpu.plugin_log import Sign
from bot.gpu.row import Holding

_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Card:
    """`users`: keys of pods; None where nobody told. `troubles`: what fires about it, the worst first.

    `marked`: the device plugin's log says that it is unhealthy. `xid`: the newest that is open, of any age. `cleared`:
    the newest that is over.
    """

    gpu: GpuReading
    users: tuple[str, ...] | None
    troubles: tuple[Finding, ...]
    marked: bool
    xid: XidEvent | None
    cleared: ClearedXid | None = None

    @property
    def health(self) -> str:
        """A stable word: lost, fault, unhealthy, note, well."""
        if self.gpu.lost:
            return "lost"
        if any(one.alarming for one in self.troubles):
            return "fault"
        if self.marked:
            return "unhealthy"
        return "note" if self.troubles else "well"


def cards(scene: Scene, firing: tuple[Finding, ...]) -> tuple[Card, ...]:
    """By index; empty where nobody read them."""
    marked = marked_by_plugin(scene)
    only = _only_user(scene)
    return tuple(
        Card(
            gpu=gpu,
            users=scene.holders(gpu) if only is None else only,
            troubles=tuple(one for one in firing if _about(one, gpu)),
            marked=gpu.uuid in marked,
            xid=_last_xid(scene, gpu),
            cleared=_last_cleared(scene, gpu),
        )
        for gpu in scene.gpus
    )


def _about(finding: Finding, gpu: GpuReading) -> bool:
    subject = finding.subject
    if subject.uuid and gpu.uuid:
        return subject.uuid == gpu.uuid
    if subject.gpu is not None:
        return subject.gpu == gpu.index
    return bool(subject.bus_id) and bus_of(subject.bus_id) == bus_of(gpu.bus_id)


def marked_by_plugin(scene: Scene) -> frozenset[str]:
    """UUIDs that the device plugin's log calls unhealthy, while the node offers fewer than it has."""
    rows = scene.sight.gpus.rows if scene.sight.gpus else ()
    if not any(row.lost for row in rows):
        return frozenset()
    said = (one for reading in scene.sight.readings.values() for one in reading.said)
    return frozenset(
        device for one in said if one.sign in (Sign.UNHEALTHY, Sign.XID, Sign.LOST) for device in one.devices
    )


def holdings(scene: Scene) -> dict[str, list[Holding]]:
    """Who holds GPUs there as Kubernetes counts, by the pod's key, or the claim's."""
    found: dict[str, list[Holding]] = {}
    for one in scene.sight.gpus.holdings if scene.sight.gpus else ():
        found.setdefault(f"{one.namespace}/{one.pod or one.owner}", []).append(one)
    return found


def _only_user(scene: Scene) -> tuple[str, ...] | None:
    """One pod that has asked for all whole GPUs of the node has every one of them, whoever tells."""
    rows = scene.sight.gpus.rows if scene.sight.gpus else ()
    held = holdings(scene)
    if len(rows) != 1 or len(held) != 1 or rows[0].kind.form not in (Form.WHOLE, Form.DEVICE):
        return None
    [(key, ours)] = held.items()
    return (key,) if sum(one.amount for one in ours) == rows[0].total >= len(scene.gpus) else None


def _last_xid(scene: Scene, gpu: GpuReading) -> XidEvent | None:
    found = [one for one in _xids(scene) if _same(one, gpu)]
    return max(found, key=lambda one: one.at or _OLDEST, default=None)


def _last_cleared(scene: Scene, gpu: GpuReading) -> ClearedXid | None:
    found = [one for one in (scene.agent.cleared if scene.agent else ()) if _same(one, gpu)]
    return max(found, key=lambda one: one.cleared_at or _OLDEST, default=None)


def _xids(scene: Scene) -> Iterator[XidEvent]:
    for one in scene.kernel.xids if scene.kernel else ():
        yield XidEvent(code=one.code, bus_id=one.bus, at=one.time, text=one.text)
    for reading in (scene.agent, scene.dcgm.reading if scene.dcgm else None):
        yield from reading.xids if reading else ()


def _same(event: XidEvent | ClearedXid, gpu: GpuReading) -> bool:
    if event.uuid and gpu.uuid:
        return event.uuid == gpu.uuid
    return bool(event.bus_id and gpu.bus_id) and bus_of(event.bus_id) == bus_of(gpu.bus_id)


# ---- for scripts ---------------------------------------------------------------------------------------------------


def numbers(card: Card) -> dict[str, Any]:
    """One GPU; null is not told."""
    gpu = card.gpu
    return {
        "index": gpu.index,
        "uuid": gpu.uuid,
        "name": gpu.name,
        "health": card.health,
        "findings": [one.check for one in card.troubles],
        "pods": None if card.users is None else list(card.users),
        "utilization_percent": gpu.utilization_gpu_percent,
        "memory_used_mib": _mib(gpu.memory_used_bytes),
        "memory_total_mib": _mib(gpu.memory_total_bytes),
        "power_watts": _watts(gpu.power_milliwatts),
        "power_limit_watts": _watts(gpu.power_limit_milliwatts),
        "temperature_celsius": gpu.temperature_celsius,
        "last_xid": None if card.xid is None else card.xid.code,
        "cleared_xid": None if card.cleared is None else card.cleared.code,
        "last_xid_at": card.xid.at.isoformat() if card.xid and card.xid.at else None,
        "mig": [
            {
                "profile": one.profile,
                "pod": one.pod,
                "memory_used_mib": _mib(one.memory_used_bytes),
                "memory_total_mib": _mib(one.memory_total_bytes),
            }
            for one in gpu.mig_devices
        ],
    }


def _mib(amount: int | None) -> int | None:
    return None if amount is None else amount >> 20


def _watts(milliwatts: int | None) -> int | None:
    return None if milliwatts is None else round(milliwatts / 1000)
