"""Scenes for checks: a healthy node with H200 GPUs, of which a test changes what matters to it."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from bot.adapters import files
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Severity
from bot.checks.look import fleet_scene, scenes, wanted
from bot.checks.scene import FleetScene, Scene
from bot.domain.evidence import Evidence, LogRef, MetricsRef, NodeRef, Ref
from bot.domain.gpu_reading import NodeReading
from bot.domain.node import Node
from bot.domain.pod import Container, Pod
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu import reading
from config.settings import Settings
from tests.cases.packed import unpack
from tests.factories import NOW, POLICY, a_node, a_pod, a_view

CASES = Path(__file__).parent.parent / "cases"
DRIVER = "580.105.08"
EXPORTER = a_pod("dcgm-exporter-1", namespace="gpu-operator", gpus=0, labels={"app": "nvidia-dcgm-exporter"})


@dataclass(frozen=True)
class Told:
    """How a check answers: where it fires and what it says then, where it just does not, where it cannot know."""

    says: str  # a pattern for the sentence
    severity: Severity
    firing: Callable[[], Scene | FleetScene | EngineScene]
    near: Callable[[], Scene | FleetScene | EngineScene]
    blind: Callable[[], Scene | FleetScene | EngineScene]


def gpu(index: int = 0, /, **changed: Any) -> dict[str, Any]:
    """NVML's words for a GPU at full load with nothing wrong; a dict is merged, None takes a key away."""
    healthy: dict[str, Any] = {
        "index": index,
        "name": "NVIDIA H200",
        "uuid": f"GPU-{index:08d}",
        "serial": f"16500000000{index:02d}",
        "pciInfo": {"busId": f"00000000:{0x18 + index:02X}:00.0"},
        "memoryInfo": {"total": 150 * 2**30, "reserved": 2**29, "free": 10 * 2**30, "used": 139 * 2**30},
        "utilizationRates": {"gpu": 98, "memory": 60},
        "temperature": 70,
        "marginTemperature": 17,
        "powerUsage": 640_000,
        "enforcedPowerLimit": 700_000,
        "powerManagementDefaultLimit": 700_000,
        "clockInfo": {"sm": 1980},
        "maxClockInfo": {"sm": 1980},
        "currentClocksEventReasons": 0,
        "eccMode": {"current": 1, "pending": 1},
        "totalEccErrors": {
            "volatile": {"corrected": 0, "uncorrected": 0},
            "aggregate": {"corrected": 0, "uncorrected": 0},
        },
        "sramEccErrorStatus": {"bThresholdExceeded": 0},
        "unrepairableMemoryFlag": 0,
        "remappedRows": {"corrRows": 0, "uncRows": 0, "isPending": 0, "failureOccurred": 0},
        "currPcieLinkGeneration": 5,
        "maxPcieLinkGeneration": 5,
        "currPcieLinkWidth": 16,
        "maxPcieLinkWidth": 16,
        "pcieReplayCounter": 0,
        "persistenceMode": 1,
        "migMode": {"currentMode": 0, "pendingMode": 0},
        "nvLinkState": [1] * 18,
        "nvLinkErrorCounter": {"replay": 1, "recovery": 1},
        "gpuFabricInfo": {"state": 3, "status": 0, "healthMask": 0x412A},
        "gpuRecoveryAction": 0,
        "computeRunningProcesses": [{"pid": 100 + index, "usedGpuMemory": 139 * 2**30, "pod": "llm/glm-0"}],
        "driverVersion": DRIVER,
    }
    return _merged(healthy, changed)


