"""What the agent knows now: the last good reading with its time, the fault since, Xids, who has which GPU."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from bot import __version__
from bot.agent.fault import Fault, Kind
from bot.agent.identity import identified, identities
from bot.agent.message import Reading
from bot.agent.pods.holders import holders, with_pods
from bot.agent.pods.kubelet import Given
from bot.agent.xids import Xids, short_bus


@dataclass(frozen=True, slots=True)
class Boot:
    """This boot of the machine. `id` changes with each (linux: /proc/sys/kernel/random/boot_id)."""

    id: str
    at: datetime


class State:
    """Written by what gathers, read by what serves; all in one event loop."""

    def __init__(self, node: str, boot: Boot, now: Callable[[], datetime]) -> None:
        self.node, self.boot, self.now = node, boot, now
        self.xids = Xids()
        self.fault: Fault | None = None
        self.reading: Reading | None = None
        self.taken_at: datetime | None = None
        self.given: tuple[Given, ...] | None = None
        self.notes: dict[str, str] = {}  # what the agent cannot see, by where
        self._known: dict[int, dict[str, Any]] = {}

    @property
    def gpus(self) -> list[dict[str, Any]]:
        return self.reading.gpus if self.reading else []

    @property
    def age_seconds(self) -> float | None:
        return None if self.taken_at is None else max(0.0, (self.now() - self.taken_at).total_seconds())

    def take(self, reading: Reading) -> None:
        """A new reading ends every fault."""
        gpus = identified(reading.gpus, self._known)
        self._known |= identities(gpus)
        self.reading, self.taken_at, self.fault = msgspec.structs.replace(reading, gpus=gpus), self.now(), None

    def note(self, where: str, trouble: str) -> None:
        """An empty text takes it back."""
        if trouble:
            self.notes[where] = trouble
        else:
            self.notes.pop(where, None)

    def trouble(self) -> str:
        if self.fault:
            return self.fault.words(self.node, self.now())
        return "" if self.reading else f"the agent on {self.node} has just started"

    def as_json(self) -> dict[str, Any]:
        """What /reading serves; `bot.gpu.reading` reads it. Keys that were not told are left out."""
        error = self.fault.error if self.fault and self.fault.kind is Kind.FAILED else None
        told = {
            "node": self.node,
            "agentVersion": __version__,
            "takenAt": self.taken_at and self.taken_at.isoformat(),
            "ageSeconds": None if self.age_seconds is None else round(self.age_seconds, 1),
            "driverVersion": self.reading and self.reading.driver_version,
            "cudaDriverVersion": self.reading and self.reading.cuda_driver_version,
            "nvmlVersion": self.reading and self.reading.nvml_version,
            "bootId": self.boot.id,
            "bootedAt": self.boot.at.isoformat(),
            "trouble": self.trouble() or None,
            "error": error,
            "notes": [f"{where}: {trouble}" for where, trouble in self.notes.items()],
            "xids": [one.as_json(self._uuids()) for one in self.xids.open()],
            "switchErrors": [one.as_json() for one in self.xids.open(switch=True)],
            "clearedXids": [one.as_json() for one in self.xids.cleared],
            "gpus": self._held(),
        }
        return {key: value for key, value in told.items() if value is not None}

    def _uuids(self) -> dict[str, str]:
        """Bus → uuid: the kernel log knows the one only, pods and metrics the other."""
        return {
            short_bus(gpu["pciInfo"]["busId"]): gpu["uuid"] for gpu in self.gpus if {"pciInfo", "uuid"} <= gpu.keys()
        }

    def _held(self) -> list[dict[str, Any]]:
        """GPUs with their pods; without the kubelet's word nothing is said of pods."""
        if self.given is None:
            return self.gpus
        found = holders(self.given, self.gpus)
        return [with_pods(gpu, found) for gpu in self.gpus]
