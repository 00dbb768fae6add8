"""The device plugin's DaemonSet puts no pod on the node: a label that nobody sets, or a taint it does not tolerate.

NVIDIA/k8s-device-plugin#1934: the plugin wants a label of node feature discovery, whose worker itself does not
tolerate the node's taint. No pod, event or error shows it; only the DaemonSet's desired number is too small.
"""

from collections.abc import Iterator

import msgspec

from bot.domain.answer import Remedy
from bot.domain.node import Taint
from bot.domain.selectors import Requirement
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.placement import Obstacle, of_daemonset
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.setters import of_provider, operand, setter
from bot.gpu.stack.sight import Sight

ID = "unplaced"
EXPLAINS = frozenset({"plugin_stopped", "missing", "unregistered"})


def find(sight: Sight) -> Fault | None:
    if sight.offered or sight.links.get(Link.DEVICE_PLUGIN) or (sight.expected is None and not sight.assumed):
        return None
    obstacles = [(thing, of_daemonset(thing).obstacle(sight.node)) for thing in sight.plugins]
    if not obstacles or any(obstacle is None for _, obstacle in obstacles):
        return None
    thing, obstacle = min(obstacles, key=lambda one: len(one[1].labels) if one[1] else 0)
    assert obstacle is not None
    return Fault(
        ID,
        sight.name,
        _sentence(sight, thing, obstacle),
        evidence=tuple(_evidence(sight, thing, obstacle)),
        remedies=tuple(_remedies(sight, thing, obstacle)),
        useless=("More nodes of this kind do not help: the plugin's pods would not come to them either",),
        explains=EXPLAINS,
    )


def _sentence(sight: Sight, thing: Thing, obstacle: Obstacle) -> str:
    """Ends with the deepest reason that is known."""
    head = (
        f"{sight.name} offers no {sight.resource} because the device plugin's DaemonSet {thing.key} puts no pod there"
    )
    if obstacle.taint is not None:
        return f"{head}: it does not tolerate the taint `{obstacle.taint}`"
    wanted = names([f"`{_told(one)}`" for one in obstacle.labels])
    return f"{head}: it wants the label {wanted}{_why_unset(sight, obstacle)}"


def _told(one: Requirement) -> str:
    return f"{one.key}={one.values[0]}" if one.operator == "In" and len(one.values) == 1 else str(one)


def _why_unset(sight: Sight, obstacle: Obstacle) -> str:
    """Who should have set the label, and what keeps that one from the node."""
    key = obstacle.labels[0].key
    if key in sight.node.labels:
        return f", and the node has `{key}={sight.node.labels[key]}`"
    who = setter(key)
    if who is None:
        return ", which its provider should have set" if of_provider(key) else ", which nobody has set"
    blocked = _blocked(sight)
    if blocked is not None and who in (Link.NODE_FEATURES, Link.OPERATOR):
        worker, barred = blocked
        how = (
            f"does not tolerate the taint `{barred.taint}`"
            if barred.taint
            else f"wants `{_told(barred.labels[0])}` there"
        )
        return f", which node feature discovery sets, and its worker {worker.key} {how}"
    if who is Link.NODE_FEATURES and sight.view.knows("daemonsets") and not sight.daemonsets.get(Link.NODE_FEATURES):
        return ", which node feature discovery (NFD) sets, and none is installed"
    if who is Link.NODE_FEATURES and (worker_pods := sight.links.get(Link.NODE_FEATURES)):
        if stuck(worker_pods[0]) is not None:
            return f", which node feature discovery sets, and its worker {worker_pods[0].key} does not run there"
        return f", which node feature discovery sets where {_found(key)}, and its worker runs there"
    return f", which the {who} sets, and did not"


def _found(key: str) -> str:
    """By what the label comes to be."""
    if key.startswith("intel.feature"):
        return "Intel's NodeFeatureRule for GPUs is installed and matches"
    return "it finds such a device on the bus"


