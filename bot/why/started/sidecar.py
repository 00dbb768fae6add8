"""A sidecar (an init container that stays) that runs and has not started by its startup probe: nothing after it begins.

kubernetes.io/docs/concepts/workloads/pods/sidecar-containers
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.engine_words import engine_remedies, explained
from bot.why.started.kubelet_events import of, times
from bot.why.started.logs import missing, present, reading
from bot.why.started.say import clock, lasted, quote


def not_up(case: Case, pod: Pod, one: Container, called: str) -> Finding:
    """It runs; what its probe and its log say tells why that is not enough."""
    probe = one.probe("startup")
    asks = f" ({probe.asks})" if probe and probe.asks else ""
    by = f", its startup probe{asks} does not pass" if probe else ""
    read = reading(present(case, one))
    why = explained(read)
    return Finding(
        "init.sidecar-not-started",
        f"{called.replace('init container', 'sidecar', 1)} has run{lasted(case.age_seconds(one.since))} without being "
        f"up{by}{f': {why}' if why else ''}, and the containers after it only begin then",
        evidence=tuple(_evidence(case, one)),
        remedies=(
            *engine_remedies(pod, one, read),
            Remedy("Read its log", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name, "--tail=100")),
        ),
        useless=("The other containers are not at fault: they have not been started yet",),
        unknown=tuple(filter(None, (missing(case, one),))),
    )


def _evidence(case: Case, one: Container) -> Iterator[str]:
    failed = next((event for event in of(case, "Unhealthy") if event.message.startswith("Startup probe failed")), None)
    if failed is not None and one.probe("startup") is not None:
        said = quote(failed.message.removeprefix("Startup probe failed: "))
        yield f"probe{times(failed)}, last {clock(case, failed.time)}: {said}"
    if tail := reading(present(case, one)).tail:
        yield f"its log ends: {quote(tail[-1])}"
