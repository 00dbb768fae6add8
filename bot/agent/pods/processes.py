"""Whose a process on a GPU is: its cgroup names the pod's uid, the kubelet's log folder names the pod.

NVML tells pids of the host. They mean something only in the host's pid namespace; elsewhere the same number is another
process, so nothing is said.
"""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOST_PID_NAMESPACE = "pid:[4026531836]"  # linux:include/linux/proc_ns.h, PROC_PID_INIT_INO
KEY = "computeRunningProcesses"
Gpu = dict[str, Any]
_UID = re.compile(r"pod(?P<uid>[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})(?![0-9a-f])")
_LOG_FOLDER = re.compile(r"(?P<namespace>[a-z0-9-]{1,63})_(?P<name>[a-z0-9.-]{1,253})_(?P<uid>[0-9a-f-]{32,36})")


@dataclass(frozen=True, slots=True)
class Processes:
    """Reads /proc and the kubelet's folder of pod logs."""

    proc: Path = Path("/proc")
    pod_logs: Path = Path("/var/log/pods")

    @property
    def readable(self) -> bool:
        """Whether pids of the host can be looked up here."""
        try:
            return os.readlink(self.proc / "self" / "ns" / "pid") == HOST_PID_NAMESPACE
        except OSError:
            return False

    def about(self, pids: Collection[int]) -> dict[int, dict[str, str]]:
        """`name` and `pod` of each, where they can be found out."""
        if not pids or not self.readable:
            return {}
        pods = self._pods()
        return {pid: self._about(pid, pods) for pid in pids}

    def _about(self, pid: int, pods: dict[str, str]) -> dict[str, str]:
        name, cgroup = self._line(pid, "comm"), self._line(pid, "cgroup")
        found = {"name": name.strip(), "pod": pods.get(uid_of(cgroup), "")}
        return {key: value for key, value in found.items() if value}

    def _line(self, pid: int, file: str) -> str:
        try:
            return (self.proc / str(pid) / file).read_text(encoding="utf-8", errors="replace")[:4096]
        except OSError:
            return ""  # it has ended, or is not ours to see

    def _pods(self) -> dict[str, str]:
        """uid → namespace/name of the pods that the kubelet keeps logs of."""
        try:
            names = os.listdir(self.pod_logs)
        except OSError:
            return {}
        found = (_LOG_FOLDER.fullmatch(name) for name in names)
        return {match["uid"].replace("-", ""): f"{match['namespace']}/{match['name']}" for match in found if match}


class ProcessNames:
    """Names and pods of processes, looked up when the worker has listed them anew."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._about: dict[int, dict[str, str]] = {}

    def named(self, gpus: list[Gpu], *, anew: bool) -> list[Gpu]:
        """Those GPUs, with `name` and `pod` in `computeRunningProcesses`."""
        if anew:
            listed = {one["pid"] for gpu in gpus for one in gpu.get(KEY) or ()}
            self._about = self._processes.about(listed)
        return [self._named(gpu) for gpu in gpus]

    def _named(self, gpu: Gpu) -> Gpu:
        if not gpu.get(KEY):
            return gpu
        return gpu | {KEY: [one | self._about.get(one["pid"], {}) for one in gpu[KEY]]}


def uid_of(cgroup: str) -> str:
    """The pod's uid without hyphens, from any of the forms of cgroup v1 and v2, cgroupfs and systemd; else empty."""
    found = _UID.search(cgroup)
    return re.sub(r"[-_]", "", found["uid"]) if found else ""
