"""Why Cluster Autoscaler adds no node for a pod, or that one is on its way."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.why.autoscaler_growing import LOOK, failed_groups, log, node_groups
from bot.why.autoscaler_messages import GroupReason, group_reasons
from bot.why.autoscaler_status import NodeGroup, refusals
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.scale_from_zero import missing_label, missing_resource
from bot.why.shell import quoted


def refused(case: Case, event: Event) -> Iterator[Finding]:
    """No node group helps. Each sort of reason is told once, the most useful first."""
    reasons = group_reasons(event.message)
    groups = node_groups(case)
    full = [one for one in reasons if "max node group size reached" in one.text]
    backoff = [one for one in reasons if "backoff" in one.text]
    for reason in reasons:
        found = _by_template(case, reason, groups, event.message)
        if found is not None and not _elsewhere(found, groups, full=bool(full), backoff=bool(backoff)):
            yield found
    if full:
        yield _full(full[0], groups, event, others=len(reasons) - 1)
    if backoff:
        yield _backoff(case, backoff[0], groups, event)
    if (limit := next((one for one in reasons if _cluster_limit(one.text)), None)) is not None:
        yield _limit(limit, event)
    if not full and not backoff and limit is None:
        yield from _rest(case, reasons, event)


def _elsewhere(found: Finding, groups: list[NodeGroup], *, full: bool, backoff: bool) -> bool:
    """Whether the suitable group is another: one without room, or one that the cloud gives nothing for.

    A group in backoff was asked for before, so its template suits; a group at its largest size has nodes and needs no
    template, which says nothing about the others' devices.
    """
    if backoff and (not groups or any(one.backoff for one in groups)):
        return True
    return full and found.id == "cluster-autoscaler.template-without-label"


def _by_template(case: Case, reason: GroupReason, groups: list[NodeGroup], message: str) -> Finding | None:
    pod = case.pod
    if pod is None:
        return None
    if reason.resource:
        offered = any(node.allocatable.get(reason.resource, 0) for node in case.view.nodes.values())
        return missing_resource(pod, reason, groups, refusals(log(case), pod.key), offered, message)
    if "node affinity/selector" in reason.text or "match node selector" in reason.text:
        return missing_label(pod, reason, groups, message)
    return None


def _cluster_limit(text: str) -> bool:
    return any(one in text for one in ("max cluster", "exceeded quota", "max total nodes in cluster reached"))


def _full(reason: GroupReason, groups: list[NodeGroup], event: Event, others: int) -> Finding:
    full = [f"`{one.name}` ({one.target} of at most {one.most} nodes)" for one in groups if one.target >= one.most]
    which = names(full, 3) if full else count(reason.count, "node group")
    is_are = "is" if max(len(full), reason.count) == 1 else "are"
    beside = " (the other groups do not suit the pod)" if others else ""
    return Finding(
        "cluster-autoscaler.full",
        f"Cluster Autoscaler may add no node: {which} {is_are} at the largest size allowed{beside}",
        Level.ROOT,
        evidence=(f"Cluster Autoscaler says {quoted(event.message)}; it counts node groups here, not nodes",),
        remedies=(
            Remedy(
                "Raise the group's maximum size where the group is defined (cloud console, Terraform)",
                verified=False,
                cost="new nodes cost money",
            ),
            LOOK,
        ),
        weight=2,
    )


def _backoff(case: Case, reason: GroupReason, groups: list[NodeGroup], event: Event) -> Finding:
    told = [f"`{one.name}`: {quoted(one.backoff)}" for one in groups if one.backoff]
    which = names([f"`{one.name}`" for one in groups if one.backoff], 3)
    failed = failed_groups(case, [one.name for one in groups])
    return Finding(
        "cluster-autoscaler.backoff",
        f"Cluster Autoscaler leaves {which or count(reason.count, 'node group')} alone for a while, because the cloud "
        "gave no node when it last asked",
        Level.ROOT,
        evidence=(*(told or failed)[:3], f"Cluster Autoscaler says {quoted(event.message)}"),
        remedies=(
            Remedy("Let the pod use a group of another zone or machine type, which the cloud can give", verified=False),
            LOOK,
        ),
        until="it tries again: after 5 min at first, up to 30 min after repeated failures",
        weight=2,
    )


def _limit(reason: GroupReason, event: Event) -> Finding:
    return Finding(
        "cluster-autoscaler.cluster-limit",
        f"Cluster Autoscaler may add no node: a limit for the whole cluster stops it ({inert(reason.text, 120)})",
        Level.ROOT,
        evidence=(f"Cluster Autoscaler says {quoted(event.message)}",),
        remedies=(
            Remedy(
                "Raise the limit in the autoscaler's flags (`--max-nodes-total`, `--gpu-total`, `--cores-total`)",
                verified=False,
            ),
        ),
        weight=2,
    )


def _rest(case: Case, reasons: tuple[GroupReason, ...], event: Event) -> Iterator[Finding]:
    """All that the templates do not explain: said in its words, with what they mean for new nodes."""
    told = [one for one in reasons if _by_template(case, one, node_groups(case), event.message) is None]
    if len(told) < len(reasons) or not told:
        return
    parts = [f"{count(one.count, 'node group')}: {_words(one)}" if one.count else _words(one) for one in told[:4]]
    yield Finding(
        "cluster-autoscaler.no-group-helps",
        f"Cluster Autoscaler adds no node, because a new one would not help either ({'; '.join(parts)})",
        Level.ROOT,
        evidence=(f"Cluster Autoscaler says {quoted(event.message)}; it counts node groups here, not nodes",),
        remedies=(LOOK,),
        weight=-1,
    )


def _words(reason: GroupReason) -> str:
    if reason.resource:
        return f"a new node has too little `{reason.resource}`"
    if reason.taint:
        return f"new nodes have the taint `{reason.taint}`, which the pod does not tolerate"
    return inert(reason.text, 160)
