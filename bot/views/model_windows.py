"""Where a model's figures come from: windows that the running bot keeps, else one look at the engines' metrics."""

from collections.abc import Iterable, Iterator

from bot.command import Request
from bot.domain.engine_told import OLD_SECONDS
from bot.domain.engine_window import EngineWindow
from bot.domain.evidence import MetricsRef, Wanted
from bot.domain.pod import Pod
from bot.domain.words import count, duration, names
from bot.scaling.served import Served
from bot.serving.figures import Figures, figures, window_of
from bot.serving.metrics.read import read
from bot.why.rolling import well

ASKED = 16  # engines, where each has to be asked for this one answer
ONE_LOOK = "one look tells no rates; the running bot keeps the last minutes"


def wanted(request: Request, every: Iterable[Served]) -> Wanted:
    """Metrics, where nobody keeps windows."""
    if keeps(request):
        return Wanted()
    pods = [pod for one in every for pod in one.speakers if pod.phase == "Running"]
    return Wanted(tuple(MetricsRef(pod.namespace, pod.name) for pod in pods[:ASKED]))


def keeps(request: Request) -> bool:
    return request.cluster.engines is not None


def windows(request: Request, one: Served) -> list[EngineWindow | None]:
    """One for each engine that runs; None where it was not told."""
    return [window(request, pod) for pod in _speaking(request, one)]


def told(request: Request, one: Served) -> Figures:
    return figures(windows(request, one))


def unknown(request: Request, one: Served, seen: Figures) -> Iterator[str]:
    """What of its figures could not be had, and why."""
    running = _speaking(request, one)
    if not running:
        return
    if seen.told < seen.asked:
        silent = [pod for pod in running if not window(request, pod)]
        who = f"{count(len(silent), 'engine')} of {one.typed} ({names([pod.name for pod in silent], 3)})"
        yield f"metrics of {who}: {_why(request, silent[0])}"
    elif seen.tokens_per_second is None and not keeps(request):
        yield f"tokens per second of {one.typed}: {ONE_LOOK}"


def window(request: Request, pod: Pod) -> EngineWindow | None:
    keeper = request.cluster.engines
    if keeper is not None:
        kept = keeper.window(request.cluster.name, pod.uid)
        return None if kept and _silent_seconds(request, kept) > OLD_SECONDS else kept
    text = request.evidence.metrics(pod.namespace, pod.name)
    return window_of(read(text, taken_at=request.now)) if text else None


def _why(request: Request, pod: Pod) -> str:
    missing = request.evidence.missing.get(MetricsRef(pod.namespace, pod.name), "")
    if missing:
        return missing
    keeper = request.cluster.engines
    kept = keeper.window(request.cluster.name, pod.uid) if keeper is not None else None
    if kept:
        return f"they were last told {duration(_silent_seconds(request, kept))} ago, and what was then is not now"
    if keeps(request):
        return "they have not been read since this bot started, or are out of its reach"
    return "what answered is no engine's page" if _text(request, pod) else "nobody here reads engines' metrics"


def _silent_seconds(request: Request, kept: EngineWindow) -> float:
    """Since its newest reading."""
    last = kept.last
    return (request.now - last.taken_at).total_seconds() if last is not None and last.taken_at is not None else 0.0


def _text(request: Request, pod: Pod) -> str:
    return request.evidence.metrics(pod.namespace, pod.name)


def _speaking(request: Request, one: Served) -> list[Pod]:
    """Engines that can be expected to tell something: one that still loads does not answer anybody."""
    return [pod for pod in one.speakers if well(pod) or (pod.phase == "Running" and window(request, pod))]
