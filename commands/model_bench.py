"""`/model bench`: a short load on one replica of a model, for latency and throughput.

    /model bench glm                    1, 4, 8 and 16 requests at once, 60 seconds and 200 requests at most
    /model bench glm seconds=30         shorter
    /model bench glm busy=yes           also where requests wait already, or where that cannot be seen

Sent to the ready replica with least to do, for whoever may operate. Each request is of plain words, never the same
twice, so that no cache answers it. The result is a table with a bar a line: tokens per second, the time to the first
token (median, 95th percentile), from token to token, and the whole answer, beside the measurement before. The last
twenty of each workload are kept. In a terminal it is a preview and nothing is sent.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.bench import CONCURRENCIES, SECONDS_MOST, Bench, Load, RunBench
from bot.domain.errors import ConflictError, UsageError
from bot.domain.evidence import ObjectRef, Wanted
from bot.domain.pod import Pod
from bot.gpu.kind import short
from bot.grammar import quoted
from bot.scaling.served import KINDS, Served
from bot.scaling.served_named import named
from bot.scaling.served_place import product_label
from bot.serving.endpoints import endpoints
from bot.serving.figures import figures
from bot.views import model_bench, model_windows
from bot.why.rolling import well

TYPED = "/model bench"
LEAST_SECONDS = 20
LOOKED_AT = 4  # replicas
ENGINES = ("vllm", "sglang")


def _served(request: Request) -> Served:
    """Raises UsageError, NotFoundError, UpstreamError, ConflictError."""
    if len(request.words) != 1:
        words = quoted(" ".join(request.words))
        told = f"One model at a time, not {words}." if request.words else "Measure which model?"
        raise UsageError(f"{told} For example `{TYPED} glm`; `/model list` lists them.")
    one = named(request.cluster.view, request.words[0], request.options.get("namespace", ""), TYPED)
    if one.engine not in ENGINES:
        other = one.engine or "an engine that gpubot does not know"
        raise UsageError(f"{one.typed} runs {other}; a load can be put on {' and '.join(ENGINES)}.")
    if not any(well(pod) for pod in one.speakers):
        raise ConflictError(f"No replica of {one.typed} is ready, so there is nothing to measure: `/why {one.typed}`.")
    return one


def _seconds(request: Request) -> int:
    text = request.options.get("seconds", str(SECONDS_MOST))
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
    if not LEAST_SECONDS <= number <= SECONDS_MOST:
        raise UsageError(
            f"`seconds` is a number from {LEAST_SECONDS} to {SECONDS_MOST}, not {quoted(text)}: "
            f"`{TYPED} {request.words[0] if request.words else 'glm'} seconds=30`."
        )
    return number


def wants(request: Request) -> Wanted:
    one = _served(request)
    refs = tuple(ObjectRef("Pod", pod.namespace, pod.name) for pod in _ready(one))
    return Wanted(refs) + model_windows.wanted(request, [one])


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, UpstreamError; ConflictError where the engine is busy or nothing is ready."""
    one, seconds = _served(request), _seconds(request)
    pod, busy = _least_busy(request, one)
    queue = figures([model_windows.window(request, pod)])
    notes = _minded(request, one, queue.waiting)
    load = _load(request, one, pod, seconds, queue.models)
    product = product_label(request.cluster.view, one)
    about = Bench(
        cluster=request.cluster.name,
        workload=one.typed,
        model=one.model,
        pod=pod.name,
        at=request.now,
        engine=one.engine,
        version=(*queue.versions, one.version)[0],
        product=short(product),
        gpus=one.gpus,
        prompt_tokens=load.prompt_tokens,
        answer_tokens=load.answer_tokens,
        busy=busy,
    )
    return model_bench.preview(RunBench(load, about), notes)


def _minded(request: Request, one: Served, waiting: float | None) -> tuple[str, ...]:
    """Raises ConflictError where there is a queue, or none can be seen, and nobody said that it may be so."""
    told = request.options.get("busy") == "yes"
    if waiting is not None and waiting < 1:
        return ()
    what = (
        "whether requests wait there is not known"
        if waiting is None
        else f"{round(waiting):,} request{'s wait' if round(waiting) != 1 else ' waits'} there already"
    )
    if not told:
        raise ConflictError(
            f"{one.typed} is not measured: {what}. A load of ours would make others wait, and the figures would be of "
            f"no use. To do it all the same: `{TYPED} {one.typed} busy=yes`."
        )
    return (f"{what}: others wait longer while it is measured",)


def _ready(one: Served) -> list[Pod]:
    return [pod for pod in one.speakers if well(pod)][:LOOKED_AT]


def _least_busy(request: Request, one: Served) -> tuple[Pod, float | None]:
    """Its requests now; None where that is not known. Replicas that are seen come first."""
    found = []
    for pod in _ready(one):
        window = model_windows.window(request, pod)
        there = window.last.requests if window and window.last is not None else None
        found.append((there is None, there or 0.0, pod.name, pod, there))
    *_, pod, there = min(found, key=lambda each: each[:3])
    return pod, there


def _load(request: Request, one: Served, pod: Pod, seconds: int, models: tuple[str, ...]) -> Load:
    whole = request.evidence.object("Pod", pod.namespace, pod.name)
    place = next(iter(endpoints(whole)), None) if whole else None
    path = one.told.served_name.replace(",", " ").split()
    return Load(
        namespace=pod.namespace,
        pod=pod.name,
        model=next(iter((*models, *path, one.told.model)), one.model),
        port=place.port if place is not None else one.told.port or (30_000 if one.engine == "sglang" else 8_000),
        address=whole.text("status", "podIP"),
        scheme=place.scheme if place is not None else "http",
        concurrencies=CONCURRENCIES,
        seconds=seconds,
    )


COMMAND = Command(
    words=("model", "bench"),
    summary="A short load on a model, for latency and throughput",
    access=Access.READ,
    examples=("/gpu model bench glm", "/gpu model bench glm seconds=30"),
    run=run,
    options=(
        Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),
        Option("seconds", f"how long, {LEAST_SECONDS} to {SECONDS_MOST}", "seconds=30"),
        Option("busy", "also where requests wait already", "busy=yes", choices=("yes", "no")),
    ),
    takes_words="NAME",
    page=__doc__ or "",
    needs=KINDS,
    wants=wants,
)
