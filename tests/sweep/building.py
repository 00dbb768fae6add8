"""A cluster, what was looked up of it, and the sweep of both."""

from typing import Any

from bot.domain.evidence import Evidence, LogRef, NodeRef, ObjectRef, Ref
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.selectors import Requirement, Selector
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.domain.workload import PodDisruptionBudget
from bot.gpu.inventory import Inventory
from bot.sweep.sweep import KINDS, sweep
from bot.sweep.trouble import Entry, Sweep
from tests.factories import NOW, POLICY
from tests.why.builders_owners import ago, owners_view

OLD = "2026-11-01T00:00:00Z"


def a_cluster_of(*records: Any, unread: tuple[str, ...] = ()) -> View:
    """Every kind was read, but those in `unread`."""
    plain = [one for one in records if not isinstance(one, PodDisruptionBudget)]
    view = owners_view(*plain, unread=unread)
    for kind in KINDS:
        view.sources[kind] = Source(kind, Reading.FORBIDDEN if kind in unread else Reading.LIVE, NOW)
    for one in records:
        if isinstance(one, PodDisruptionBudget):
            view.put("poddisruptionbudgets", f"{one.namespace}/{one.name}", one)
    return view


def swept(view: View, evidence: Evidence | None = None) -> Sweep:
    return sweep(view, Inventory(view, POLICY), evidence or Evidence(), NOW)


def ids(found: Sweep) -> list[str]:
    return [one.root.id for one in found.entries]


def under(entry: Entry) -> list[str]:
    return sorted(one.owner for one in entry.under)


def looked_up(*, agents: dict[str, str] | None = None, logs: dict[Pod, str] | None = None, **objects: Any) -> Evidence:
    """`objects`: PodDisruptionBudgets of namespace llm by name, as JSON."""
    texts: dict[Ref, str] = {NodeRef("agent", node): text for node, text in (agents or {}).items()}
    for pod, text in (logs or {}).items():
        texts[LogRef(pod.namespace, pod.name, pod.containers[0].name)] = text
    refs = {ObjectRef("PodDisruptionBudget", "llm", name): Fields(data) for name, data in objects.items()}
    return Evidence(refs, texts)


def a_budget(name: str = "glm", *, allowed: int = 0, app: str = "glm") -> PodDisruptionBudget:
    selector = Selector((Requirement("app", "In", (app,)),))
    return PodDisruptionBudget(name=name, namespace="llm", created=ago(days=9), selector=selector, allowed=allowed)