def _merged(old: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
    new = dict(old)
    for key, value in changed.items():
        if value is None:
            new.pop(key, None)
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            new[key] = _merged(old[key], value)
        else:
            new[key] = value
    return new


def agent(gpus: Iterable[dict[str, Any]], *, ago: float = 0, **more: Any) -> str:
    """What the node agent serves, `ago` seconds old."""
    taken = (NOW - timedelta(seconds=ago)).isoformat()
    return json.dumps({"takenAt": taken, "driverVersion": DRIVER, "gpus": list(gpus), **more})


def before(*readings: tuple[float, list[dict[str, Any]]], **more: Any) -> tuple[NodeReading, ...]:
    """Earlier readings: how many seconds ago, and the GPUs then."""
    return tuple(reading.read(agent(gpus, ago=ago, **more), "gpu-1") for ago, gpus in readings)


def kernel(*lines: tuple[float, str]) -> str:
    """Kernel messages: how many seconds ago, and the words."""
    booted = f"{(NOW - timedelta(days=9)).isoformat()} Linux version 6.8.0-88-generic"
    return "\n".join([booted, *(f"{(NOW - timedelta(seconds=ago)).isoformat()} {text}" for ago, text in lines)])


def xid(code: int, *, bus: str = "18", ago: float = 60, text: str = "pid=77, name=python") -> tuple[float, str]:
    return ago, f"NVRM: Xid (PCI:0000:{bus}:00): {code}, {text}"


def a_scene(
    *gpus: dict[str, Any],
    told: str | None = None,
    log: str | None = None,
    metrics: str | None = None,
    earlier: tuple[NodeReading, ...] = (),
    node: Node | None = None,
    pods: Iterable[Pod] = (),
    logs: dict[Pod, str] | None = None,
    records: Iterable[Any] = (),
    unread: tuple[str, ...] = (),
) -> Scene:
    """One node, gpu-1. `told`: what its agent serves, by default these GPUs; without either the agent is silent."""
    texts: dict[Ref, str] = {}
    if gpus or told is not None:
        texts[NodeRef("agent", "gpu-1")] = agent(gpus) if told is None else told
    if log is not None:
        texts[NodeRef("kernel", "gpu-1")] = log
    if metrics is not None:
        texts[MetricsRef("gpu-operator", "dcgm-exporter-1")] = metrics
    for pod, text in (logs or {}).items():
        texts[LogRef(pod.namespace, pod.name, pod.containers[0].name)] = text
    exporters = [EXPORTER] if metrics is not None else []
    where = node or a_node("gpu-1", gpus=max(len(gpus), 1))
    view = known(a_view(where, *exporters, *pods, *(logs or {}), *records, unread=unread), unread)
    return Scene(view, where, POLICY, NOW, Evidence(texts=texts), before=earlier)


def known(view: View, unread: tuple[str, ...] = ()) -> View:
    """Every kind that checks need was read, but those in `unread`."""
    for kind in ("nodes", "pods", "events", "resourceslices", "poddisruptionbudgets"):
        view.sources[kind] = Source(kind, Reading.FORBIDDEN if kind in unread else Reading.LIVE, NOW)
    return view


def a_fleet(
    *nodes: Node, pods: Iterable[Pod] = (), records: Iterable[Any] = (), unread: tuple[str, ...] = ()
) -> FleetScene:
    view = known(a_view(*nodes, *pods, *records, unread=unread), unread)
    return fleet_scene(view, POLICY, now=NOW)


def an_engine(name: str = "glm-0", *, image: str = "vllm/vllm-openai:v0.20.0", **changed: Any) -> Pod:
    return a_pod(name, containers=(Container("vllm", image),), **changed)


def case(name: str, node: str = "") -> Scene:
    """One node of a case folder, with everything that is in it."""
    return next(scene for scene in of_case(name) if scene.name == node or not node)


def without(scene: Scene, *kinds: str) -> Scene:
    """The same where kinds were not read."""
    view = View(scene.view.cluster)
    for kind, table in scene.view.tables.items():
        for key, record in table.items():
            view.put(kind, key, record)
    view.sources.update(scene.view.sources)
    for kind in kinds:
        view.sources[kind] = Source(kind, Reading.FORBIDDEN)
    return Scene(view, scene.node, scene.policy, scene.now, scene.evidence)


@cache
def of_case(name: str) -> tuple[Scene, ...]:
    folder = CASES / "own" / name
    loaded = files.read(folder if folder.is_dir() else _unpacked() / name, now=datetime.now(UTC))
    policy = Settings().gpu.policy()
    evidence = files.FileLooker(loaded).now(wanted(loaded.view, policy, loaded.now))
    return tuple(scenes(loaded.view, policy, evidence, loaded.now))


@cache
def _unpacked() -> Path:
    """The packed cases; the folder goes with the process."""
    target = Path(tempfile.mkdtemp(prefix="cases-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    unpack(target)
    return next(target.rglob("D01")).parent
