"""Checks that ask each GPU of a node the same question, and say of which GPUs nobody told."""

from collections.abc import Callable, Iterable, Iterator

from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Reads, Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import names

NOT_SUPPORTED = 3  # NVML_ERROR_NOT_SUPPORTED: the product has no such thing, which is no fault
READINGS = frozenset({Reads.AGENT, Reads.DCGM})
Told = Callable[[GpuReading], object]
Judge = Callable[[Scene, GpuReading], Iterable[Finding]]


def each(told: Told, what: str, judge: Judge, *, calls: tuple[str, ...] = ()) -> Callable[[Scene], Iterator[Finding]]:
    """A judge for a check. `told` gives None where a GPU's reading lacks what is asked, which is called `what`.

    calls: NVML's names of it: a product that does not support one of them has nothing to tell.
    """

    def judged(scene: Scene) -> Iterator[Finding]:
        untold: list[GpuReading] = []
        for gpu in scene.gpus:
            if any(gpu.errors.get(call) == NOT_SUPPORTED for call in calls):
                continue
            if told(gpu) is None:
                untold.append(gpu)
            else:
                yield from judge(scene, gpu)
        if untold or not scene.gpus:
            yield _unknown(scene, untold, what)

    return judged


def fires(
    scene: Scene,
    gpu: GpuReading,
    severity: Severity,
    fact: str,
    *,
    evidence: Iterable[str] = (),
    remedies: Iterable[Remedy] = (),
    useless: Iterable[str] = (),
) -> Finding:
    """`fact` goes on after the GPU's name: "gpu-9's GPU 3 …"."""
    return Finding(
        state=State.FIRING,
        severity=severity,
        subject=scene.subject(gpu),
        sentence=f"{scene.name}'s GPU {gpu.index} {fact}",
        evidence=(*evidence, *_who(gpu)),
        remedies=tuple(remedies),
        useless=tuple(useless),
    )


def _who(gpu: GpuReading) -> Iterator[str]:
    ids = ", ".join(part for part in (gpu.name, gpu.uuid, f"serial {gpu.serial}" if gpu.serial else "") if part)
    if ids:
        yield f"GPU {gpu.index}: {ids}"
    if gpu.pods:
        yield f"held by {names(list(gpu.pods))}"


def _unknown(scene: Scene, untold: list[GpuReading], what: str) -> Finding:
    some = bool(untold) and len(untold) < len(scene.gpus)
    who = f"{scene.name}'s GPU {names([str(gpu.index) for gpu in untold], 8)}" if some else scene.name
    asked = [scene.why_missing(one) for one in (Reads.AGENT, Reads.DCGM) if one not in scene.at_hand]
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=scene.subject(untold[0] if some and len(untold) == 1 else None),
        sentence=f"{who}: {what} not told",
        missing=tuple(asked) or (what,),
    )
