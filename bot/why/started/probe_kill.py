"""A probe ends a container, again and again: while it still starts, or after it hung."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.time import read_time
from bot.serving.phase import STARTED, Phase
from bot.serving.progress import Progress
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.crashing import Kill
from bot.why.started.engine_words import engine_remedies, explained
from bot.why.started.kubelet_events import of, times
from bot.why.started.logs import last_words, missing, reading
from bot.why.started.say import clock, exactly, of_it, quote
from bot.why.started.startup_probe import startup_probe


def probe_kill(case: Case, pod: Pod, one: Container, kill: Kill) -> Finding:
    """The log of the run that was ended tells whether it was still starting."""
    read = reading(last_words(case, one))
    progress = read.progress
    if progress is not None and progress.phase in STARTED:
        return _while_serving(case, pod, one, kill)
    ran = _ran_seconds(one)
    probe = one.probe(kill.probe)
    budget = f" of {exactly(probe.budget_seconds)} ({probe.sum})" if probe else ""
    began = " (no startup probe holds it back)" if kill.probe == "liveness" and one.probe("startup") is None else ""
    waits = progress is not None and progress.phase is Phase.WAITING
    return Finding(
        f"probes.{kill.probe}-kills-start",
        f"the {kill.probe} probe ends `{one.name}`{of_it(case)} before it is up: its budget{budget} is over while it "
        f"is {'still ' if not waits else ''}{progress.summary if progress else 'starting'}{began}",
        evidence=tuple(_evidence(case, one, kill, ran)),
        remedies=(
            *([] if waits else [startup_probe(case, one, _needed(ran, progress))]),
            *engine_remedies(pod, one, read),
        ),
        useless=("More memory or another node does not help: each start is cut off at the same time",)
        if not waits
        else (),
        unknown=tuple(filter(None, (missing(case, one),))),
        numbers={"ran_seconds": ran, "budget_seconds": probe.budget_seconds if probe else None},
    )


def _evidence(case: Case, one: Container, kill: Kill, ran: float | None) -> Iterator[str]:
    yield f"kubelet{times(kill.event)}, last {clock(case, kill.event.time)}: {quote(kill.event.message)}"
    if one.exit_code == 137 and not one.out_of_memory:
        yield "exit code 137 with reason Error is the kubelet's SIGKILL, not the memory limit (that reads OOMKilled)"
    elif one.exit_code is not None:
        yield f"its last run ended with exit code {one.exit_code}"
    if ran is not None:
        yield f"its last run lasted {exactly(max(1.0, ran))}, {one.restarts} restarts so far"
    word = kill.probe.capitalize()
    failed = next((event for event in of(case, "Unhealthy") if event.message.startswith(f"{word} probe failed")), None)
    if failed is not None:
        probe = one.probe(kill.probe)
        asks = f" ({probe.asks}, timeout {probe.timeout} s)" if probe and probe.asks else ""
        yield f"probe{asks}{times(failed)}: {quote(failed.message)}"


def _while_serving(case: Case, pod: Pod, one: Container, kill: Kill) -> Finding:
    read = reading(last_words(case, one))
    probe = one.probe(kill.probe)
    why = explained(read)
    asks = f" ({probe.asks}, timeout {probe.timeout} s)" if probe and probe.asks else ""
    return Finding(
        f"probes.{kill.probe}-kills",
        f"`{one.name}`{of_it(case)} was up, then stopped answering its {kill.probe} probe{asks} and was ended for that"
        f"{f': {why}' if why else ''}",
        evidence=tuple(_evidence(case, one, kill, _ran_seconds(one))),
        remedies=(
            *engine_remedies(pod, one, read),
            Remedy(
                "Read the log of the ended run", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name, "-p")
            ),
            Remedy("If it was only busy: give the probe a longer timeoutSeconds (10 or more) and failureThreshold"),
        ),
    )


def _ran_seconds(one: Container) -> float | None:
    began, over = read_time(one.ended.text("startedAt")), read_time(one.ended.text("finishedAt"))
    return (over - began).total_seconds() if began and over and over > began else None


def _needed(ran: float | None, progress: Progress | None) -> float | None:
    """How long a whole start seems to take: by the bar, if it got anywhere."""
    percent = progress.bar.percent if progress else None
    return ran * 100 / percent if ran and percent and percent >= 5 else ran
