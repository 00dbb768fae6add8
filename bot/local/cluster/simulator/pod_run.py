"""A pod's life on its machine, stage by stage: what comes next, and when.

All times are cluster time. Annotations on the pod set the pace: gpubot.dev/sim-pull-seconds (first pull on a node),
sim-ready-seconds (from start to ready, such as loading weights), sim-run-seconds (until it ends by itself).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from bot.local.cluster.simulator.probes import patience_seconds
from bot.local.engine.arguments import EngineArgs, is_engine, of_container
from bot.local.engine.endings import ENDINGS

Key = tuple[str, str]  # namespace, name

PULL_SECONDS, READY_SECONDS, RUN_SECONDS = (f"gpubot.dev/sim-{name}-seconds" for name in ("pull", "ready", "run"))
SANDBOX = 1.0
CRASH_SECONDS = 4.0
ENGINE_SECONDS, SCRIPT_SECONDS = 12.0, 3.0
SMI, SMI_SECONDS = "nvidia-smi", 2.0  # a program that looks at the GPUs and ends


class Stage(StrEnum):
    ACCEPTED = "accepted"
    PULLING = "pulling"
    PULL_FAILED = "pull-failed"
    PULL_BACKOFF = "pull-backoff"
    STARTING = "starting"
    RUNNING = "running"  # but not ready
    READY = "ready"
    CRASHED = "crashed"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    ENDING = "ending"
    GONE = "gone"


RUNS = (Stage.RUNNING, Stage.READY)
OVER = (Stage.SUCCEEDED, Stage.FAILED, Stage.GONE)
LASTING = (Stage.READY, Stage.CRASHED, Stage.PULL_FAILED, Stage.PULL_BACKOFF, *OVER)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that goes wrong with a pod again and again, or once."""

    kind: str  # image-pull, crash-loop, oom-kill, probe or stuck
    reason: str = "Error"
    exit_code: int = 1
    message: str = ""
    once: bool = False
    ending: str = ""  # how an engine ends: a name of `bot.local.engine.endings`


@dataclass(frozen=True, slots=True)
class Note:
    """An event that the kubelet writes about a pod."""

    at: datetime
    reason: str
    message: str
    warning: bool = False


def no_settings(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    del pod
    return {}


@dataclass(slots=True)
class PodRun:
    pod: dict[str, Any]  # as last seen from the API server
    ip: str
    host_ip: str
    accepted_at: datetime
    stage: Stage = Stage.ACCEPTED
    since: datetime = field(init=False)
    until: datetime | None = field(init=False)
    restarts: int = 0
    pulls_failed: int = 0
    started_at: datetime | None = None
    ready_changed_at: datetime = field(init=False)
    last: dict[str, Any] = field(default_factory=dict)  # how the container ended the last time
    trouble: Trouble | None = None
    rejection: tuple[str, str] | None = None  # reason and message of a pod that was turned down
    devices: list[tuple[str, str, bool]] = field(default_factory=list)  # resource, id, healthy
    settings: Callable[[Mapping[str, Any]], Mapping[str, Any]] = no_settings  # of an engine, from a file

    def __post_init__(self) -> None:
        self.since = self.ready_changed_at = self.accepted_at
        self.until = self.accepted_at + timedelta(seconds=SANDBOX)

    @property
    def key(self) -> Key:
        return self.pod["metadata"]["namespace"], self.pod["metadata"]["name"]

    @property
    def uid(self) -> str:
        return str(self.pod["metadata"]["uid"])

    @property
    def image(self) -> str:
        return str(self.pod["spec"]["containers"][0].get("image", ""))

    @property
    def container(self) -> str:
        return str(self.pod["spec"]["containers"][0]["name"])

    @property
    def looks_at_gpus(self) -> bool:
        """Its program is nvidia-smi."""
        return list(self.pod["spec"]["containers"][0].get("command", ()))[:1] == [SMI]

    @property
    def is_engine(self) -> bool:
        """Its program is an inference server."""
        return is_engine(self.pod["spec"]["containers"][0])

    @property
    def engine_args(self) -> EngineArgs:
        return of_container(self.pod["spec"]["containers"][0], self.settings(self.pod))

    @property
    def own_trouble(self) -> Trouble | None:
        """What an engine's own manifest brings upon it: arguments that it refuses, a probe that waits too short."""
        if not self.is_engine:
            return None
        args = self.engine_args
        if args.error:
            return Trouble("crash-loop", exit_code=args.exit_code, message=args.error)
        patience = patience_seconds(self.pod["spec"]["containers"][0])
        if patience is not None and patience < self.ready_seconds:
            return Trouble("probe", exit_code=137, ending="probe-too-short")
        return None

    @property
    def crash_seconds(self) -> float:
        """From its start to the end that its trouble brings."""
        if self.suffers("probe"):
            return patience_seconds(self.pod["spec"]["containers"][0]) or CRASH_SECONDS
        ending = ENDINGS.get(self.trouble.ending) if self.trouble else None
        return ending.part * self.ready_seconds if ending else CRASH_SECONDS

    @property
    def is_script(self) -> bool:
        """A shell's lines that end, such as a download."""
        once = self.pod["spec"].get("restartPolicy", "Always") != "Always"
        return once and list(self.pod["spec"]["containers"][0].get("command", ()))[:1] == ["sh"]

    @property
    def ready_seconds(self) -> float:
        """From its start to being ready."""
        told = seconds_of(self.pod, READY_SECONDS)
        return told if told is not None else ENGINE_SECONDS if self.is_engine else 0.0

    @property
    def run_seconds(self) -> float | None:
        """From being ready to its end; None where it runs until somebody ends it."""
        if self.looks_at_gpus:
            return SMI_SECONDS
        told = seconds_of(self.pod, RUN_SECONDS)
        return SCRIPT_SECONDS if told is None and self.is_script else told

    def enter(self, stage: Stage, at: datetime, seconds: float | None) -> None:
        if (stage is Stage.READY) != (self.stage is Stage.READY):
            self.ready_changed_at = at
        self.stage, self.since = stage, at
        self.until = None if seconds is None else at + timedelta(seconds=seconds)

    def suffers(self, *kinds: str) -> bool:
        return self.trouble is not None and self.trouble.kind in kinds


def seconds_of(pod: Mapping[str, Any], annotation: str) -> float | None:
    """A pace that the pod's annotations set; what is no number counts as not set."""
    text = (pod["metadata"].get("annotations") or {}).get(annotation, "")
    return float(text) if text.replace(".", "", 1).isdigit() else None
