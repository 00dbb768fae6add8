"""Which logs tell a container's last words, and what is in them."""

from functools import lru_cache

from bot.domain.evidence import LogRef
from bot.serving.reading import Reading, read
from bot.why.case import Case
from bot.why.containers import Container


def refs(case: Case, container: Container) -> tuple[LogRef, ...]:
    """The running log, and the one before where the container has ended once."""
    pod = case.pod
    if pod is None or not (container.running or container.ended or container.restarts):
        return ()
    now = LogRef(pod.namespace, pod.name, container.name)
    before = LogRef(pod.namespace, pod.name, container.name, previous=True)
    if not container.restarts:
        return (now,)
    return (before, now) if container.running else (now, before)


def present(case: Case, container: Container) -> str:
    """The log of the run that is on."""
    return _log(case, container)


def last_words(case: Case, container: Container) -> str:
    """The log of the newest run that is over: a container that waits still shows it as its present log."""
    before = _log(case, container, previous=True)
    if container.running:
        return before
    return _log(case, container) or before


def earlier(case: Case, container: Container) -> str:
    """Of a container that waits, the run before its last one; empty where that is not kept apart."""
    before = _log(case, container, previous=True)
    return "" if container.running or before == _log(case, container) else before


@lru_cache(maxsize=8)
def reading(log: str) -> Reading:
    """Several stages read the same log; it is taken apart once."""
    return read(log)


def missing(case: Case, container: Container) -> str:
    """Why none of the container's logs came; empty where one did, or none was looked for."""
    wanted = refs(case, container)
    if any(ref in case.evidence.texts for ref in wanted):
        return ""
    return next((f"the {ref}: {why}" for ref in wanted if (why := case.evidence.missing.get(ref))), "")


def _log(case: Case, container: Container, *, previous: bool = False) -> str:
    pod = case.pod
    return case.evidence.log(pod.namespace, pod.name, container.name, previous=previous) if pod else ""
