"""A fleet in which nothing is wrong, minute by minute: rollouts, loads, autoscaling, driver upgrades, programs that fail.

`Week.at(now)` is the cluster as it is then, with what would be looked up of it.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bot.domain.evidence import Evidence, LogRef, NodeRef, ObjectRef, Ref
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState, Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.sweep.sweep import KINDS
from tests.factories import a_node
from tests.why.builders_owners import a_deployment, a_replicaset, owners_view

GPU = "nvidia.com/gpu"
PULLS, LOADS, GRACE = 90, 8 * 60, 30  # seconds
STEP = timedelta(seconds=30)
PROBED = {
    "name": "vllm",
    "image": "vllm/vllm-openai:v0.11.0",
    "startupProbe": {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10, "failureThreshold": 180},
    "readinessProbe": {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10},
    "resources": {"limits": {GPU: "2"}},
}
LOADING = "INFO 11-30 12:00:00 [gpu_model_runner.py:2602] Starting to load model zai-org/GLM-4.6-FP8...\n"
SERVING = LOADING + "INFO:     Application startup complete.\n"


def text(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Life:
    """One pod's life: made, placed half a minute later, pulled, loaded, Ready, and taken away some day."""

    name: str
    version: str
    node: str
    made: datetime
    ends: datetime | None = None
    pulls: int = PULLS

    @property
    def ready_at(self) -> datetime:
        return self.made + timedelta(seconds=30 + self.pulls + LOADS)


