"""Probes: one that ends the container before it is up, or one that keeps a running pod out of its services.

A liveness probe without a startup probe counts from the container's first second: a model that loads longer than
initialDelaySeconds + periodSeconds × failureThreshold never comes up.
"""

from collections.abc import Iterator

from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import Container, containers, main
from bot.why.finding import Finding, Stage
from bot.why.started.crashing import crashing, killed_by_probe
from bot.why.started.kubelet_events import of
from bot.why.started.probe_kill import probe_kill
from bot.why.started.readiness_probe import failing
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
    node = case.view.nodes.get(pod.node)
    if pod.phase != "Running" or starting(case) is not None or (node is not None and node.ready is not True):
        return
    for one in _readable(case):
        probe = one.probe("readiness")
        if not one.running or one.ready or probe is None:
            continue
        event = next((found for found in of(case, "Unhealthy") if found.message.startswith("Readiness probe")), None)
        yield failing(case, pod, one, probe, event)
        return


def _readable(case: Case) -> list[Container]:
    """The main container first."""
    first = main(case)
    return sorted((one for one in containers(case) if not one.init or one.sidecar), key=lambda one: one != first)


STAGE = Stage("probes", 106, judge, needs=frozenset({"pods", "nodes", "events"}), docs=__doc__ or "")
