"""What kubelets said of pods of a node that bears on its driver: the container toolkit's errors come as pods' events.

A container that cannot be given its GPUs has no log; the runtime's own words stand in the event that the kubelet sends.
"""

from collections.abc import Iterator

from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.gpu.plugin_log import Said, Sign, read
from bot.gpu.stack.sight import Sight

RECENT_SECONDS = 3600.0
_STARTS = frozenset({"Failed", "FailedCreatePodSandBox", "FailedKillPod", "FailedStopPod", "FailedSync"})


def on_node(sight: Sight, *signs: Sign) -> tuple[Pod, Event, Said] | None:
    """The newest event of the last hour about a pod there whose message has one of the signs."""
    found = [(pod, event, said) for pod, event in _events(sight) if (said := read(event.message).find(*signs))]
    return max(found, key=lambda one: one[1].time, default=None)


def _events(sight: Sight) -> Iterator[tuple[Pod, Event]]:
    for pod in sight.pods:
        for event in sight.view.events_on("Pod", pod.namespace, pod.name):
            age = sight.age(event.time)
            if event.reason in _STARTS and (age is None or age <= RECENT_SECONDS):
                yield pod, event
