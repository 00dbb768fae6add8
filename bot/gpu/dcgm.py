"""DCGM exporter's metrics as readings of a node's GPUs.

NVIDIA/dcgm-exporter: one series a GPU (or MIG instance), labels `gpu`, `UUID`, `pci_bus_id`, `modelName`, `Hostname`.
Prometheus text may hold a series several times with timestamps: then there is one reading a time. DCGM 4.6 renamed many
metrics, and the value that says "blank" or "not supported" is a number like others: both are dealt with here. A metric
that is switched off says nothing: it is None, not zero.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.domain.gpu_reading import From, NodeReading, XidEvent
from bot.domain.pattern import Pattern
from bot.gpu.dcgm_gpu import Series, gpu_of
from bot.gpu.dcgm_names import blank, field_of

LONGEST_BYTES = 8 * 2**20
GPUS_MAX = 128
TIMES_MAX = 64  # readings that are kept, the newest
_SERIES = Pattern(
    r"(?P<name>[A-Za-z_:][\w:]{0,120})\{(?P<labels>[^{}]{0,4000})\}\s+(?P<value>\S{1,40})(?:\s+(?P<at>\d{1,16}))?"
)
_LABEL = Pattern(r'(\w{1,80})="((?:[^"\\]|\\.){0,400})"')
_DRIVER = "DCGM_FI_DRIVER_VERSION"


@dataclass(frozen=True, slots=True)
class Metrics:
    """The readings of one node by DCGM, the oldest first."""

    node: str
    readings: tuple[NodeReading, ...] = ()

    @property
    def reading(self) -> NodeReading:
        """The newest; an empty one where there is none."""
        return self.readings[-1] if self.readings else NodeReading(node=self.node, source=From.DCGM)


def read(text: str, node: str) -> Metrics:
    """Never raises: lines that are none of the exporter's are passed over, and so are whole MIG instances."""
    by_time: dict[int | None, dict[str, list[Series]]] = {}
    for one in _series(text[-LONGEST_BYTES:]):
        by_time.setdefault(one.at, {}).setdefault(one.labels.get("UUID") or one.labels.get("uuid", ""), []).append(one)
    times = sorted(by_time, key=lambda at: at or 0)[-TIMES_MAX:]
    readings = [_reading(node, at, by_time[at]) for at in times]
    return Metrics(node, tuple(_with_xids(readings, [by_time[at] for at in times])))


def _series(text: str) -> Iterator[Series]:
    for line in text.splitlines():
        found = _SERIES.match(line)
        name = field_of(found["name"]) if found else ""
        if not found or not name:
            continue
        value = _number(found["value"])
        labels = dict(_LABEL.findall(found["labels"]))
        if value is None or blank(value) or labels.get("GPU_I_ID"):
            continue
        yield Series(name, labels, value, int(found["at"]) if found["at"] else None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


def _reading(node: str, at: int | None, by_gpu: dict[str, list[Series]]) -> NodeReading:
    every = [one for series in by_gpu.values() for one in series]
    gpus = sorted((gpu_of(series) for series in by_gpu.values()), key=lambda gpu: gpu.index)
    return NodeReading(
        node=node,
        source=From.DCGM,
        taken_at=None if at is None else _time(at),
        driver_version=next((one.labels[_DRIVER] for one in every if one.labels.get(_DRIVER)), ""),
        gpus=tuple(gpus[:GPUS_MAX]),
    )


def _time(milliseconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _with_xids(readings: list[NodeReading], series: list[dict[str, list[Series]]]) -> Iterator[NodeReading]:
    """The newest reading also tells the Xids that the gauges hold, and of those that changed when."""
    if not readings:
        return
    held: dict[str, int] = {}
    since: dict[str, datetime | None] = {}
    for reading, by_gpu in zip(readings, series, strict=True):
        for uuid, ours in by_gpu.items():
            for one in ours:
                if one.field != "XID_ERRORS":
                    continue
                code = round(one.value)
                if uuid in held and held[uuid] != code:
                    since[uuid] = reading.taken_at
                held[uuid] = code
    events = tuple(XidEvent(code=code, uuid=uuid, at=since.get(uuid)) for uuid, code in held.items() if code > 0)
    yield from readings[:-1]
    last = readings[-1]
    yield NodeReading(
        node=last.node,
        source=last.source,
        taken_at=last.taken_at,
        driver_version=last.driver_version,
        gpus=last.gpus,
        xids=events,
    )