def _blocked(sight: Sight) -> tuple[Thing, Obstacle] | None:
    """The NFD worker that does not come to the node either, and why."""
    for thing in sight.daemonsets.get(Link.NODE_FEATURES, ()):
        obstacle = of_daemonset(thing).obstacle(sight.node)
        if obstacle is not None:
            return thing, obstacle
    return None


def _evidence(sight: Sight, thing: Thing, obstacle: Obstacle) -> Iterator[str]:
    yield _counts(thing)
    if obstacle.labels:
        carry = sum(all(one.matches(node.labels) for one in obstacle.labels) for node in sight.view.nodes.values())
        yield f"{carry} of {len(sight.view.nodes)} nodes carry `{_told(obstacle.labels[0])}`"
    if (blocked := _blocked(sight)) is not None and obstacle.labels:
        yield _counts(blocked[0])
        if blocked[1].taint is not None:
            yield f"{blocked[0].key} tolerates {_tolerated(blocked[0])}; {sight.name} has `{blocked[1].taint}`"
    if sight.expected is not None:
        yield f"that {sight.name} has GPUs: {sight.expected.source}"


def _counts(thing: Thing) -> str:
    fields = thing.fields
    desired, ready = fields.number("status", "desiredNumberScheduled"), fields.number("status", "numberReady")
    return f"DaemonSet {thing.key}: desired {'unknown' if desired is None else desired}, ready {ready or 0}"


def _tolerated(thing: Thing) -> str:
    told = [
        f"`{one.key or 'every key'}{f'={one.value}' if one.value else ''}`"
        + (f" ({one.operator})" if one.operator else "")
        for one in of_daemonset(thing).tolerations
    ]
    return names(told) or "nothing"


def _remedies(sight: Sight, thing: Thing, obstacle: Obstacle) -> Iterator[Remedy]:
    blocked = _blocked(sight) if obstacle.labels else None
    if obstacle.taint is not None:
        yield _tolerate(sight, thing, obstacle.taint, "For good: `daemonsets.tolerations` or the chart's `tolerations`")
    if blocked is not None and blocked[1].taint is not None and _by_stack(obstacle):
        in_chart = "In its chart: `worker.tolerations` (`nfd.worker.tolerations` in the plugin's)"
        yield _tolerate(sight, blocked[0], blocked[1].taint, in_chart)
    intel = [one for one in obstacle.labels if one.key.startswith("intel.feature.")]
    if intel:
        yield Remedy("Install Intel's NodeFeatureRules (`nodeFeatureRule: true` in its plugin's chart), which set it")
    others = bool(intel or obstacle.taint or (blocked and blocked[1].taint and _by_stack(obstacle)))
    plain = [one for one in obstacle.labels if one.operator == "In" and len(one.values) == 1]
    if plain and len(plain) == len(obstacle.labels):
        pairs = {one.key: one.values[0] for one in plain}
        yield Remedy(
            f"{'Or set' if others else 'Set'} the label on {sight.name} yourself",
            commands.label(sight.name, pairs.items()),
            cost="the operator may take it back" if any(map(operand, pairs)) else "kept by hand from then on",
        )


def _by_stack(obstacle: Obstacle) -> bool:
    return any(setter(one.key) in (Link.NODE_FEATURES, Link.OPERATOR) for one in obstacle.labels)


def _tolerate(sight: Sight, thing: Thing, taint: Taint, for_good: str) -> Remedy:
    """A JSON patch that adds the toleration, to a list that may not be there yet."""
    value: dict[str, str] = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    path = "/spec/template/spec/tolerations"
    there = bool(of_daemonset(thing).tolerations)
    patch = [{"op": "add", "path": f"{path}/-" if there else path, "value": value if there else [value]}]
    return Remedy(
        f"Let {thing.key} tolerate `{taint.key}` with operator Exists. {for_good}",
        f"kubectl -n {commands.quoted(thing.namespace)} patch daemonset {commands.quoted(thing.name)} "
        f"--type=json -p {commands.quoted(msgspec.json.encode(patch).decode())}",
        cost="its pods are restarted one after the other",
    )
