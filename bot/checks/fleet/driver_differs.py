"""Nodes of one pool with different drivers: an upgrade that stopped half way, or one node that was made another way.

Pools are compared by the label that names them, else by product and machine type. A roll-out under way is worth
knowing.
"""

from collections.abc import Iterator

from bot.checks.check import FleetCheck, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import FleetScene, Scene
from bot.domain.words import count, names
from bot.gpu.cordon import UPGRADE_STATE, upgrading
from bot.gpu.kind import product_label
from bot.gpu.stack.expected import INSTANCE_TYPE


def _judge(fleet: FleetScene) -> Iterator[Finding]:
    pools: dict[str, list[Scene]] = {}
    for scene in fleet.scenes:
        pools.setdefault(_pool(scene), []).append(scene)
    for pool, scenes in sorted(pools.items()):
        told = [scene for scene in scenes if scene.driver_version]
        if len({scene.driver_version for scene in told}) > 1:
            yield _fires(pool, told)
        elif len(told) < len(scenes) and len(scenes) > 1:
            yield _unknown(pool, [scene for scene in scenes if not scene.driver_version])


def _pool(scene: Scene) -> str:
    labels = scene.node.labels
    machine = f"{product_label(labels) or 'GPU'} nodes of type {labels.get(INSTANCE_TYPE, 'unknown')}"
    return f"pool {scene.pool}" if scene.pool else machine


def _fires(pool: str, scenes: list[Scene]) -> Finding:
    by_version: dict[str, list[str]] = {}
    for scene in scenes:
        by_version.setdefault(scene.driver_version, []).append(scene.name)
    order = sorted(by_version.items(), key=lambda one: (len(one[1]), one[0]))
    rolling = any(_rolls(scene) for scene in scenes)
    parts = [f"{version} on {names(nodes)} ({count(len(nodes), 'node')})" for version, nodes in order]
    return Finding(
        state=State.FIRING,
        severity=Severity.INFO if rolling else Severity.WARNING,
        subject=Subject(pool=pool),
        sentence=f"{pool} has different drivers: {'; '.join(parts[:4])}",
        evidence=("a driver upgrade is under way there",) if rolling else (),
        passes=rolling,
    )


def _rolls(scene: Scene) -> bool:
    return upgrading(scene.node) or scene.node.labels.get(UPGRADE_STATE) == "upgrade-required"


def _unknown(pool: str, scenes: list[Scene]) -> Finding:
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=Subject(pool=pool),
        sentence=f"{pool}: the driver of {names([scene.name for scene in scenes])} was not told",
        missing=tuple(f"driver version of {scene.name}" for scene in scenes[:4]),
    )


CHECK = FleetCheck(
    id="fleet.driver_differs",
    title="drivers differ inside a pool",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-driver-upgrades.html",
    docs=__doc__ or "",
    needs=frozenset({"nodes"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
