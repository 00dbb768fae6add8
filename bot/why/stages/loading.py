"""The engine is still starting: how far it is, whether it moves, whether its start-up budget will do.

Loading hundreds of gigabytes takes 2 to 8 minutes from NVMe and 10 to 25 over NFS, compiling 10 to 20 more with a cold
cache. Failed startup probes are part of it. A Deployment's progressDeadlineSeconds is a clock of its own: when it has
run out, nothing is wrong with the pod yet.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.evidence import Wanted
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.words import count, duration
from bot.serving.phase import Phase
from bot.why.case import Case
from bot.why.containers import main
from bot.why.deadlines import enough_seconds
from bot.why.finding import NOTHING_WANTED, Finding, Level, Stage
from bot.why.shell import kubectl
from bot.why.started import slow_files
from bot.why.started.engine_words import engine_remedies, explained
from bot.why.started.kubelet_events import of
from bot.why.started.logs import missing, refs
from bot.why.started.say import exactly, it, quote
from bot.why.started.slow_files import file_server
from bot.why.started.start import Start, starting

DEADLINE_SECONDS = 1800
_USUAL = {
    Phase.DOWNLOAD: "a download of 700 GB takes 15 min at 10 Gbit/s, two and a half hours at 1 Gbit/s",
    Phase.LOAD: "loading usually takes 2 to 8 min from local NVMe, 10 to 25 min over NFS",
    Phase.COMPILE: "compiling usually takes 1 to 5 min with a warm cache, 10 to 20 min with a cold one",
    Phase.WARM: "warming up usually takes 1 to 5 min",
}


def judge(case: Case) -> Iterator[Finding]:
    pod, start = case.pod, starting(case)
    if pod is None or start is None or start.waits:
        return
    if start.stands_still:
        yield _stands_still(case, pod, start)
        return
    yield _moves(case, pod, start)
    left, expected = start.left_seconds, start.expected_seconds
    if left is not None and expected is not None and expected > left:
        yield _too_short(start, left, expected)


def wants(case: Case) -> Wanted:
    one = main(case)
    if one is None or case.pod is None or case.pod.phase != "Running" or case.pod.condition("Ready") is None:
        return NOTHING_WANTED
    return Wanted(refs(case, one))


def _moves(case: Case, pod: Pod, start: Start) -> Finding:
    doing = start.progress.summary if start.progress else "its log does not tell how far it is"
    deployment = _past_deadline(case)
    expected = start.expected_seconds
    return Finding(
        f"loading.{start.progress.phase.value if start.progress else 'starts'}",
        f"{it(case)} is still starting, with {count(start.container.restarts, 'restart')}: {doing}{_budget(start)}",
        evidence=tuple(_evidence(case, start, deployment)),
        remedies=tuple(_deadline_remedies(case, deployment)) if deployment else (),
        useless=(
            "A roll-back or a restart only makes it worse: a new pod would load everything again from the beginning",
        ),
        until=_until(start, expected),
        unknown=tuple(filter(None, (missing(case, start.container),))),
    )


def _budget(start: Start) -> str:
    if start.probe is None or start.seconds is None:
        return f"; it began {duration(max(1.0, start.seconds))} ago" if start.seconds is not None else ""
    budget = f"{exactly(start.probe.budget_seconds)} ({start.probe.sum})"
    return f"; {duration(max(1.0, start.seconds))} of its start-up budget of {budget} are used"


def _evidence(case: Case, start: Start, deployment: Thing | None) -> Iterator[str]:
    failed = next((one for one in of(case, "Unhealthy") if one.message.startswith("Startup probe failed")), None)
    if failed is not None:
        yield f"{failed.count:,} failed startup probes so far are part of a start: {quote(failed.message, 120)}"
    if start.progress and (usual := _USUAL.get(start.progress.phase)):
        yield usual
    if start.progress is None and start.read.tail:
        yield f"its log ends: {quote(start.read.tail[-1])}"
    if start.probe_kind == "liveness" and start.probe is not None:
        yield f"it has no startup probe: the liveness probe may end it after {start.probe.sum}"
    if deployment is not None:
        seconds = case.fields(deployment).number("spec", "progressDeadlineSeconds") or 600
        yield (
            f"deployment {deployment.key} says ProgressDeadlineExceeded: its progressDeadlineSeconds of {seconds} is "
            "shorter than this start, which is a clock of its own and no fault of the pod"
        )


def _until(start: Start, expected: float | None) -> str:
    if expected is not None and expected > 30:
        return f"this phase is over, in about {duration(expected)}; then kernels and caches are prepared"
    return "its readiness probe passes"


def _past_deadline(case: Case) -> Thing | None:
    for owner in case.owners:
        if owner.kind == "Deployment":
            progressing = case.fields(owner).condition("Progressing")
            return owner if progressing.text("reason") == "ProgressDeadlineExceeded" else None
    return None


def _deadline_remedies(case: Case, deployment: Thing) -> Iterator[Remedy]:
    """Long enough for its startup probe."""
    seconds = max(DEADLINE_SECONDS, enough_seconds(case.fields(deployment)))
    patch = f'{{"spec":{{"progressDeadlineSeconds":{seconds}}}}}'
    yield Remedy(
        f"Set progressDeadlineSeconds above the load time, {seconds} s for example (starts no new rollout), "
        "and the release tool's timeout to match",
        kubectl("-n", deployment.namespace, "patch", "deployment", deployment.name, "-p", patch),
        False,
    )


def _stands_still(case: Case, pod: Pod, start: Start) -> Finding:
    doing = f" ({start.progress.summary.partition(', about ')[0]})" if start.progress else ""
    server, kernel = file_server(case, pod, start)
    why = server or explained(start.read)
    return Finding(
        "loading.stands-still",
        f"its start stands still: nothing new in its log for {duration(start.quiet_seconds or 0)}{doing}"
        f"{f': {why}' if why else ''}{_budget(start)}",
        evidence=(
            *([kernel] if kernel else []),
            *([f"its log ends: {quote(start.read.tail[-1])}"] if start.read.tail else []),
        ),
        remedies=(
            *engine_remedies(pod, start.container, start.read),
            *slow_files.remedies(pod, start),
            Remedy(
                "See what it does right now",
                kubectl("-n", pod.namespace, "exec", pod.name, "-c", start.container.name, "--", "nvidia-smi"),
            ),
        ),
    )


def _too_short(start: Start, left: float, expected: float) -> Finding:
    rest = duration(left) if left > 0 else "nothing"
    budget = start.probe.sum if start.probe else "its budget"
    return Finding(
        "loading.budget-too-short",
        f"The {start.probe_kind} probe will probably end it before it is up: about {duration(max(1.0, expected))} to "
        f"go in this phase alone, {rest} left of {budget}",
        Level.ALSO,
        remedies=(
            Remedy(f"Raise failureThreshold of the startup probe of `{start.container.name}` before the next start"),
        ),
    )


STAGE = Stage(
    "loading", 107, judge, wants, frozenset({"pods", "events", "deployments", "replicasets"}), docs=__doc__ or ""
)
