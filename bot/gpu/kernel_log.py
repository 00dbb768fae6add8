"""What a node's kernel and journal say about its GPUs: Xids, the driver's version, hangs, killed processes, upgrades.

Forms of Xids: docs.nvidia.com/deploy/xid-errors, leptonai/gpud:components/accelerator/nvidia/xid (its tests), and
docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt for instances of a cut GPU.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from bot.domain.gpu_reading import ClearedXid
from bot.domain.pattern import Pattern
from bot.gpu.kernel_line import Line, line_of

LONGEST_LOG = 512 * 1024  # characters, from the end
_BUS = r"(?:PCI:)?(?P<bus>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(?:\.[0-7])?"
_XID = Pattern(
    rf"NVRM: (?:GPU at \S{{1,40}}: )?Xid \({_BUS}(?: [\w:-]{{1,40}})?\): (?P<code>\d{{1,4}})(?:,\s*(?P<rest>.*))?"
)
_SXID = Pattern(rf"SXid \({_BUS}\): (?P<code>\d{{1,6}}), (?P<rest>(?P<fatal>Fatal|Non-?fatal).*)", re.IGNORECASE)
_OFF_BUS = Pattern(rf"NVRM: (?:The NVIDIA )?GPU {_BUS}:? (?:GPU )?has fallen off the bus")
_CLIENT = Pattern(r"NVRM: API mismatch: the client has the version (?P<version>[\d.]{3,20})")
_MODULE = Pattern(r"NVRM: this kernel module has the version (?P<version>\d{2,4}(?:\.\d{1,4}){1,2})")
_LOADED = Pattern(r"NVRM: loading NVIDIA .*?Module.*?\s(?P<version>\d{2,4}\.\d{1,4}(?:\.\d{1,4})?)\s")
_HUNG = Pattern(r"task (?P<task>[\w.:/-]{1,40}):\d{1,9} blocked for more than (?P<seconds>\d{1,6}) seconds")
_KILLED = Pattern(r"Killed process \d{1,9} \((?P<task>[^)]{1,40})\)")
_UPGRADED = Pattern(r"(?:Packages that will be upgraded|Upgrade|upgrade|Unpacking|Setting up|Upgraded)\b.{0,400}nvidia")
_FABRIC = Pattern(
    r"(?:Failed to start.{0,40}fabric ?manager|nvidia-fabricmanager\.service.{0,40}Failed)", re.IGNORECASE
)
_FABRIC_UP = Pattern(r"Started.{0,40}fabric ?manager", re.IGNORECASE)
_RELOAD = Pattern(r"systemd\[1\]: (?:Reloading\.|Reloading requested)")
_NO_START = Pattern(rf"NVRM: GPU {_BUS}:? RmInitAdapter failed")


@dataclass(frozen=True, slots=True)
class XidLine:
    """One Xid. `bus` is the PCI address without domain padding and function, in lower case: `0000:3b:00`."""

    time: datetime | None
    bus: str
    code: int
    text: str = ""  # what stands after the number

    @property
    def nonfatal(self) -> bool:
        """NVLink units say so themselves (144 to 150)."""
        return "nonfatal" in self.text.casefold()


@dataclass(frozen=True, slots=True)
class Mismatch:
    """User-space library and loaded module are of different versions."""

    time: datetime | None
    library: str
    module: str


@dataclass(frozen=True, slots=True)
class Task:
    """A process that hung in the kernel, or that was killed for its memory."""

    time: datetime | None
    name: str
    seconds: int = 0


class KernelLog:
    """Read once; everything is of the running boot where the text tells when that was, but package upgrades.

    over: Xids of which an agent says that a reset or a newly loaded driver cleared them: they are left out.
    """

    def __init__(self, text: str, over: Iterable[ClearedXid] = ()) -> None:
        self._ended = {(one.code, one.bus_id): one.cleared_at for one in over if one.cleared_at is not None}
        self.all = tuple(line_of(piece) for piece in text[-LONGEST_LOG:].splitlines() if piece.strip())
        start = max((at for at, line in enumerate(self.all) if line.text.startswith("Linux version ")), default=0)
        self.lines = self.all[start:]

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def booted(self) -> datetime | None:
        """When this boot began, as far as the text goes back."""
        first = self.lines[0] if self.lines else None
        return first.time if first and first.text.startswith("Linux version ") else None

    @cached_property
    def xids(self) -> tuple[XidLine, ...]:
        """In order. A GPU that fell off the bus is Xid 79, also where the driver only says so in words."""
        found = [one for line in self.lines if (one := _xid(line))]
        named = {one.bus for one in found if one.code == 79 and one.text != _WORDS}
        told = (one for one in found if one.text != _WORDS or one.bus not in named)
        return tuple(one for one in told if not self._over(one))

    def _over(self, line: XidLine) -> bool:
        """Whether it was cleared since."""
        at = self._ended.get((line.code, line.bus))
        return at is not None and line.time is not None and line.time <= at

    @cached_property
    def switch_errors(self) -> tuple[XidLine, ...]:
        """Fatal errors of NVSwitches (SXid)."""
        found = ((line, _SXID.search(line.text)) for line in self.lines if "SXid" in line.text)
        return tuple(
            XidLine(line.time, _bus(match), int(match["code"]), match["rest"])
            for line, match in found
            if match and match["fatal"].casefold() == "fatal"
        )

    @cached_property
    def mismatch(self) -> Mismatch | None:
        """The newest complaint about versions, where no newer driver has been loaded since."""
        found: Mismatch | None = None
        library = ""
        for line in self.lines:
            if client := _CLIENT.search(line.text):
                library = client["version"].rstrip(".")
                found = Mismatch(line.time, library, "")
            elif (module := _MODULE.search(line.text)) and library:
                found = Mismatch(line.time, library, module["version"].rstrip("."))
            elif _LOADED.search(line.text):
                found = None
        return found

    @cached_property
    def loaded(self) -> str:
        """The version of the driver that was loaded last; empty where the text does not tell."""
        return next((match["version"] for line in reversed(self.lines) if (match := _LOADED.search(line.text))), "")

    @cached_property
    def hung(self) -> tuple[Task, ...]:
        """Processes of the GPU stack that do not come back from the driver."""
        found = ((line, _HUNG.search(line.text)) for line in self.lines)
        tasks = (Task(line.time, match["task"], int(match["seconds"])) for line, match in found if match)
        return tuple(task for task in tasks if _of_stack(task.name))

    @cached_property
    def killed(self) -> tuple[Task, ...]:
        """Processes of the GPU stack that were killed for their memory."""
        found = ((line, _KILLED.search(line.text)) for line in self.lines)
        tasks = (Task(line.time, match["task"]) for line, match in found if match)
        return tuple(task for task in tasks if _of_stack(task.name))

    @cached_property
    def fabric_failure(self) -> Line | None:
        """The line that says that fabric manager failed, where none says later that it started."""
        found: Line | None = None
        for line in self.lines:
            if _FABRIC.search(line.text):
                found = line
            elif _FABRIC_UP.search(line.text):
                found = None
        return found

    @cached_property
    def upgrades(self) -> tuple[Line, ...]:
        """Package upgrades that touched the driver."""
        return tuple(line for line in self.all if _UPGRADED.search(line.text))

    @cached_property
    def reloads(self) -> tuple[Line, ...]:
        """`systemctl daemon-reload`, which can take device access from containers."""
        return tuple(line for line in self.lines if _RELOAD.search(line.text))

    @cached_property
    def not_started(self) -> tuple[str, ...]:
        """Addresses of GPUs that the driver could not bring up."""
        found = (_NO_START.search(line.text) for line in self.lines)
        return tuple(dict.fromkeys(_bus(match) for match in found if match))


@lru_cache(maxsize=16)
def read(text: str, over: tuple[ClearedXid, ...] = ()) -> KernelLog:
    """The log of that text; the same one for the same text, since several questions are asked of it."""
    return KernelLog(text, over)


_WORDS = "fallen off the bus"


def _xid(line: Line) -> XidLine | None:
    if "NVRM" not in line.text:
        return None
    if match := _XID.search(line.text):
        return XidLine(line.time, _bus(match), int(match["code"]), (match["rest"] or "").strip())
    if match := _OFF_BUS.search(line.text):
        return XidLine(line.time, _bus(match), 79, _WORDS)
    return None


def _bus(match: re.Match[str]) -> str:
    return match["bus"].lower()[-10:]


def _of_stack(task: str) -> bool:
    """Names are cut by the kernel after fifteen letters."""
    return task.startswith(("nvidia", "dcgm", "nv-hostengine", "nvc:", "k8s-device-plu", "gpu-feature"))
