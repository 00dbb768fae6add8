"""What the node agent costs, beside a bare loop over pynvml that asks the same: CPU of each reading, memory, share of a core.

Both read eight stubbed GPUs (tests/agent/stub), so what is compared is Python's work and not the driver's.

    python -m tests.bench.agent SECONDS     the bare loop: a reading each so many seconds, as JSON, thrown away
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pynvml

from tests.agent.stub import NO_COMPILER, Stub, build, compiler
from tests.bench.figure import Figure, beside, within

QUICK_SECONDS, QUICK_READINGS = 0.2, 60
USUAL_SECONDS, USUAL_READINGS = 10.0, 2
MOST_MIB, MOST_PERCENT, MOST_TIMES = 60, 1.0, 1.3
DEAR_EACH = 6
BATCH = [1, 2, 3, 4, 5, 6, 82, 94, 142, 143, 144, 145, 230]
DEAR_BATCH = [29, 30, 31, 38, 45, 52, 59]
LINKS = 18


@dataclass(frozen=True, slots=True)
class Cost:
    """Over some readings, of a process and its children."""

    cpu_seconds: float
    memory_mib: float
    shared_once_mib: float  # what it adds to the machine: shared pages by their share (PSS)


def figures() -> list[Figure]:
    if not compiler():
        print(f"        left out: {NO_COMPILER}")
        return []
    with tempfile.TemporaryDirectory() as folder:
        stub = Stub(build(Path(folder)), Path(folder) / "script")
        environment = os.environ | {"LD_LIBRARY_PATH": stub.environment["LD_LIBRARY_PATH"]}
        usual = cost(agent(USUAL_SECONDS, folder), environment, USUAL_SECONDS, USUAL_READINGS)
        quick = cost(agent(QUICK_SECONDS, folder), environment, QUICK_SECONDS, QUICK_READINGS)
        bare = cost(loop(QUICK_SECONDS), environment, QUICK_SECONDS, QUICK_READINGS)
    ms, bare_ms = (1000 * one.cpu_seconds / QUICK_READINGS for one in (quick, bare))
    percent = 100 * usual.cpu_seconds / (USUAL_SECONDS * USUAL_READINGS)
    peer = "a bare pynvml loop"
    return [
        within("node agent, 8 GPUs every 10 s: resident memory of both processes", usual.memory_mib, "MiB", MOST_MIB),
        within("node agent, 8 GPUs every 10 s: share of a core", percent, "%", MOST_PERCENT),
        beside("node agent: CPU of one reading of 8 GPUs", ms, "ms", peer, bare_ms, at_most=MOST_TIMES),
        beside(
            "node agent: memory (PSS)", usual.shared_once_mib, "MiB", peer, bare.shared_once_mib, at_most=MOST_TIMES
        ),
    ]


def agent(period_seconds: float, folder: str) -> list[str]:
    nowhere = ["--kernel-log", f"{folder}/none", "--kubelet-socket", f"{folder}/none"]
    return [sys.executable, "-m", "bot.agent", "--listen", "127.0.0.1:0", "--period", f"{period_seconds:g}", *nowhere]


def loop(period_seconds: float) -> list[str]:
    return [sys.executable, "-m", "tests.bench.agent", f"{period_seconds:g}"]


def cost(command: list[str], environment: dict[str, str], period_seconds: float, readings: int) -> Cost:
    """After it has started and read once."""
    with started(command, environment) as process:
        time.sleep(min(period_seconds, 2) + 2)
        before = sum(map(cpu_seconds, family(process.pid)))
        time.sleep(period_seconds * readings)
        pids = family(process.pid)
        used = sum(map(cpu_seconds, pids)) - before
        return Cost(used, sum(memory(pid, "Rss") for pid in pids), sum(memory(pid, "Pss") for pid in pids))


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
        if process.poll() is not None:
            raise RuntimeError(f"{' '.join(command)} ended with status {process.returncode}")
    finally:
        process.terminate()
        process.wait()


def family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu_seconds(pid: int) -> float:
    """Of all threads, in nanoseconds as the scheduler counts them."""
    found = (file.read_text().split()[0] for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(map(int, found)) / 1e9


def memory(pid: int, kind: str) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{kind}:"))


EACH: list[Callable[[object], object]] = [
    lambda gpu: pynvml.nvmlDeviceGetMemoryInfo(gpu, version=pynvml.nvmlMemory_v2).used,
    lambda gpu: pynvml.nvmlDeviceGetUtilizationRates(gpu).gpu,
    lambda gpu: pynvml.nvmlDeviceGetTemperatureV(gpu, 0),
    pynvml.nvmlDeviceGetMarginTemperature,
    pynvml.nvmlDeviceGetPowerUsage,
    pynvml.nvmlDeviceGetEnforcedPowerLimit,
    lambda gpu: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM),
    pynvml.nvmlDeviceGetCurrentClocksEventReasons,
    pynvml.nvmlDeviceGetCurrPcieLinkGeneration,
    pynvml.nvmlDeviceGetCurrPcieLinkWidth,
    pynvml.nvmlDeviceGetPersistenceMode,
    pynvml.nvmlDeviceGetMigMode,
    lambda gpu: _struct(pynvml.nvmlDeviceGetGpuFabricInfoV, pynvml.c_nvmlGpuFabricInfo_v3_t(), gpu).state,
    lambda gpu: [value.value.uiVal for value in pynvml.nvmlDeviceGetFieldValues(gpu, BATCH)],
]
DEAR: list[Callable[[object], object]] = [
    pynvml.nvmlDeviceGetUUID,
    pynvml.nvmlDeviceGetName,
    pynvml.nvmlDeviceGetSerial,
    lambda gpu: pynvml.nvmlDeviceGetPciInfo(gpu).busId,
    pynvml.nvmlDeviceGetMinorNumber,
    pynvml.nvmlDeviceGetNumaNodeId,
    pynvml.nvmlDeviceGetPowerManagementDefaultLimit,
    lambda gpu: pynvml.nvmlDeviceGetMaxClockInfo(gpu, pynvml.NVML_CLOCK_SM),
    pynvml.nvmlDeviceGetMaxPcieLinkGeneration,
    pynvml.nvmlDeviceGetMaxPcieLinkWidth,
    lambda gpu: (
        _struct(pynvml.nvmlDeviceGetSramEccErrorStatus, pynvml.c_nvmlEccSramErrorStatus_v1_t(), gpu).volatileCor
    ),
    pynvml.nvmlDeviceGetUnrepairableMemoryFlag_v1,
    lambda gpu: [pynvml.nvmlDeviceGetNvLinkState(gpu, link) for link in range(LINKS)],
    lambda gpu: [one.pid for one in pynvml.nvmlDeviceGetComputeRunningProcesses(gpu)],
    lambda gpu: [value.value.uiVal for value in pynvml.nvmlDeviceGetFieldValues(gpu, DEAR_BATCH)],
]


def _struct(ask: Callable[..., object], struct: ctypes.Structure, gpu: object) -> ctypes.Structure:
    ask(gpu, ctypes.byref(struct))
    return struct


def bare(period_seconds: float) -> None:
    """What somebody would write who wants the numbers and nothing else."""
    pynvml.nvmlInit()
    number = 0
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        while True:
            calls = EACH + DEAR if number % DEAR_EACH == 0 else EACH
            json.dump([_bare_gpu(index, calls) for index in range(pynvml.nvmlDeviceGetCount())], nowhere)
            nowhere.flush()
            number += 1
            time.sleep(period_seconds)


def _bare_gpu(index: int, calls: list[Callable[[object], object]]) -> dict[int, object]:
    gpu = pynvml.nvmlDeviceGetHandleByIndex(index)
    told: dict[int, object] = {}
    for place, ask in enumerate(calls):
        with suppress(pynvml.NVMLError):
            told[place] = ask(gpu)
    return told


if __name__ == "__main__":
    bare(float(sys.argv[1]))
