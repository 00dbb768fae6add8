"""Namespaces that a ClusterQueue does not take: its selector against the labels that the namespace has."""

import shlex

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.shell import kubectl, quoted

SAID = "namespace doesn't match clusterqueue selector"


def not_taken(case: Case, namespace: str, queue: str, message: str) -> Finding | None:
    """None where Kueue did not say so."""
    if SAID not in message.casefold():
        return None
    thing = case.view.things("clusterqueues").get(queue)
    selector = case.fields(thing).at("spec", "namespaceSelector") if thing else Fields()
    wanted = selector.map("matchLabels")
    here = case.view.namespaces.get(namespace)
    has = {key: here.labels.get(key, "") for key in wanted} if here is not None else {}
    differs = {key: value for key, value in wanted.items() if here is not None and has[key] != value}
    asks = names([*(f"`{key}={value}`" for key, value in wanted.items()), *_expressions(selector)], 4)
    found = names([f"`{key}={has[key]}`" if has[key] else f"no label `{key}`" for key in differs], 4)
    return Finding(
        "kueue.namespace",
        f"ClusterQueue `{queue or 'of its queue'}` does not take workloads of namespace {namespace}"
        + (f": it takes those with {asks}" if asks else "")
        + (f", and {namespace} has {found}" if found else ""),
        evidence=(f"Kueue says {quoted(message)}",),
        remedies=(
            *_label(namespace, differs),
            Remedy(
                f"Or use a queue that takes {namespace}, or let `{queue}` take it (spec.namespaceSelector)",
                kubectl("edit", "clusterqueues.kueue.x-k8s.io", queue) if queue else "",
                verified=False,
            ),
        ),
        useless=("Waiting and more quota do not help.",),
        unknown=case.not_read("clusterqueues", "namespaces"),
        weight=3,
    )


def _expressions(selector: Fields) -> list[str]:
    return [
        f"`{one.text('key')}` {one.text('operator')} {names(one.texts('values'), 3)}".rstrip()
        for one in selector.each("matchExpressions")
    ]


def _label(namespace: str, differs: dict[str, str]) -> tuple[Remedy, ...]:
    if not differs:
        return ()
    words = [f"{key}={value}" for key, value in differs.items()]
    return (
        Remedy(
            "If its work belongs there, label the namespace",
            shlex.join(("kubectl", "label", "namespace", namespace, *words, "--overwrite")),
            verified=False,
            cost="whatever else selects namespaces by this label takes it in too",
        ),
    )
