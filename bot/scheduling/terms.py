"""Required terms of pod affinity and anti-affinity, and which pods they speak of.

kubernetes/kube-scheduler:framework/types.go (AffinityTerm).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.pod_spec import PodTerm
from bot.scheduling.state import State


@dataclass(frozen=True, slots=True)
class Term:
    """A term of one pod, with the namespaces that it speaks of; None for all of them."""

    term: PodTerm
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        if self.namespaces is not None and pod.namespace not in self.namespaces:
            return False
        return self.term.selector.matches(pod.labels)


def resolved(term: PodTerm, pod: Pod, state: State) -> Term:
    """A term of that pod."""
    chosen = term.namespace_selector
    if chosen is None:
        return Term(term, term.namespaces or frozenset({pod.namespace}))
    if chosen.empty:
        return Term(term, None)
    selected = {name for name, one in state.view.namespaces.items() if chosen.matches(one.labels)}
    return Term(term, term.namespaces | selected)


def namespaces(terms: Iterable[Term]) -> frozenset[str] | None:
    """Those that any of the terms speaks of; None for all."""
    found: frozenset[str] = frozenset()
    for one in terms:
        if one.namespaces is None:
            return None
        found |= one.namespaces
    return found


def reaches(term: PodTerm, owner: Pod, pod: Pod, state: State) -> bool:
    """Whether another pod's term speaks of this pod: its namespaces need not be found for that."""
    if not term.selector.matches(pod.labels):
        return False
    chosen = term.namespace_selector
    if chosen is None:
        return pod.namespace in (term.namespaces or (owner.namespace,))
    return pod.namespace in term.namespaces or chosen.matches(state.namespace_labels(pod.namespace))
