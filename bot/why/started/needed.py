"""Whether a pod crashes because another one is not there: one that makes the file it misses, or the host it calls.

Only what objects show is claimed: the same host directory or claim mounted by both, or a Service of that name whose
pods do not run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.evidence import ObjectRef
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.why.case import Case
from bot.why.containers import Container, volume
from bot.why.started.plain import plain

MOST_LOOKED_UP = 4
_PATH = Pattern(r"(?<![\w.:/-])(/[\w.@-]{1,80}(?:/[\w.@-]{1,80}){0,12})")
_HOST = Pattern(r"(?:(?<![\w./@-])|(?<=//))([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?=[.:/\s'\"\]),]|$)")
_FAILED = Pattern(
    r"(?i)not found|no such file|does not exist|refused|cannot connect|failed to connect|unreachable|timed? ?out"
    r"|name resolution|not known|no route|could not connect|unable to connect|unavailable|resolve"
)


@dataclass(frozen=True, slots=True)
class Needed:
    """`what`: the file or host that is missing. `pods`: those that would provide it and do not run."""

    what: str
    how: str
    pods: tuple[Pod, ...]


def candidates(case: Case) -> tuple[Pod, ...]:
    """Pods of the same namespace that do not run, the oldest first."""
    pod = case.pod
    if pod is None:
        return ()
    found = [one for one in case.view.pods.values() if one.namespace == pod.namespace and one is not pod and _down(one)]
    return tuple(sorted(found, key=lambda one: (one.created, one.name))[:200])


def refs(case: Case) -> tuple[ObjectRef, ...]:
    """Whole objects of those pods: their volumes are not kept."""
    return tuple(ObjectRef("Pod", one.namespace, one.name) for one in candidates(case)[:MOST_LOOKED_UP])


def needed(case: Case, container: Container, lines: tuple[str, ...]) -> Needed | None:
    """From the last lines of a crashed container's log, the newest first."""
    down = candidates(case)
    if not down:
        return None
    for line in reversed(lines):
        if not _FAILED.search(line):
            continue
        found = _by_path(case, container, line, down) or _by_host(case, line, down)
        if found is not None:
            return found
    return None


def waited_for(case: Case, container: Container, lines: tuple[str, ...]) -> Needed | None:
    """What a container that only waits names: in its last lines, else in its command."""
    down = candidates(case)
    texts = (*reversed(lines), " ".join((*container.spec.texts("command"), *container.spec.texts("args"))))
    return next((found for text in texts if down and (found := _by_host(case, text, down))), None)


def _down(pod: Pod) -> bool:
    if pod.finished or pod.deleted:
        return False
    ready = pod.condition("Ready")
    return not pod.node or pod.phase == "Pending" or (ready is not None and ready.status != "True")


def _by_path(case: Case, container: Container, line: str, down: tuple[Pod, ...]) -> Needed | None:
    for found in _PATH.finditer(line):
        path = found[1].rstrip(".")
        mount = max((one for one in container.mounts if path.startswith(one.rstrip("/") + "/")), key=len, default="")
        place = _place(volume(case, container.mounts.get(mount, "")))
        if not place:
            continue
        sharing = tuple(one for one in down if place in _places(case, one))
        if sharing:
            return Needed(f"`{path}`", f"both mount {place}", sharing)
    return None


def _place(kept: Fields) -> str:
    """What two pods can share: a directory of the node, or a claim."""
    if path := kept.text("hostPath", "path"):
        return f"the host's directory `{plain(path.rstrip('/'))}`"
    if claim := kept.text("persistentVolumeClaim", "claimName"):
        return f"claim `{plain(claim)}`"
    return ""


def _places(case: Case, pod: Pod) -> set[str]:
    """Of the pod itself where it was looked up, else of its owner's template."""
    whole = case.evidence.object("Pod", pod.namespace, pod.name).at("spec")
    owner = case.thing_of(pod.owner, pod.namespace) if pod.owner else None
    spec = whole or (case.fields(owner).at("spec", "template", "spec") if owner else Fields())
    return {place for one in spec.each("volumes") if (place := _place(one))}


def _by_host(case: Case, line: str, down: tuple[Pod, ...]) -> Needed | None:
    words = set(_HOST.findall(line.lower()[-1000:]))
    for service in _services(case):
        selector = case.fields(service).map("spec", "selector")
        if service.name not in words or not selector:
            continue
        behind = [
            one for one in case.view.pods.values() if one.namespace == service.namespace and _selected(one, selector)
        ]
        if behind and all(one in down for one in behind):
            return Needed(f"service `{service.name}`", "they are the pods behind that service", tuple(behind))
    return None


def _services(case: Case) -> Iterator[Thing]:
    pod = case.pod
    assert pod is not None
    return (one for one in case.view.things("services").values() if one.namespace == pod.namespace)


def _selected(pod: Pod, selector: dict[str, str]) -> bool:
    return all(pod.labels.get(key) == value for key, value in selector.items())
