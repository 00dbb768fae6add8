"""What had changed shortly before an incident began: rollouts, scaling, cordons, reboots, drivers."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.domain.alert import Content
from bot.domain.event import Event
from bot.domain.node_past import FleetPast
from bot.domain.text import inert
from bot.domain.time import read_time
from bot.domain.view import View

EARLIER = timedelta(hours=2)
LATER = timedelta(minutes=1)
AT_MOST, NODES, OWNERS = 8, 8, 8
_OF_NODES = frozenset(
    "NodeNotSchedulable NodeSchedulable Rebooted RegisteredNode NodeNotReady NodeReady Starting Shutdown".split()
)
_OF_OWNERS = frozenset({"ScalingReplicaSet", "SuccessfulRescale", "DeploymentRollback", "Killing", "Preempted"})
_VERSIONS = ("driver", "cuda", "plugin", "kernel", "kubelet")


def before(content: Content, view: View, began: datetime, past: FleetPast | None = None) -> tuple[str, ...]:
    """`11:58 deployment llm/glm: Scaled up …`, the oldest first, those of the last two hours."""
    found = [*_events(content, view), *_rollouts(content, view), *_versions(content, past)]
    lately = [(at, text) for at, text in found if began - EARLIER <= at <= began + LATER]
    ordered = sorted(dict.fromkeys(lately))[-AT_MOST:]
    return tuple(f"{at:%H:%M} {text}" for at, text in ordered)


def _events(content: Content, view: View) -> Iterator[tuple[datetime, str]]:
    for node in content.places[:NODES]:
        yield from _told(view.events_on("Node", "", node), _OF_NODES, f"node {node}")
    for namespace, name in (hit.owner.split("/", 1) for hit in content.hits[:OWNERS]):
        for kind in ("Deployment", "StatefulSet", "HorizontalPodAutoscaler"):
            events = view.events_on(kind, namespace, name)
            yield from _told(events, _OF_OWNERS, f"{kind.lower()} {namespace}/{name}")


def _told(events: list[Event], reasons: frozenset[str], who: str) -> Iterator[tuple[datetime, str]]:
    for event in events:
        at = read_time(event.time)
        if event.reason in reasons and at is not None:
            yield at, f"{who}: {inert(event.message or event.reason, 160)}"


def _rollouts(content: Content, view: View) -> Iterator[tuple[datetime, str]]:
    """A ReplicaSet that was made then is a new version of its Deployment."""
    owners = {hit.owner for hit in content.hits[:OWNERS]}
    for one in view.tables["replicasets"].values():
        owner, namespace = getattr(one, "owner", None), getattr(one, "namespace", "")
        if owner is None or f"{namespace}/{owner.name}" not in owners:
            continue
        at = read_time(one.created)
        if at is not None:
            yield at, f"deployment {namespace}/{owner.name}: a new version was rolled out ({one.name})"


def _versions(content: Content, past: FleetPast | None) -> Iterator[tuple[datetime, str]]:
    for node in content.places[:NODES] if past else ():
        known = past.of(node) if past else None
        for part in _VERSIONS if known else ():
            now, was = (known.now(part), known.before(part)) if known else (None, None)
            if now is not None and was is not None:
                yield now.since, f"node {node}: {part} {inert(was.value, 40)} → {inert(now.value, 40)}"
