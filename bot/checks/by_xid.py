"""Checks that look for certain Xids. Of a burst only its first number counts; the rest follows from it."""

from collections.abc import Callable, Iterable, Iterator

from bot.checks import remedies
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import Reads, Scene
from bot.checks.xid_events import Burst, nonfatal
from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.gpu import xid

TOLD_BY = frozenset({Reads.KERNEL, Reads.AGENT, Reads.DCGM})
_OF_URGENCY = {
    xid.Urgency.NOW: Severity.CRITICAL,
    xid.Urgency.TODAY: Severity.WARNING,
    xid.Urgency.KNOW: Severity.INFO,
}
Advise = Callable[[Scene, Burst], Iterable[Remedy]]


def xids(codes: Iterable[int], *, advise: Advise | None = None) -> Callable[[Scene], Iterator[Finding]]:
    """A judge that fires for each GPU of which one of those codes was the cause of a burst in the last day.

    advise: what helps, where it is more than the catalogue says.
    """
    known = frozenset(codes)

    def judged(scene: Scene) -> Iterator[Finding]:
        yield from (fires(scene, group, advise) for group in caused_by(scene, known))

    return judged


def caused_by(scene: Scene, codes: frozenset[int]) -> Iterator[list[Burst]]:
    """The bursts that such a code began, by GPU, the oldest first."""
    by_bus: dict[str, list[Burst]] = {}
    for burst in scene.bursts:
        if burst.cause.code in codes:
            by_bus.setdefault(burst.bus, []).append(burst)
    yield from by_bus.values()


def fires(scene: Scene, group: list[Burst], advise: Advise | None = None, severity: Severity | None = None) -> Finding:
    """One finding for a GPU, told by its newest burst."""
    last = group[-1]
    entry = xid.of(last.cause.code)
    times = f", {count(len(group), 'time')} in 24 h" if len(group) > 1 else ""
    when = scene.sight.ago(last.at) or "at a time that nobody told"
    return Finding(
        state=State.FIRING,
        severity=severity or severity_of(last),
        subject=subject(scene, last),
        sentence=f"{whose(scene, last)} reported {entry.told} {when}{times}",
        evidence=tuple(_evidence(scene, group)),
        remedies=tuple(advise(scene, last) if advise else advice(scene, last)),
        at=last.at,
    )


def severity_of(burst: Burst) -> Severity:
    """By the catalogue; what the unit itself calls nonfatal, and what has no time, is a step milder."""
    told = _OF_URGENCY[xid.of(burst.cause.code).urgency]
    if nonfatal(burst.cause):
        return Severity.INFO
    return Severity.WARNING if told is Severity.CRITICAL and burst.at is None else told


def whose(scene: Scene, burst: Burst) -> str:
    return f"{scene.name}'s GPU {burst.gpu.index if burst.gpu is not None else inert(burst.bus, 40)}"


def subject(scene: Scene, burst: Burst) -> Subject:
    return scene.subject(burst.gpu) if burst.gpu is not None else Subject(node=scene.name, bus_id=inert(burst.bus, 40))


def advice(scene: Scene, burst: Burst) -> Iterator[Remedy]:
    entry = xid.of(burst.cause.code)
    if entry.of_gpu:
        yield remedies.evidence(scene)
    yield from remedies.clearing(scene, burst.gpu, burst.bus, entry.clears)


def _evidence(scene: Scene, group: list[Burst]) -> Iterator[str]:
    last = group[-1]
    for event in last.events[:3]:
        at = f"{event.at:%H:%M:%S} " if event.at else ""
        said = f": “{inert(event.text, 120)}”" if event.text else ""
        yield f"{at}Xid {event.code} on {inert(last.bus, 40)}{said}"
    follows = [str(code) for code in last.codes if code != last.cause.code]
    if follows:
        yield f"Xid {names(follows, 4)} in the same burst: of these {last.cause.code} is taken for the cause"
    entry = xid.of(last.cause.code)
    nvidia = f" (NVIDIA: {entry.buckets})" if entry.buckets else ""
    yield f"Xid {entry.code}: {entry.clears}{nvidia}{f'. {entry.note}' if entry.note else ''}"
    if scene.sight.users:
        yield f"GPU pods on the node: {names([pod.key for pod in scene.sight.users])}"
