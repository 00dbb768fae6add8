"""Fewer GPUs than there should be: one did not come up at boot, or fell off.

All that looks at a node from within can agree on a wrong number: labels, claims and nodes like it tell the right one.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_fault import told
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.words import count, names
from bot.gpu.stack.expected import Expected, twins


def _judge(scene: Scene) -> Iterator[Finding]:
    found = [one for one in scene.faults if one.id == "missing"]
    yield from (told(scene, one, Severity.CRITICAL) for one in found)
    expected = twins(scene.sight.fleet, scene.node)
    if found or expected is None or not expected.count:
        return
    for who, number in _counts(scene):
        if number < expected.count:
            yield _short(scene, who, number, expected)
            return


def _counts(scene: Scene) -> Iterator[tuple[str, int]]:
    """Who counts GPUs from within, and how many it sees. Slices of MIG are none, and a young node still comes up."""
    if scene.agent_gpus:
        yield "the driver lists", len(scene.agent_gpus)
    if scene.dcgm_gpus and not scene.young:
        yield "DCGM tells of", len(scene.dcgm_gpus)


def _short(scene: Scene, who: str, number: int, expected: Expected) -> Finding:
    not_started = scene.kernel.not_started if scene.kernel else ()
    return Finding(
        state=State.FIRING,
        severity=Severity.CRITICAL,
        subject=scene.subject(),
        sentence=f"{scene.name} should have {count(expected.count or 0, 'GPU')} ({expected.source}), "
        f"and {who} {number}",
        evidence=(
            f"Kubernetes is offered {scene.sight.offered}",
            *((f"kernel: the driver could not start {names(not_started)}",) if not_started else ()),
        ),
        remedies=(
            remedies.look(scene, "Count what the driver sees, and compare with `lspci -d 10de:`", "-L"),
            remedies.evidence(scene),
            *remedies.move(scene),
            remedies.reboot(scene, "if it is still missing after that, power the machine off and on, or replace it"),
        ),
    )


CHECK = Check(
    id="gpu.count",
    title="it has fewer GPUs than it should",
    severity=Severity.CRITICAL,
    source="aws/eks-node-monitoring-agent: NvidiaDeviceCountMismatch, facebookresearch/gcm",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)
