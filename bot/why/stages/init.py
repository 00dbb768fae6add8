"""Init containers: they run one after the other, and the pod's own containers only begin when all are done.

Each has its own limits: the memory of the main container does not help an init container that downloads a model.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.evidence import Wanted
from bot.domain.pod import Pod
from bot.domain.words import duration
from bot.serving.phase import Phase
from bot.why.case import Case
from bot.why.containers import Container, containers, main
from bot.why.finding import NOTHING_WANTED, Finding, Stage
from bot.why.shell import kubectl
from bot.why.started import needed
from bot.why.started.crash_roots import not_there
from bot.why.started.engine_words import engine_remedies, explained
from bot.why.started.exits import exit_words
from bot.why.started.logs import last_words, missing, present, reading, refs
from bot.why.started.needed import waited_for
from bot.why.started.pull import REASONS
from bot.why.started.say import quote, size
from bot.why.started.sidecar import not_up

_HELD_BACK = frozenset({"CrashLoopBackOff", "RunContainerError", "CreateContainerError", "StartError"})
_NOT_OURS = REASONS | {"CreateContainerConfigError"}
MOST_LOOKED_AT = 3
_KSERVE = "storage-initializer"


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    place = _stuck(case)
    if pod is None or place is None:
        return
    number, total, one = place
    called = f"init container `{one.name}` ({number} of {total})"
    if one.waiting in _NOT_OURS:
        return
    if one.out_of_memory and not one.running:
        yield _out_of_memory(case, pod, one, called)
    elif one.waiting in _HELD_BACK or (one.is_over and one.exit_code):
        yield _fails(case, pod, one, called)
    elif one.sidecar and one.running:
        yield not_up(case, pod, one, called)
    elif one.running:
        yield _runs(case, pod, one, called)
        yield from _waits_for(case, one)


def wants(case: Case) -> Wanted:
    """Whether a sidecar has started is not kept: the logs of all that are not over are looked at."""
    if _stuck(case) is None and not any(_may_hold(case, one) for one in containers(case)):
        return NOTHING_WANTED
    open_ones = [one for one in containers(case) if one.init and not (one.is_over and one.exit_code == 0)]
    logs = [ref for one in open_ones[:MOST_LOOKED_AT] for ref in refs(case, one)]
    return Wanted((*logs, *needed.refs(case)))


def _may_hold(case: Case, one: Container) -> bool:
    return case.pod is not None and case.pod.phase == "Pending" and one.sidecar and one.running


def _stuck(case: Case) -> tuple[int, int, Container] | None:
    """The init container that the pod is at, with its place among them."""
    if case.pod is None or not case.pod.node or case.pod.phase not in ("Pending", "Failed"):
        return None
    own = [one for one in containers(case) if one.init]
    for number, one in enumerate(own, start=1):
        done = one.is_over and one.exit_code == 0
        if not done and not (one.sidecar and one.running and one.status.flag("started") is not False):
            return number, len(own), one
    return None


def _out_of_memory(case: Case, pod: Pod, one: Container, called: str) -> Finding:
    limit = one.limits.get("memory", "")
    other = main(case)
    others = other.limits.get("memory", "") if other else ""
    own = f"its own limit of {size(limit)}" if limit else "what the node has left, as it has no limit of its own"
    beside = f"; the {size(others)} of `{other.name}` do not count for it" if other and others else ""
    return Finding(
        "init.memory",
        f"{called} is killed because it needs more memory than {own}{beside}",
        evidence=(
            f"last end: exit code {one.exit_code}, reason OOMKilled, {one.restarts} restarts",
            *_last(case, one),
        ),
        remedies=tuple(_more_memory(pod, one)),
        useless=("The GPUs have nothing to do with it: this is memory of the host",),
    )


def _more_memory(pod: Pod, one: Container) -> Iterator[Remedy]:
    if one.name == _KSERVE:
        place = "in KServe that is ConfigMap `inferenceservice-config` (storageInitializer), unless the service sets it"
        yield Remedy(f"Raise the memory limit of init container `{one.name}` where it is really read: {place}")
        yield Remedy("Or let the download buffer less: `HF_XET_NUM_CONCURRENT_RANGE_GETS=4` for this container")
        return
    yield Remedy(f"Raise the memory limit of init container `{one.name}` in the template of the pod's owner")
    yield Remedy("See what it does", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name, "--previous"))


def _fails(case: Case, pod: Pod, one: Container, called: str) -> Finding:
    read = reading(last_words(case, one) or one.own_message)
    why = explained(read)
    again = f", {one.restarts} times so far" if one.restarts > 1 else ""
    said = why or (f"its last words are {quote(read.tail[-1])}" if read.tail else "")
    return Finding(
        f"init.{read.cause.signature.id if read.cause else 'fails'}",
        f"{called} fails with {exit_words(one)}{again}{f': {said}' if said else ''}",
        evidence=tuple(_last(case, one)),
        remedies=(
            *engine_remedies(pod, one, read),
            Remedy("Read its log", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name), None),
        ),
        unknown=tuple(filter(None, (missing(case, one),))),
    )


def _last(case: Case, one: Container) -> Iterator[str]:
    read = reading(last_words(case, one))
    if read.cause is not None:
        yield f"its log: {quote(read.cause.line)}"
    elif read.tail:
        yield f"its log ends: {quote(read.tail[-1])}"
    if one.own_message and not read.tail:
        yield f"kubelet: {quote(one.own_message)}"


def _runs(case: Case, pod: Pod, one: Container, called: str) -> Finding:
    seconds = case.age_seconds(one.since)
    read = reading(present(case, one))
    doing = read.progress.summary if read.progress else f"its log ends {quote(read.tail[-1])}" if read.tail else ""
    moves = read.progress is not None and read.progress.phase in (Phase.DOWNLOAD, Phase.LOAD)
    lasts = f" for {duration(max(1.0, seconds))}" if seconds is not None else ""
    waits = "; GPU operator pods wait here until driver and toolkit are checked" if "validation" in one.name else ""
    return Finding(
        "init.runs",
        f"{called} still runs{lasts}{f': {doing}' if doing else ''}{waits}",
        evidence=() if read.tail else tuple(f"{why}" for why in filter(None, (missing(case, one),))),
        remedies=(Remedy("Follow it", kubectl("-n", pod.namespace, "logs", "-f", pod.name, "-c", one.name)),),
        until=f"`{one.name}` is done" if moves else "",
    )


def _waits_for(case: Case, one: Container) -> Iterator[Finding]:
    """A pod of the same namespace that it names and that does not run."""
    read = reading(present(case, one))
    found = None if read.progress else waited_for(case, one, read.tail)
    if found is not None:
        yield not_there(case, found, f"`{one.name}` waits for another pod")


STAGE = Stage("init", 100, judge, wants, frozenset({"pods", "services", "events"}), docs=__doc__ or "")
