"""Disruption budgets that no drain can ever get past, where somebody tries: a cordoned node, a blocked disruption.

Eviction asks the budget first and starts no replacement before, so a budget that wants as many pods as there are
allows none, for ever (kubernetes/kubernetes:pkg/registry/core/pod/rest/eviction.go, pkg/controller/disruption). A
budget that allows none while a pod is not Ready may allow one soon, and is left alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.checks.finding import Severity
from bot.domain.answer import Remedy
from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import inert, natural
from bot.domain.view import View
from bot.domain.words import count, names
from bot.domain.workload import PodDisruptionBudget
from bot.gpu.cordon import upgrading
from bot.gpu.kind import gpus_of
from bot.gpu.owners import top_owner
from bot.sweep.trouble import Trouble
from bot.why.shell import kubectl, patch

MOST = 20  # budgets whose whole object is looked up
_BLOCKED = frozenset({"DisruptionBlocked", "FailedDraining", "DrainingFailed"})
_SCALED = {"Deployment": "deployment", "StatefulSet": "statefulset", "ReplicaSet": "replicaset"}


@dataclass(frozen=True, slots=True)
class Blocking:
    """A budget that allows nothing although all its pods are Ready, with the nodes that cannot be emptied for it."""

    budget: PodDisruptionBudget
    pods: tuple[Pod, ...]
    nodes: tuple[str, ...]
    said: str = ""  # an event's words

    @property
    def ref(self) -> ObjectRef:
        return ObjectRef("PodDisruptionBudget", self.budget.namespace, self.budget.name)


def blocking(view: View) -> list[Blocking]:
    """By name. Nothing where nobody tries to empty a node."""
    cordoned = {node.name for node in view.nodes.values() if node.unschedulable and not upgrading(node)}
    said = dict(_blocked(view))
    if not cordoned and not said:
        return []
    found = (_of(view, one, cordoned, said) for one in view.poddisruptionbudgets.values() if one.allowed <= 0)
    return sorted((one for one in found if one), key=lambda one: natural(f"{one.ref}"))[:MOST]


def troubles(view: View, evidence: Evidence) -> Iterator[Trouble]:
    for one in blocking(view):
        yield _trouble(view, one, evidence.objects.get(one.ref) or Fields())


def _of(view: View, budget: PodDisruptionBudget, cordoned: set[str], said: dict[str, str]) -> Blocking | None:
    matching = [pod for pod in view.pods.values() if pod.namespace == budget.namespace and not pod.finished]
    pods = [pod for pod in matching if budget.selector.matches(pod.labels)]
    if not pods or not all(pod.node and pod.condition("Ready") is None and not pod.deleted for pod in pods):
        return None
    key = f"{budget.namespace}/{budget.name}"
    there = {pod.node for pod in pods}
    told = {node: text for node, text in said.items() if key in text}
    nodes = sorted((cordoned & there) | (told.keys() & there), key=natural)
    return Blocking(budget, tuple(pods), tuple(nodes), next(iter(told.values()), "")) if nodes else None


def _blocked(view: View) -> Iterator[tuple[str, str]]:
    """Nodes with the words of who could not empty them."""
    for event in view.events.values():
        if event.about_kind == "Node" and event.reason in _BLOCKED:
            yield event.about_name, event.message


def _trouble(view: View, one: Blocking, whole: Fields) -> Trouble:
    budget, where = one.budget, names(list(one.nodes))
    key = f"{budget.namespace}/{budget.name}"
    stuck = [pod for pod in one.pods if pod.node in one.nodes]
    owners = {top_owner(view, pod) for pod in one.pods}
    rule = _rule(whole)
    covers = "its one pod is there" if len(one.pods) == 1 else f"it covers {len(one.pods):,} pods"
    return Trouble(
        id="budget.never",
        severity=Severity.WARNING,
        sentence=f"{where} cannot be drained: disruption budget {key}{f' ({rule})' if rule else ''} can never allow an "
        f"eviction, even with every pod Ready ({covers}); {names([pod.key for pod in stuck])} "
        f"{'stays' if len(stuck) == 1 else 'stay'} there",
        nodes=one.nodes,
        owner=key,
        pods=tuple(stuck),
        evidence=tuple(_evidence(one, whole)),
        remedies=tuple(_remedies(one, owners, stuck)),
        useless=(
            "Repeating the drain does not help: eviction never starts a replacement first, and maxSurge has no "
            "part in it",
        ),
    )


def _rule(whole: Fields) -> str:
    for name in ("minAvailable", "maxUnavailable"):
        value = whole.get("spec", name)
        if isinstance(value, int | str):
            return f"{name} {inert(str(value), 20)}"
    return ""


def _evidence(one: Blocking, whole: Fields) -> Iterator[str]:
    status = whole.at("status")
    wants, has = status.number("desiredHealthy"), status.number("currentHealthy")
    if wants is not None and has is not None:
        yield f"it wants {wants} healthy, {has} are, so disruptionsAllowed is {one.budget.allowed}"
    else:
        every = count(len(one.pods), "pod")
        yield f"disruptionsAllowed is {one.budget.allowed} although every one of its {every} is Ready"
    if one.said:
        yield f"event: “{inert(one.said)}”"


def _remedies(one: Blocking, owners: set[tuple[str, str]], stuck: list[Pod]) -> Iterator[Remedy]:
    namespace, more = one.budget.namespace, len(one.pods) + 1
    for kind, name in sorted(owners)[:1]:
        if kind in _SCALED:
            gpus = gpus_of(one.pods[0])
            yield Remedy(
                f"Add a replica before the drain: scale {kind} {name} to {more} replicas, and drain when it is Ready",
                kubectl("scale", _SCALED[kind], name, f"--replicas={more}", namespace=namespace),
                cost=f"{count(gpus, 'GPU')} more while both run" if gpus else "one more pod for as long",
            )
    yield Remedy(
        "Or accept an outage on purpose: let one pod go at a time, and put the budget back after the drain",
        patch(
            "poddisruptionbudget",
            one.budget.name,
            '{"spec":{"minAvailable":null,"maxUnavailable":1}}',
            namespace=namespace,
        ),
        cost=f"{names([pod.key for pod in stuck])} is away until it has started elsewhere",
    )
