"""What a pod's small record says of its part in a node's GPUs: does it ask for some, what holds it up, since when."""

from datetime import UTC, datetime

from bot.domain.pod import ContainerState, Pod
from bot.domain.time import read_time
from bot.gpu.kind import is_gpu_resource

NOT_ENDED = "PodInitializing"
NO_IMAGE = frozenset("ErrImagePull ImagePullBackOff InvalidImageName ErrImageNeverPull".split())


def asks_gpu(pod: Pod) -> bool:
    """Whether the scheduler counts GPUs for the pod, or it has a claim on devices."""
    return bool(pod.claims) or any(amount and is_gpu_resource(name) for name, amount in pod.requests.items())


def stuck(pod: Pod) -> ContainerState | None:
    """The container that a pod is held up by: the first that has not done its work; None where all have."""
    if pod.finished or pod.deleted:
        return None
    for state in pod.states:
        done = state.ready or (state.terminated and state.exit_code == 0 and not state.waiting)
        if not done and state.waiting != NOT_ENDED:
            return state
    return None


def since(pod: Pod) -> str:
    """Since when a pod that is not ready has been so."""
    ready = pod.condition("Ready")
    return (ready.since if ready else "") or pod.started or pod.created


def clock(time: str | datetime | None) -> str:
    """`11:21` of a time; with its day where that is not today's is the caller's business."""
    moment = read_time(time) if isinstance(time, str) else time
    return f"{moment.astimezone(UTC):%H:%M}" if moment else ""
