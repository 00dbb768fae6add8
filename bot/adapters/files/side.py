"""The files beside the objects: logs, kernel messages, readings of node agents, metrics. Found when first asked for.

Names in a cluster are other people's text, so a path is never made of them: the folder is listed, and names are looked
up in what was found. A link that leads out of the folder is not followed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

_PREVIOUS = ".previous.txt"


class LogKey(NamedTuple):
    """`container` is empty where one file holds the logs of all containers (a dump's `logs.txt`)."""

    namespace: str
    pod: str
    container: str
    previous: bool = False


@dataclass(frozen=True)
class SideFiles:
    """Paths of the side files of a folder; of a single file or a stream (`root` None) there are none."""

    root: Path | None = None
    is_dump: bool = False

    @cached_property
    def logs(self) -> Mapping[LogKey, Path]:
        """Logs of containers, running and previous."""
        if self.is_dump:
            return {LogKey(file.parts[-3], file.parts[-2], ""): file for file in self._found("*/*/logs.txt")}
        return {_log_key(file): file for file in self._found("logs/*/*/*.txt")}

    @cached_property
    def kernel(self) -> Mapping[str, Path]:
        """Kernel messages by the node's name, as `dmesg --time-format iso` prints them."""
        return {file.parent.name: file for file in self._found("nodes/*/kernel.txt")}

    @cached_property
    def agents(self) -> Mapping[str, Path]:
        """Readings of the node agent by the node's name."""
        return {file.parent.name: file for file in self._found("nodes/*/agent.json")}

    @cached_property
    def metrics(self) -> Mapping[str, Path]:
        """Prometheus text of a pod's `/metrics`, by `namespace/name`."""
        return {f"{file.parent.name}/{file.stem}": file for file in self._found("metrics/*/*.txt")}

    def _found(self, pattern: str) -> Iterator[Path]:
        if self.root is None:
            return
        inside = self.root.resolve()
        for file in sorted(self.root.glob(pattern)):
            if file.is_file() and file.resolve().is_relative_to(inside):
                yield file


def _log_key(file: Path) -> LogKey:
    previous = file.name.endswith(_PREVIOUS)
    container = file.name.removesuffix(_PREVIOUS if previous else ".txt")
    return LogKey(file.parts[-3], file.parts[-2], container, previous)
