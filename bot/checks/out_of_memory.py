"""What ran out of memory on a node since some moment: logs of its GPU pods, killed containers, the node's events."""

from collections.abc import Iterator
from datetime import datetime

from bot.checks.pods import engine_logs
from bot.checks.scene import Scene
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.time import read_time
from bot.domain.words import count
from bot.serving.reading import Match
from bot.serving.signatures import SIGNATURES

_KILLED = "OOMKilled"
_NODE_EVENTS = ("OOMKilling", "SystemOOM")  # node-problem-detector's and the kubelet's


def after(scene: Scene, since: datetime) -> list[str]:
    """Each in a sentence. What does not say when it happened counts only for pods that were made later."""
    return [*_logs(scene, since), *_killed(scene, since), *_events(scene, since)]


def _logs(scene: Scene, since: datetime) -> Iterator[str]:
    known = frozenset(
        one.id for one in SIGNATURES if one.id.startswith("gpu-memory-") or one.id == "tensorrt-gpu-memory"
    )
    for pod, match in engine_logs.matches(scene, known):
        at = _at(match, scene.now)
        if at >= since if at is not None else _made_after(pod, since):
            when = f" at {at:%Y-%m-%d %H:%M}" if at is not None else ""
            yield f"{pod.key} ran out of GPU memory{when}: “{inert(match.line, 120)}”"


def _at(match: Match, now: datetime) -> datetime | None:
    return match.stamp.at(now) if match.stamp is not None else None


def _killed(scene: Scene, since: datetime) -> Iterator[str]:
    for pod in scene.sight.users:
        state = next((one for one in pod.states if one.terminated == _KILLED), None)
        if state is not None and _made_after(pod, since):
            times = f", {count(state.restarts, 'restart')} so far" if state.restarts else ""
            yield f"{pod.key} was killed for its memory (OOMKilled{times})"


def _made_after(pod: Pod, since: datetime) -> bool:
    made = read_time(pod.created)
    return made is not None and made >= since


def _events(scene: Scene, since: datetime) -> Iterator[str]:
    for one in scene.sight.events:
        at = read_time(one.time)
        if one.reason in _NODE_EVENTS and at is not None and at >= since:
            yield f"{scene.name} at {at:%Y-%m-%d %H:%M}: {one.reason}: {inert(one.message, 100)}"