@dataclass
class Week:
    """What happens is written down with its times beforehand; `kernel` are messages with theirs."""

    start: datetime
    lives: list[Life] = field(default_factory=list)
    replicas: list[tuple[datetime, int]] = field(default_factory=list)
    upgrades: list[tuple[datetime, str]] = field(default_factory=list)
    kernel: list[tuple[datetime, str, str]] = field(default_factory=list)
    busy: list[datetime] = field(default_factory=list)

    def at(self, now: datetime) -> tuple[View, Evidence]:
        alive = [one for one in self.lives if one.made <= now and (one.ends is None or now < _gone(one.ends))]
        wanted = next((number for since, number in reversed(self.replicas) if since <= now), 4)
        deployment = a_deployment(replicas=wanted, status={"replicas": len(alive)})
        sets = [
            a_replicaset(
                deployment,
                f"glm-{version}",
                replicas=_count(alive, version),
                status={"replicas": _count(alive, version)},
            )
            for version in sorted({one.version for one in alive})
        ]
        pods = {one.name: _pod(one, sets, now) for one in alive}
        nodes = [self._node(f"gpu-{number}", now) for number in range(1, 5)]
        view = owners_view(*nodes, *pods.values(), deployment, *sets)
        for kind in KINDS:
            view.sources[kind] = Source(kind, Reading.LIVE, now)
        return view, Evidence(dict(_objects(pods)), dict(self._texts(alive, pods, now)))

    def roll(self, at: datetime, version: str) -> None:
        """A new version, pod by pod: the next one when this one is Ready."""
        for place, old in enumerate([one for one in self.lives if one.ends is None]):
            new = Life(f"glm-{version}-{place}", version, old.node, at)
            old.ends = new.ready_at + timedelta(seconds=10)
            self.lives.append(new)
            self._watch(at, new.ready_at + timedelta(minutes=3))
            at = new.ready_at + timedelta(seconds=20)

    def scale(self, at: datetime, until: datetime) -> None:
        """Two more for some time."""
        version = self.lives[-1].version
        for place in (8, 9):
            self.lives.append(Life(f"glm-{version}-{at:%d%H}-{place}", version, "gpu-4", at, until))
        self.replicas += [(at, 6), (until, 4)]
        self._watch(at, at + timedelta(minutes=14))
        self._watch(until, until + timedelta(minutes=5))

    def upgrade(self, at: datetime, node: str) -> None:
        self.upgrades.append((at, node))
        self._watch(at, at + timedelta(minutes=15))

    def fail(self, at: datetime, node: str, xid: int) -> None:
        """A program did something that it may not."""
        self.kernel.append((at, node, f"NVRM: Xid (PCI:0000:1b:00): {xid}, pid=4711, name=python3, Graphics Exception"))
        self._watch(at, at + timedelta(minutes=10))

    def looks(self, days: int) -> list[datetime]:
        """Every half hour, and every half minute while something happens."""
        quiet = {self.start + timedelta(minutes=30 * step) for step in range(days * 48)}
        return sorted(quiet | set(self.busy))

    def _watch(self, since: datetime, until: datetime) -> None:
        first = self.start + STEP * ((since - self.start) // STEP)
        self.busy += [first + STEP * step for step in range(int((until - since) / STEP))]

    def _node(self, name: str, now: datetime) -> Any:
        begun = next(
            (at for at, node in self.upgrades if node == name and at <= now < at + timedelta(minutes=12)), None
        )
        ready = Condition("Ready", "True", since=text(self.start - timedelta(days=9)))
        created = text(self.start - timedelta(days=30))
        if begun is None:
            return a_node(name, conditions=(ready,), created=created)
        labels = {"nvidia.com/gpu-driver-upgrade-state": "pod-restart-required"}
        return a_node(name, conditions=(ready,), created=created, unschedulable=True, more_labels=labels)

    def _texts(self, alive: list[Life], pods: dict[str, Pod], now: datetime) -> Any:
        for one in alive:
            pod = pods[one.name]
            if pod.node and pod.phase == "Running":
                yield LogRef("llm", one.name, "vllm"), SERVING if now >= one.ready_at else LOADING
        for number in range(1, 5):
            said = [(at, line) for at, node, line in self.kernel if node == f"gpu-{number}" and at <= now]
            ref: Ref = NodeRef("kernel", f"gpu-{number}")
            yield ref, "".join(f"{at:%Y-%m-%dT%H:%M:%S},000000+00:00 {line}\n" for at, line in said)


def _gone(ends: datetime) -> datetime:
    return ends + timedelta(seconds=GRACE)


def _count(alive: list[Life], version: str) -> int:
    return sum(1 for one in alive if one.version == version)


def _objects(pods: dict[str, Pod]) -> Any:
    for name, pod in pods.items():
        whole = {"spec": {"containers": [PROBED]}, "metadata": {"name": name}, "status": {"startTime": pod.created}}
        yield ObjectRef("Pod", "llm", name), Fields(whole)


def _pod(one: Life, sets: list[Any], now: datetime) -> Pod:
    owner = next(each for each in sets if each.name == f"glm-{one.version}")
    common: dict[str, Any] = {
        "name": one.name,
        "namespace": "llm",
        "uid": f"uid-{one.name}",
        "created": text(one.made),
        "owner": Owner("ReplicaSet", owner.name, owner.uid),
        "labels": {"app": "glm", "pod-template-hash": one.version},
        "requests": {"cpu": 1000, GPU: 2},
        "containers": (Container("vllm", "vllm/vllm-openai:v0.11.0"),),
    }
    placed, pulled = one.made + timedelta(seconds=30), one.made + timedelta(seconds=30 + one.pulls)
    if now < placed:
        return Pod(phase="Pending", **common)
    if now < pulled:
        waits = (ContainerState("vllm", waiting="ContainerCreating"),)
        unready = (Condition("Ready", "False", since=text(placed)),)
        return Pod(phase="Pending", node=one.node, states=waits, conditions=unready, started=text(placed), **common)
    deleted = text(_gone(one.ends)) if one.ends is not None and now >= one.ends else ""
    well = now >= one.ready_at
    conditions = () if well else (Condition("Ready", "False", since=text(placed)),)
    states = (ContainerState("vllm", ready=well),)
    return Pod(
        phase="Running",
        node=one.node,
        states=states,
        conditions=conditions,
        started=text(placed),
        deleted=deleted,
        **common,
    )
