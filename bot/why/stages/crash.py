"""A container ends again and again: its exit code, its last words, and what lies behind them.

137 with reason OOMKilled is the memory limit; 137 with reason Error was a kill from outside, a probe's mostly (then the
stage on probes tells it). Known last words of engines are explained, others are quoted.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.evidence import NodeRef, Wanted
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import Container, volume
from bot.why.finding import NOTHING_WANTED, Finding, Level, Stage
from bot.why.shell import kubectl
from bot.why.started import needed
from bot.why.started.cannot_start import cannot_start
from bot.why.started.crash_roots import roots
from bot.why.started.crashing import CANNOT_START, crashing, killed_by_probe
from bot.why.started.engine_words import engine_remedies, explained, quoted
from bot.why.started.exits import exit_words
from bot.why.started.logs import earlier, last_words, missing, reading, refs
from bot.why.started.owned import done_otherwise
from bot.why.started.plain import plain
from bot.why.started.say import clock, of_it, quote, size

_ENDS = (
    Remedy("If its work is done then: run it as a Job (restartPolicy Never or OnFailure), a Deployment starts it anew"),
    Remedy("If it should stay: give it a command that stays in the foreground"),
)


def judge(case: Case) -> Iterator[Finding]:
    pod, one = case.pod, crashing(case)
    if pod is None or one is None or killed_by_probe(case, one) is not None:
        return
    if one.waiting in CANNOT_START or one.ended.text("reason") in CANNOT_START:
        yield cannot_start(pod, one)
        return
    if one.out_of_memory:
        yield _out_of_memory(case, pod, one)
        return
    if case.subject.pod is None and pod.finished and (done := done_otherwise(case)):
        yield _passed(pod, one, done)
        return
    yield _ends(case, pod, one)
    yield from roots(case, pod, one, reading(last_words(case, one)))


def wants(case: Case) -> Wanted:
    pod, one = case.pod, crashing(case)
    if pod is None or one is None:
        return NOTHING_WANTED
    return Wanted((*refs(case, one), *needed.refs(case), NodeRef("kernel", pod.node)))


def _ends(case: Case, pod: Pod, one: Container) -> Finding:
    read = reading(last_words(case, one))
    why = explained(read)
    by_itself = one.exit_code == 0 and read.cause is None and not pod.finished
    said = f"its last words are {quote(read.tail[-1])}" if read.tail else ""
    if by_itself:
        why = f"its command ends by itself, and the pod's restartPolicy starts it again{f'; {said}' if said else ''}"
    elif not why:
        why = said
    times = " each time" if one.restarts > 1 else ""
    rest = f": {why}" if why else ""
    done = f"; {record}" if pod.finished and (record := done_otherwise(case)) else ""
    return Finding(
        f"crash.{read.cause.signature.id if read.cause else 'exit'}",
        f"`{one.name}`{of_it(case)} ends with {exit_words(one)}{times}{rest}{done}",
        evidence=tuple(_evidence(case, one)),
        remedies=(*engine_remedies(pod, one, read), *(_ENDS if by_itself else ()), _read_log(pod, one)),
        useless=tuple(_useless(one, read.cause is not None and read.cause.signature.restart_helps is False)),
        unknown=tuple(filter(None, (missing(case, one),))),
        numbers={"exit_code": one.exit_code, "restarts": one.restarts},
    )


def _passed(pod: Pod, one: Container, done: str) -> Finding:
    """For its job, whose work is done, the failed try is history."""
    sentence = f"An earlier try, pod {pod.name}, ended with {exit_words(one)}; {done}"
    return Finding("crash.earlier-try", sentence, Level.NOTE, remedies=(_read_log(pod, one),))


def _evidence(case: Case, one: Container) -> Iterator[str]:
    read = reading(last_words(case, one))
    if read.cause is not None:
        yield quoted(read.cause)
        if read.cause.signature.note:
            yield read.cause.signature.note.strip().removesuffix(".")
    elif len(read.tail) > 1:
        yield f"log before that: {quote(' · '.join(read.tail[-4:-1]), 300)}"
    if at := clock(case, one.ended.text("finishedAt")):
        yield f"last end {at}, {one.restarts} restarts so far"
    before = reading(earlier(case, one))
    same = read.cause and before.cause and before.cause.signature.id == read.cause.signature.id
    if before.cause is not None and not same:
        yield f"the run before ended otherwise: {quote(before.cause.line)}"
    if said := one.ended.text("message"):
        yield f"termination message: {quote(said)}"


def _useless(one: Container, permanent: bool) -> Iterator[str]:
    if permanent and one.restarts > 1:
        yield "Waiting for the next restart does not help: it fails in the same way each time"


def _read_log(pod: Pod, one: Container) -> Remedy:
    previous = ["--previous"] if one.running else []
    return Remedy(
        "Read its log", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name, "--tail=100", *previous)
    )


def _while(case: Case, one: Container) -> str:
    progress = reading(last_words(case, one)).progress
    if progress is None or progress.started or progress.waits_for:
        return ""
    return f", while {progress.summary.partition(', about ')[0]}"


def _out_of_memory(case: Case, pod: Pod, one: Container) -> Finding:
    """Memory of the host: files in a memory volume count too (kubernetes.io/docs/concepts/storage/volumes)."""
    limit = one.limits.get("memory", "")
    whose = f"its memory limit of {size(limit)}" if limit else f"what {pod.node} had left (it has no memory limit)"
    shm = volume(case, one.mounts.get("/dev/shm", ""))
    counts = shm.text("emptyDir", "medium") == "Memory"
    return Finding(
        "crash.memory",
        f"`{one.name}`{of_it(case)} is killed because it uses more host memory than {whose}{_while(case, one)}",
        evidence=(
            f"last end {clock(case, one.ended.text('finishedAt'))}: exit code {one.exit_code}, reason OOMKilled, "
            f"{one.restarts} restarts",
            *(
                [f"files in `/dev/shm` (emptyDir `{plain(shm.text('name'))}`) count towards that limit"]
                if counts
                else []
            ),
        ),
        remedies=(
            Remedy(
                f"Raise the memory limit of `{one.name}`, as far as {pod.node} has room"
                if limit
                else "Set a memory request"
            ),
            _read_log(pod, one),
        ),
        useless=("GPU memory has nothing to do with it: this is memory of the host",),
    )


STAGE = Stage(
    "crash",
    104,
    judge,
    wants,
    frozenset({"pods", "events", "services", "statefulsets", "replicasets"}),
    docs=__doc__ or "",
)
