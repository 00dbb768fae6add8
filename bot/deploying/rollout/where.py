"""Where one pod of an engine is, by its record, the whole object and the end of its log."""

from collections.abc import Iterator
from datetime import datetime

from bot.deploying.rollout.phase import Phase, Where
from bot.domain.evidence import Evidence, LogRef
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.time import read_time, seconds_since
from bot.serving.phase import Phase as Doing
from bot.serving.progress import Progress
from bot.serving.reading import Reading, read
from bot.why.rolling import well

_FROM_LOG = {
    Doing.START: Phase.LOADING,
    Doing.DOWNLOAD: Phase.WEIGHTS,
    Doing.WAITING: Phase.LOADING,
    Doing.LOAD: Phase.LOADING,
    Doing.COMPILE: Phase.COMPILING,
    Doing.WARM: Phase.WARM,
    Doing.READY: Phase.READY,
    Doing.SERVING: Phase.READY,
}
_PULL = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
_NEVER = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
RESTARTS = 2
QUOTE = 200


def where(pod: Pod, evidence: Evidence, now: datetime) -> Where:
    """What cannot be told from the log is told from the record alone."""
    whole = evidence.object("Pod", pod.namespace, pod.name)
    took = tuple(_took(pod, whole))
    if well(pod):
        return Where(pod.name, Phase.READY, pod.node, took=took, says="ready")
    if not pod.node:
        return Where(pod.name, Phase.SCHEDULED, "", seconds_since(pod.created, now), "waits for a node", took=took)
    main = next((one for one in pod.containers if not one.init), None)
    state = next((one for one in pod.states if main is not None and one.name == main.name), None)
    started = _running_since(whole, main.name if main else "")
    if state is not None and state.waiting in _PULL | _NEVER:
        image = main.image if main is not None else ""
        return Where(pod.name, Phase.IMAGE, pod.node, failed=f"{state.waiting}: {inert(image, QUOTE)}", took=took)
    if started is None and not (state is not None and (state.restarts or state.waiting == "CrashLoopBackOff")):
        return _before(pod, whole, now, took)
    told = _log(pod, main.name if main else "", evidence)
    progress = told.progress if told else None
    phase = _FROM_LOG[progress.phase] if progress is not None else Phase.LOADING
    phase = Phase.WARM if phase is Phase.READY else phase  # it says so, and its probe has not passed yet
    restarts = state.restarts if state is not None else 0
    failed = _crash(told, restarts) if restarts >= RESTARTS else ""
    since = _since(progress, started, now)
    return Where(pod.name, phase, pod.node, since, progress.summary if progress else "starts", failed, took)


def _before(pod: Pod, whole: Fields, now: datetime, took: tuple[tuple[Phase, float], ...]) -> Where:
    """Its engine does not run yet: its weights are waited for, or volumes and image are brought."""
    scheduled = read_time(whole.condition("PodScheduled").text("lastTransitionTime"))
    since = (now - scheduled).total_seconds() if scheduled else seconds_since(pod.created, now)
    init = next((one for one in whole.each("status", "initContainerStatuses") if one.text("name") == "weights"), None)
    if init is not None and init.get("state", "running"):
        begun = read_time(init.text("state", "running", "startedAt"))
        waits = (now - begun).total_seconds() if begun else since
        return Where(pod.name, Phase.WEIGHTS, pod.node, waits, "waits for the download", took=took)
    return Where(pod.name, Phase.IMAGE, pod.node, since, "volumes and image are brought", took=took)


def _log(pod: Pod, container: str, evidence: Evidence) -> Reading | None:
    text = evidence.texts.get(LogRef(pod.namespace, pod.name, container))
    previous = evidence.texts.get(LogRef(pod.namespace, pod.name, container, previous=True))
    return read(text or previous or "") if text or previous else None


def _crash(told: Reading | None, restarts: int) -> str:
    cause = told.cause if told else None
    why = f": {cause.cause}" if cause is not None else ""
    return f"it crashed {restarts} times{why}"


def _since(progress: Progress | None, started: datetime | None, now: datetime) -> float | None:
    """A log's own clock goes before the container's."""
    begun = progress.since.at(now) if progress is not None and progress.since is not None else None
    at = begun or started
    return max(0.0, (now - at).total_seconds()) if at is not None else None


def _running_since(whole: Fields, container: str) -> datetime | None:
    for one in whole.each("status", "containerStatuses"):
        if one.text("name") == container:
            return read_time(one.text("state", "running", "startedAt"))
    return None


def _took(pod: Pod, whole: Fields) -> Iterator[tuple[Phase, float]]:
    """Between the conditions that the API server has times of."""
    made, scheduled = read_time(pod.created), read_time(whole.condition("PodScheduled").text("lastTransitionTime"))
    if made is None or scheduled is None:
        return
    yield Phase.SCHEDULED, max(0.0, (scheduled - made).total_seconds())
    initialized = read_time(whole.condition("Initialized").text("lastTransitionTime"))
    starts = [at for one in whole.each("status", "containerStatuses") if (at := _started(one)) is not None]
    if starts:
        yield Phase.IMAGE, max(0.0, (min(starts) - (initialized or scheduled)).total_seconds())
        ready = read_time(whole.condition("Ready").text("lastTransitionTime"))
        if ready is not None and whole.condition("Ready").text("status") == "True":
            yield Phase.READY, max(0.0, (ready - min(starts)).total_seconds())


def _started(status: Fields) -> datetime | None:
    return read_time(status.text("state", "running", "startedAt"))
