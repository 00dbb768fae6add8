"""Nodes that Cluster Autoscaler has asked the cloud for: on their way, or long overdue."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.words import duration, names
from bot.why.autoscaler_messages import growths
from bot.why.autoscaler_status import STATUS, NodeGroup, autoscalers, from_config_map, from_log, log_of
from bot.why.case import Case
from bot.why.finding import Finding, Level
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
            Level.ROOT,
            until="the new node is Ready and its devices are registered, most often within 15 min",
            sole=True,
        )
        return
    failed = failed_groups(case, [one.group for one in asked])
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


def failed_groups(case: Case, names_: list[str]) -> tuple[str, ...]:
    """Its own words on why the cloud gave none: capacity, quota of the account, time-out."""
    told = [f"`{one.name}`: {quoted(one.backoff)}" for one in node_groups(case) if one.backoff and one.name in names_]
    events = case.view.events_on("ConfigMap", *STATUS[1:])
    told += [quoted(one.message) for one in events if one.reason in ("FailedToScaleUpGroup", "ScaleUpTimedOut")][:2]
    return tuple(told)
