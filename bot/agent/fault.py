"""Why there is no new reading, in words and with NVML's code."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

DRIVER_NOT_LOADED, LIBRARY_NOT_FOUND, MISMATCH = 9, 12, 18
_WORDS = {
    4: "the agent may not ask the NVIDIA driver on {node}",
    DRIVER_NOT_LOADED: "the NVIDIA driver is not loaded on {node}",
    15: "NVML on {node} cannot start: a GPU is lost",
    17: "the operating system keeps the agent on {node} from its GPUs",
    MISMATCH: "the NVML library and the loaded driver on {node} are of different versions",
    999: "NVML on {node} cannot start for a reason that it does not name: no access to the devices, or a broken driver",
}


class Kind(Enum):
    HANGS = "a call does not return"
    SILENT = "the worker says nothing"
    ENDED = "the worker ended"
    FAILED = "NVML as a whole answers with an error"


@dataclass(frozen=True, slots=True)
class Fault:
    """`since` is when the trouble began, kept while it is the same one. `stuck_pid`: a worker that survives SIGKILL."""

    kind: Kind
    since: datetime
    call: str = ""
    gpu: int | None = None
    error: int | None = None
    text: str = ""
    driver_present: bool = False
    stuck_pid: int | None = None

    @property
    def curable_by_restart(self) -> bool:
        """The library is put into a container when that starts: only a new container gets the one of a new driver."""
        return self.error == MISMATCH or (self.error == LIBRARY_NOT_FOUND and self.driver_present)

    def began(self, since: datetime) -> "Fault":
        return replace(self, since=since)

    def same_as(self, other: "Fault") -> bool:
        """Whether the trouble goes on. A worker that hangs and one that says nothing are one trouble."""
        silent = {Kind.HANGS, Kind.SILENT}
        return (self.kind == other.kind and self.error == other.error) or {self.kind, other.kind} <= silent

    def words(self, node: str, now: datetime) -> str:
        seconds = max(0, int((now - self.since).total_seconds()))
        if self.kind in (Kind.HANGS, Kind.SILENT):
            stuck = f"; process {self.stuck_pid} hangs in the driver and cannot be killed" if self.stuck_pid else ""
            return f"NVML on {node} does not answer since {seconds} s{self._where()}{stuck}"
        if self.kind is Kind.ENDED:
            return f"the process that asks NVML on {node} ends by itself since {seconds} s{self._where()}"
        if self.error == LIBRARY_NOT_FOUND:
            return _no_library(node, driver_present=self.driver_present)
        known = _WORDS.get(self.error or 0)
        return known.format(node=node) if known else f"NVML on {node} fails with error {self.error}: {self.text}"

    def _where(self) -> str:
        of = "" if self.gpu is None else f" of GPU {self.gpu}"
        return f" ({self.call}{of})" if self.call else ""


def _no_library(node: str, *, driver_present: bool) -> str:
    if driver_present:
        return f"the NVIDIA driver is loaded on {node}, but the agent's container got no NVML library"
    return f"there is no NVIDIA driver on {node}"
