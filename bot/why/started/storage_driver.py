"""Which DaemonSet should have brought a storage driver to a node, and what keeps its pod away."""

import re

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.selectors import Requirement
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.gpu.stack.placement import Obstacle, of_daemonset
from bot.why.case import Case
from bot.why.shell import kubectl

_COMMON = frozenset(
    {"csi", "com", "org", "net", "k8s", "driver", "plugin", "node", "storage", "kubernetes", "ebs", "efs"}
)


def evidence(case: Case, driver: str, node: str) -> tuple[str, ...]:
    """Where the driver is registered, and what its DaemonSet lacks on this node."""
    others = sorted(name for name, one in case.view.csinodes.items() if driver in one.drivers and name != node)
    found = daemonset(case, driver)
    return (
        *([f"`{driver}` is registered on {names(others)}"] if others else []),
        *(_obstacle(case, found, node) if found else ()),
        *case.not_read("daemonsets"),
    )


def look(case: Case, driver: str, name: str) -> Remedy:
    """What to do about it first: the label that keeps its pod away, else a look at it."""
    found, node = daemonset(case, driver), case.view.nodes.get(name)
    obstacle = of_daemonset(found).obstacle(node) if found is not None and node is not None else None
    labels = [_label(one) for one in obstacle.labels] if obstacle is not None and obstacle.taint is None else []
    if labels and all("=" in one for one in labels):
        return Remedy(
            f"If {name} should have it: give it the label that the DaemonSet's nodeSelector wants",
            kubectl("label", "node", name, *labels),
            False,
        )
    if found is None:
        command = kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={name}")
        return Remedy(f"See which of the driver's pods runs on {name}", command)
    command = kubectl("-n", found.namespace, "describe", "daemonset", found.name)
    return Remedy(f"See why daemonset {found.key} has no ready pod on {name}", command)


def daemonset(case: Case, driver: str) -> Thing | None:
    """By words that its name or images share with the driver's; None where none or several do."""
    telling = {word for word in re.split(r"[^a-z0-9]+", driver.lower()) if len(word) > 2} - _COMMON
    alike = [
        one
        for one in case.view.things("daemonsets").values()
        if telling and any(word in f"{one.key} {_images(one)}".lower() for word in telling)
    ]
    node_pods = [one for one in alike if "node" in one.name or len(alike) == 1]
    return node_pods[0] if len(node_pods) == 1 else None


def _images(thing: Thing) -> str:
    return " ".join(one.text("image") for one in thing.fields.each("spec", "template", "spec", "containers"))


def _obstacle(case: Case, thing: Thing, name: str) -> tuple[str, ...]:
    node = case.view.nodes.get(name)
    pod = next((one for one in case.view.on_node(name) if _is_of(one, thing)), None)
    if pod is not None:
        return (f"its pod there is {pod.key}, phase {pod.phase}",)
    obstacle = of_daemonset(thing).obstacle(node) if node is not None else None
    why = _words(node, obstacle) if node is not None and obstacle is not None else ""
    return (f"daemonset {thing.key} has no pod on {name}{f': {why}' if why else ''}",)


def _is_of(pod: Pod, thing: Thing) -> bool:
    return pod.owner is not None and (pod.owner.kind, pod.namespace, pod.owner.name) == (
        "DaemonSet",
        thing.namespace,
        thing.name,
    )


def _words(node: Node, obstacle: Obstacle) -> str:
    if obstacle.labels:
        return (
            f"it wants nodes with {names([f'`{_label(one)}`' for one in obstacle.labels])}, which {node.name} has not"
        )
    return f"it does not tolerate the taint `{obstacle.taint}`"


def _label(one: Requirement) -> str:
    """`weka.io/client=true`, as a nodeSelector has it."""
    return f"{one.key}={one.values[0]}" if one.operator == "In" and len(one.values) == 1 else f"{one}"
