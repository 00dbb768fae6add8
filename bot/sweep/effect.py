"""Whom a root hits: owners with their pods and GPUs, the services in front of them, who is on the node."""

from collections.abc import Iterable, Iterator

from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.kind import gpus_of
from bot.gpu.owners import top_owner
from bot.sweep.trouble import Entry

OWNERS_TOLD, SERVICES_TOLD, ASKED_AT_MOST = 4, 3, 200


def effect(entry: Entry, view: View) -> tuple[str, ...]:
    return tuple(_clauses(entry, view))


def _clauses(entry: Entry, view: View) -> Iterator[str]:
    pods = entry.pods
    if pods:
        yield f"hits {_owned(view, pods)}"
    elif entry.root.owner and not entry.nodes:
        owners = list(dict.fromkeys(one.owner for one in entry.every if one.owner))
        yield f"hits {names(owners, OWNERS_TOLD)}, which cannot make {'its' if len(owners) == 1 else 'their'} pods"
    if not pods and entry.nodes:
        there = [pod for node in entry.nodes for pod in view.on_node(node) if gpus_of(pod) and not pod.finished]
        yield f"GPU pods there: {_owned(view, there)}" if there else "no GPU pod runs there"
    yield from _services(view, pods[:ASKED_AT_MOST])


def _owned(view: View, pods: Iterable[Pod]) -> str:
    """`llm/glm (2 pods, 16 GPUs) and dev/nb (1 pod)`."""
    grouped: dict[str, list[Pod]] = {}
    for pod in pods:
        grouped.setdefault(f"{pod.namespace}/{top_owner(view, pod)[1]}", []).append(pod)
    largest = sorted(grouped.items(), key=lambda one: (-sum(map(gpus_of, one[1])), -len(one[1]), one[0]))
    return names([_size(owner, mine) for owner, mine in largest], OWNERS_TOLD)


def _size(owner: str, pods: list[Pod]) -> str:
    gpus = sum(map(gpus_of, pods))
    return f"{owner} ({', '.join([count(len(pods), 'pod'), *([count(gpus, 'GPU')] if gpus else [])])})"


def _services(view: View, pods: Iterable[Pod]) -> Iterator[str]:
    """Services that choose one of those pods, with how many of theirs are Ready."""
    told = 0
    hit = list(pods)
    inhabited = {pod.namespace for pod in hit}
    for service in view.things("services").values():
        chosen = service.fields.map("spec", "selector")
        if service.namespace not in inhabited or not chosen or told == SERVICES_TOLD:
            continue
        if any(_chooses(chosen, pod) for pod in hit if pod.namespace == service.namespace):
            mine = [pod for pod in view.pods.values() if pod.namespace == service.namespace and _chooses(chosen, pod)]
            live = [pod for pod in mine if not pod.finished]
            ready = sum(1 for pod in live if pod.node and pod.condition("Ready") is None and not pod.deleted)
            told += 1
            yield f"service {service.key} has {ready} of {count(len(live), 'pod')} ready"


def _chooses(selector: dict[str, str], pod: Pod) -> bool:
    return all(pod.labels.get(name) == value for name, value in selector.items())
