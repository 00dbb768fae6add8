"""Why Cluster Autoscaler adds no node for a pod, or that one is on its way."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.text import inert
from bot.domain.words import count, duration, names
from bot.why.autoscaler_messages import GroupReason, group_reasons, growths
from bot.why.autoscaler_status import (
    STATUS,
    NodeGroup,
    autoscalers,
    from_config_map,
    from_log,
    log_of,
    refusals,
)
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.scale_from_zero import missing_label, missing_resource
from bot.why.shell import kubectl, quoted

SLOW_SECONDS = 20 * 60  # GPU nodes take minutes; --max-node-provision-time is 15 minutes by default
LOOK = Remedy(
    "See what it thinks of each group",
    kubectl("get", "configmap", STATUS.name, "-o", "yaml", namespace=STATUS.namespace),
)


def node_groups(case: Case) -> list[NodeGroup]:
    """From the ConfigMap, else from the log."""
    found = from_config_map(case.evidence.object(*STATUS))
    return found or from_log(log(case))


def log(case: Case) -> str:
    running = autoscalers(case.view)
    return case.evidence.log(*log_of(running[0])[:3]) if running else ""


def growing(case: Case, event: Event) -> Iterator[Finding]:
    """A node was asked for. Wait, unless that is long ago."""
    asked = growths(event.message)
    groups = names([f"`{one.group}` from {one.old} to {one.new} (at most {one.most})" for one in asked], 3) or "a group"
    age = case.age_seconds(event.time)
    ago = f" {duration(age)} ago" if age is not None else ""
    if age is None or age < SLOW_SECONDS:
        yield Finding(
            "cluster-autoscaler.growing",
            f"Cluster Autoscaler asked the cloud for a node{ago}: {groups}",
            Level.NOTE,
            until=f"the new node of {groups} is Ready and its devices are registered, most often within 15 min",
        )
        return
    failed = _failed_groups(case, [one.group for one in asked])
    yield Finding(
        "cluster-autoscaler.never-came",
        f"Cluster Autoscaler asked the cloud for a node{ago} ({groups}), and the pod still has none: the node did not "
        "come, or came without what the pod needs",
        Level.ROOT,
        evidence=(*failed, f"Cluster Autoscaler says {quoted(event.message)}"),
        remedies=(
            LOOK,
            Remedy(
                "See the newest nodes and whether they are Ready",
                kubectl("get", "nodes", "--sort-by=.metadata.creationTimestamp"),
            ),
        ),
        useless=(f"Waiting longer rarely helps: new nodes come within {duration(SLOW_SECONDS)}.",),
    )


def _failed_groups(case: Case, names_: list[str]) -> tuple[str, ...]:
    """Its own words on why the cloud gave none: capacity, quota of the account, time-out."""
    told = [f"`{one.name}`: {quoted(one.backoff)}" for one in node_groups(case) if one.backoff and one.name in names_]
    events = case.view.events_on("ConfigMap", *STATUS[1:])
    told += [quoted(one.message) for one in events if one.reason in ("FailedToScaleUpGroup", "ScaleUpTimedOut")][:2]
    return tuple(told)


def refused(case: Case, event: Event) -> Iterator[Finding]:
    """No node group helps. Each sort of reason is told once, the most useful first."""
    reasons = group_reasons(event.message)
    groups = node_groups(case)
    for reason in reasons:
        if (found := _by_template(case, reason, groups, event.message)) is not None:
            yield found
    full = [one for one in reasons if "max node group size reached" in one.text]
    backoff = [one for one in reasons if "backoff" in one.text]
    if full:
        yield _full(full[0], groups, event, others=len(reasons) - 1)
    if backoff:
        yield _backoff(case, backoff[0], groups, event)
    if (limit := next((one for one in reasons if _cluster_limit(one.text)), None)) is not None:
        yield _limit(limit, event)
    if not full and not backoff and limit is None:
        yield from _rest(case, reasons, event)


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
    full = [one.words for one in groups if one.target >= one.most]
    which = names(full, 3) if full else count(reason.count, "node group")
    beside = " (the other groups do not suit the pod)" if others else ""
    return Finding(
        "cluster-autoscaler.full",
        f"Cluster Autoscaler may add no node: {which} {'are' if reason.count != 1 else 'is'} at the largest "
        f"size allowed{beside}",
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
    failed = _failed_groups(case, [one.name for one in groups])
    return Finding(
        "cluster-autoscaler.backoff",
        f"Cluster Autoscaler leaves {count(reason.count, 'node group')} alone for a while, because the cloud gave no "
        "node when it last asked",
        Level.ROOT,
        evidence=(*(told or failed)[:3], f"Cluster Autoscaler says {quoted(event.message)}"),
        remedies=(LOOK,),
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
