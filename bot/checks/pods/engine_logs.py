"""What logs of GPU pods say of the driver: the reading of each, once for several checks."""

from collections.abc import Iterator

from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import Scene
from bot.domain.evidence import LogRef
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.serving.reading import Match, read


def matches(scene: Scene, ids: frozenset[str]) -> Iterator[tuple[Pod, Match]]:
    """Pods whose log ends with one of those known lines: not one of an earlier run, or before it became ready."""
    for pod in scene.sight.users:
        for ref in _logs(scene, pod):
            found = next(
                (one for one in read(scene.evidence.texts[ref]).matches if not one.past and one.signature.id in ids),
                None,
            )
            if found is not None:
                yield pod, found
                break


def untold(scene: Scene) -> list[Pod]:
    """GPU pods there whose logs nobody has read."""
    return [pod for pod in scene.sight.users if not list(_logs(scene, pod))]


def unknown(scene: Scene, pods: list[Pod]) -> Finding:
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=scene.subject() if len(pods) != 1 else Subject(node=scene.name, pod=pods[0].key),
        sentence=f"{scene.name}: the logs of its GPU pods were not read",
        missing=tuple(f"log of {pod.key}" for pod in pods[:4]),
    )


def fires(scene: Scene, pod: Pod, match: Match, severity: Severity, fact: str) -> Finding:
    return Finding(
        state=State.FIRING,
        severity=severity,
        subject=Subject(node=scene.name, pod=pod.key),
        sentence=f"{pod.key} on {scene.name} {fact}",
        evidence=(f"its log, {match.count}×: “{inert(match.line)}”",),
    )


def _logs(scene: Scene, pod: Pod) -> Iterator[LogRef]:
    for container in pod.containers:
        ref = LogRef(pod.namespace, pod.name, container.name)
        if ref in scene.evidence.texts:
            yield ref
