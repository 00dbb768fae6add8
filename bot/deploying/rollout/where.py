"""Where one pod of an engine is, by its record, the whole object and the end of its log."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from bot.deploying.rollout.phase import Phase, Where
from bot.deploying.rollout.pulling import pull
from bot.deploying.rollout.weights import GB
from bot.domain.event import Event
from bot.domain.evidence import Evidence, LogRef
from bot.domain.fields import Fields
from bot.domain.pod import Container, Pod
from bot.domain.text import inert
from bot.domain.time import read_time, seconds_since
from bot.domain.words import names
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
Took = tuple[tuple[Phase, float], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What others tell of a pod. events: about it, the newest first. image_bytes: of its image, 0 where nobody knows.

    download: how far its weights have come.
    """

    events: tuple[Event, ...] = ()
    image_bytes: int = 0
    download: str = "waits for the download"


NOTHING_TOLD = Told()


def where(pod: Pod, evidence: Evidence, now: datetime, told: Told = NOTHING_TOLD) -> Where:
    """What cannot be told from the log is told from the record alone."""
    main = next((one for one in pod.containers if not one.init), None)
    found = _where(pod, main, evidence, now, told)
    pulled = pull(told.events, main.image if main is not None else "")
    size = pulled.size_bytes or told.image_bytes
    took = dict(found.took)
    if pulled.seconds is not None and Phase.IMAGE in took:
        took[Phase.IMAGE] = pulled.seconds  # without what volumes and containers took
    return replace(found, took=tuple(took.items()), image=f"{size / GB:.0f} GB" if size else "")


def _where(pod: Pod, main: Container | None, evidence: Evidence, now: datetime, told: Told) -> Where:
    whole = evidence.object("Pod", pod.namespace, pod.name)
    took = tuple(_took(pod, whole))
    if well(pod):
        return Where(pod.name, Phase.READY, pod.node, took=took, says="ready")
    if not pod.node:
        return _placeless(pod, now, took)
    state = next((one for one in pod.states if main is not None and one.name == main.name), None)
    started = _running_since(whole, main.name if main else "")
    if state is not None and state.waiting in _PULL | _NEVER:
        image = main.image if main is not None else ""
        return Where(pod.name, Phase.IMAGE, pod.node, failed=f"{state.waiting}: {inert(image, QUOTE)}", took=took)
    if started is None and not (state is not None and (state.restarts or state.waiting == "CrashLoopBackOff")):
        return _before(pod, whole, now, took, told)
    log = _log(pod, main.name if main else "", evidence)
    progress = log.progress if log else None
    phase = _FROM_LOG[progress.phase] if progress is not None else Phase.LOADING
    phase = Phase.WARM if phase is Phase.READY else phase  # it says so, and its probe has not passed yet
    restarts = state.restarts if state is not None else 0
    failed = _crash(log, restarts) if restarts >= RESTARTS else ""
    since = _since(progress, started, now)
    return Where(pod.name, phase, pod.node, since, progress.summary if progress else "starts", failed, took)


def _placeless(pod: Pod, now: datetime, took: Took) -> Where:
    """A gate holds a pod back from the scheduler: quota or a queue have not let it in."""
    since = seconds_since(pod.created, now)
    if pod.gated:
        gates = names([inert(one, QUOTE) for one in pod.spec.gates]) or "a gate"
        return Where(pod.name, Phase.ADMITTED, "", since, f"held back by {gates}", took=took)
    return Where(pod.name, Phase.SCHEDULED, "", since, "waits for a node", took=took)


def _before(pod: Pod, whole: Fields, now: datetime, took: Took, told: Told) -> Where:
    """Its engine does not run yet: its weights are waited for, or volumes and image are brought."""
    scheduled = read_time(whole.condition("PodScheduled").text("lastTransitionTime"))
    since = (now - scheduled).total_seconds() if scheduled else seconds_since(pod.created, now)
    init = next((one for one in whole.each("status", "initContainerStatuses") if one.text("name") == "weights"), None)
    if init is not None and init.get("state", "running"):
        begun = read_time(init.text("state", "running", "startedAt"))
        waits = (now - begun).total_seconds() if begun else since
        return Where(pod.name, Phase.WEIGHTS, pod.node, waits, told.download, took=took)
    going = any(pull(told.events, one.image).going for one in pod.containers)
    large = f" of {told.image_bytes / GB:.0f} GB" if told.image_bytes else ""
    says = f"its image{large} is pulled" if going else "volumes and image are brought"
    return Where(pod.name, Phase.IMAGE, pod.node, since, says, took=took)


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
