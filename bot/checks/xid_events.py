"""Xids from every source as bursts: what the driver reports within minutes follows from the first of it.

NVIDIA's fleet tooling starts a new group after about three minutes of silence; the first number is the cause. A gauge
that holds the last number (DCGM) tells a number and no time, and is passed over where kernel messages tell more.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.domain.gpu_reading import GpuReading, XidEvent
from bot.gpu import xid
from bot.gpu.kernel_log import KernelLog

SILENCE = timedelta(minutes=3)
RECENT = timedelta(hours=24)
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Burst:
    """Xids of one GPU that belong together, in order. `gpu` is None where no reading has a GPU at that address."""

    bus: str  # 0000:3b:00
    gpu: GpuReading | None
    events: tuple[XidEvent, ...]

    @property
    def cause(self) -> XidEvent:
        """The first that is the hardware's, else the first."""
        return next((one for one in self.events if xid.of(one.code).of_gpu and not nonfatal(one)), self.events[0])

    @property
    def codes(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(one.code for one in self.events))

    @property
    def at(self) -> datetime | None:
        return self.cause.at


def nonfatal(event: XidEvent) -> bool:
    """NVLink units say so themselves (144 to 150)."""
    return "nonfatal" in event.text.casefold()


def bus_of(bus_id: str) -> str:
    """NVML's `00000000:3B:00.0` as kernel messages have it: `0000:3b:00`."""
    return bus_id.lower().partition(".")[0][-10:]


def bursts(
    kernel: KernelLog | None, told: Iterable[XidEvent], gpus: tuple[GpuReading, ...], now: datetime
) -> tuple[Burst, ...]:
    """Those of the last day, the oldest first; what has no time counts as recent."""
    events = list(_from_kernel(kernel)) if kernel is not None else []
    said = {(one.code, one.bus_id) for one in events}
    for one in told:
        bus = _bus_of(one, gpus)
        if (one.code, bus) not in said and (one.at is not None or kernel is None):
            events.append(_moved(one, bus))
    recent = [one for one in events if one.at is None or now - one.at <= RECENT]
    return tuple(_grouped(sorted(recent, key=lambda one: one.at or EARLIEST), gpus))


def _moved(one: XidEvent, bus: str) -> XidEvent:
    return XidEvent(code=one.code, bus_id=bus, uuid=one.uuid, at=one.at, count=one.count, text=one.text)


def _from_kernel(kernel: KernelLog) -> Iterator[XidEvent]:
    for line in kernel.xids:
        yield XidEvent(code=line.code, bus_id=line.bus, at=line.time, text=line.text)


def _bus_of(event: XidEvent, gpus: tuple[GpuReading, ...]) -> str:
    gpu = next((one for one in gpus if event.uuid and one.uuid == event.uuid), None)
    return bus_of(event.bus_id or (gpu.bus_id if gpu else "")) or event.uuid


def _grouped(events: list[XidEvent], gpus: tuple[GpuReading, ...]) -> Iterator[Burst]:
    by_bus: dict[str, list[XidEvent]] = {}
    for one in events:
        by_bus.setdefault(one.bus_id, []).append(one)
    for bus, ours in by_bus.items():
        gpu = next((one for one in gpus if bus in (bus_of(one.bus_id), one.uuid)), None)
        yield from (Burst(bus, gpu, tuple(group)) for group in _split(ours))


def _split(events: list[XidEvent]) -> Iterator[list[XidEvent]]:
    group: list[XidEvent] = []
    for one in events:
        last = group[-1].at if group else None
        if group and last is not None and one.at is not None and one.at - last > SILENCE:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def same(burst: Burst, gpu: GpuReading) -> bool:
    """Whether a burst is of that GPU."""
    return burst.bus in (bus_of(gpu.bus_id), gpu.uuid) and bool(burst.bus)
