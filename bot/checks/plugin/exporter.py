"""The DCGM exporter of a node crashes or does not get ready: the measurements are gone, which is not the GPUs gone.

A crash at its start can be a GPU in an error state, two exporters on one node, another profiler, or too little memory.
"""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pod import ContainerState, Pod
from bot.domain.words import count, duration
from bot.gpu.stack.commands import logs
from bot.gpu.stack.pods import since, stuck

PATIENCE_SECONDS = 300.0


def _judge(scene: Scene) -> Iterator[Finding]:
    hangs = any(one.id == "driver_hangs" for one in scene.faults)
    for pod in scene.exporters:
        held = stuck(pod)
        age = scene.sight.age(since(pod))
        if held is not None and not scene.young and (held.restarts > 1 or age is None or age > PATIENCE_SECONDS):
            yield _fires(scene, pod, held, age, hangs)


def _fires(scene: Scene, pod: Pod, held: ContainerState, age: float | None, hangs: bool) -> Finding:
    how = f"crashes ({count(held.restarts, 'restart')}{f', {held.terminated}' if held.terminated else ''})"
    for_long = f" for {duration(max(1.0, age))}" if age is not None else ""
    return Finding(
        state=State.FIRING,
        severity=Severity.WARNING,
        subject=scene.subject(),
        sentence=f"{scene.name}'s DCGM exporter {pod.key} "
        f"{how if held.restarts else 'is not ready'}{for_long}: its GPUs are not measured",
        evidence=("the driver hangs there, which holds it up too",) if hangs else (),
        remedies=(
            Remedy("Read its log", logs(pod, held.name, previous=held.restarts > 0)),
            Remedy(
                "Where it was killed for its memory, give it 512 MiB; leave out DCGM_FI_PROF metrics where those fail"
            ),
        ),
    )


CHECK = Check(
    id="plugin.exporter",
    title="its DCGM exporter does not work",
    severity=Severity.WARNING,
    source="NVIDIA/dcgm-exporter#148, #330, #126",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
