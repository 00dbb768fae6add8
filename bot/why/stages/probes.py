"""Probes: one that ends the container before it is up, or one that keeps a running pod out of its services.

A liveness probe without a startup probe counts from the container's first second: a model that loads longer than
initialDelaySeconds + periodSeconds × failureThreshold never comes up.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import Container, containers, main
from bot.why.finding import Finding, Stage
from bot.why.started.crashing import crashing, killed_by_probe
from bot.why.started.kubelet_events import of, times
from bot.why.started.logs import missing, present, reading
from bot.why.started.probe import Probe
from bot.why.started.probe_kill import probe_kill
from bot.why.started.say import clock, kubectl, of_it, quote
from bot.why.started.start import starting


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not pod.node or pod.finished or pod.deleted:
        return
    one = crashing(case)
    if one is not None:
        kill = killed_by_probe(case, one)
        if kill is not None:
            yield probe_kill(case, pod, one, kill)
        return
    yield from _not_ready(case, pod)


def _not_ready(case: Case, pod: Pod) -> Iterator[Finding]:
    """A container that runs, is up as far as can be seen, and whose readiness probe fails."""
    if pod.phase != "Running" or starting(case) is not None:
        return
    for one in _readable(case):
        probe = one.probe("readiness")
        if not one.running or one.ready or probe is None:
            continue
        event = next((found for found in of(case, "Unhealthy") if found.message.startswith("Readiness probe")), None)
        yield _failing(case, pod, one, probe, event)
        return


def _readable(case: Case) -> list[Container]:
    """The main container first."""
    first = main(case)
    return sorted((one for one in containers(case) if not one.init or one.sidecar), key=lambda one: one != first)


def _failing(case: Case, pod: Pod, one: Container, probe: Probe, event: Event | None) -> Finding:
    asks = f" ({probe.asks})" if probe.asks else ""
    said = event.message.removeprefix("Readiness probe failed: ") if event else ""
    what, hint, remedy = _told(one, probe, said)
    tail = reading(present(case, one)).tail
    return Finding(
        f"probes.readiness-{what}",
        f"`{one.name}`{of_it(case)} runs, but its readiness probe{asks} does not pass{f': {hint}' if hint else ''}",
        evidence=(
            *([f"kubelet{times(event)}, last {clock(case, event.time)}: {quote(said)}"] if event else []),
            *([f"its log ends: {quote(tail[-1])}"] if tail else []),
        ),
        remedies=(
            *([Remedy(remedy)] if remedy else []),
            Remedy("Read its log", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name, "--tail=100")),
        ),
        unknown=(
            *filter(None, (missing(case, one),)),
            *(() if event else ("what the probe answers: no event tells it",)),
        ),
    )


def _told(one: Container, probe: Probe, said: str) -> tuple[str, str, str]:
    """Id, what it means, what helps."""
    low = said.lower()
    port = one.arguments.port
    if port is not None and probe.port.isdecimal() and int(probe.port) != port and "refused" in low:
        words = f"the engine listens on port {port}, the probe asks port {probe.port}"
        return "wrong-port", words, f"Let the probe ask port {port}"
    if "statuscode: 404" in low:
        return "wrong-path", "there is no such path (404)", "Correct the path, `/health` for most engines"
    if "statuscode: 401" in low or "statuscode: 403" in low:
        return "no-access", "the path wants a key (401 or 403)", "Probe a path that needs no key, such as `/health`"
    if "statuscode: 5" in low:
        return "unwell", "the program itself says that it is not well", ""
    if "refused" in low:
        return "not-listening", "nothing listens on that port yet", ""
    if "deadline exceeded" in low or "timeout" in low:
        return "timeout", f"no answer within {probe.timeout} s", "Raise timeoutSeconds, 10 s or more for a busy engine"
    return "fails", quote(said) if said else "", ""


STAGE = Stage("probes", 106, judge, needs=frozenset({"pods", "events"}), docs=__doc__ or "")
