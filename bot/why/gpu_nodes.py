"""Which nodes' GPUs are in question for a subject, each as a `Sight`.

For a waiting pod: nodes that it could go to by labels and taints and that offer no GPUs, or fewer than they should and
too few for it. For a bound pod its node, where it uses GPUs and is not well. For a node itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from bot.domain.evidence import LogRef
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.gpu.kind import is_gpu_resource
from bot.gpu.stack.expected import Fleet, expected, fleet
from bot.gpu.stack.link import Link
from bot.gpu.stack.placement import of_daemonset as placement
from bot.gpu.stack.recognise import of_daemonset, of_pod
from bot.gpu.stack.sight import Sight, asks_gpu, stuck
from bot.scheduling.filters.node_affinity import Answers
from bot.scheduling.tolerance import untolerated
from bot.why.case import Case
from bot.why.standing import of_pod as standing

MOST_ASSUMED = 3


def in_question(case: Case) -> list[Sight]:
    """All of them, by name; nothing where the subject has nothing to do with GPUs or is well."""
    node, pod = case.subject.node, case.pod
    if node is None and pod is not None:
        if not pod.node:
            return _for_waiting(case, pod)
        bound = case.view.nodes.get(pod.node)
        node = bound if uses_gpus(pod) and not standing(pod, case).well else None
    return [_sight(case, node, fleet(case.view))] if node is not None else []


def _for_waiting(case: Case, pod: Pod) -> list[Sight]:
    asked = _asked(pod)
    if not asked:
        return []
    counted = fleet(case.view)
    short = [node for node in _within_reach(case, pod) if _lacks(case, node, asked, counted)]
    if short:
        return [_sight(case, node, counted) for node in short]
    return [replace(_sight(case, node, counted), assumed=True) for node in _assumed(case, pod, asked)]


def uses_gpus(pod: Pod) -> bool:
    """By request, claim or runtime class, or as a part of the GPU stack."""
    return asks_gpu(pod) or "nvidia" in pod.runtime_class or of_pod(pod) is not None


def _sight(case: Case, node: Node, counted: Fleet) -> Sight:
    return Sight(
        case.view, node, case.policy, case.now, case.evidence, extra=tuple(_users(case, node)), counted=counted
    )


def _users(case: Case, node: Node) -> Iterator[LogRef]:
    """The last words of GPU pods there that do not come up: the subject, and for a node the first of them."""
    own = [case.pod] if case.pod is not None and case.pod.node == node.name and of_pod(case.pod) is None else []
    there = own or sorted(
        (one for one in case.view.on_node(node.name) if asks_gpu(one)), key=lambda one: natural(one.key)
    )
    held = [(pod, state) for pod in there if (state := stuck(pod)) is not None and state.restarts]
    for pod, state in held[:1]:
        yield LogRef(pod.namespace, pod.name, state.name)
        yield LogRef(pod.namespace, pod.name, state.name, previous=True)


def _asked(pod: Pod) -> dict[str, int]:
    gpus = {name: amount for name, amount in pod.requests.items() if amount and is_gpu_resource(name)}
    return {} if pod.finished else gpus


def _within_reach(case: Case, pod: Pod) -> Iterator[Node]:
    """Nodes that are up and that the pod's selector, affinity and tolerations allow, by name."""
    answers = Answers(pod.spec)
    for node in sorted(case.view.nodes.values(), key=lambda one: natural(one.name)):
        up = node.ready is True and not node.unschedulable
        if up and answers(node) is None and untolerated(node.taints, pod.spec.tolerations) is None:
            yield node


def _assumed(case: Case, pod: Pod, asked: Mapping[str, int]) -> list[Node]:
    """No node speaks of GPUs and the plugin comes nowhere: it may be that nobody has looked for them."""
    offered = any(node.allocatable.get(name) for node in case.view.nodes.values() for name in asked)
    return [] if offered or not _plugin_nowhere(case) else list(islice(_within_reach(case, pod), MOST_ASSUMED))


def _lacks(case: Case, node: Node, asked: Mapping[str, int], counted: Fleet) -> bool:
    """It offers no GPU under any name although it should; or it would hold the pod if all its GPUs were there."""
    if not any(amount for name, amount in node.allocatable.items() if is_gpu_resource(name)):
        should = expected(counted, node)
        return should is not None and should.count != 0 and not case.view.devices.slices_by_node.get(node.name)
    held = case.view.requested_on(node.name)
    return any(
        node.allocatable.get(name, 0) - held.get(name, 0) < amount <= _all(node, name) - held.get(name, 0)
        for name, amount in asked.items()
    )


def _all(node: Node, name: str) -> int:
    """How many there are, unhealthy ones and those that its label promises included."""
    promised = node.labels.get("nvidia.com/gpu.count", "") if name == "nvidia.com/gpu" else ""
    return max(node.capacity.get(name, 0), int(promised) if promised.isdecimal() and len(promised) < 4 else 0)


def _plugin_nowhere(case: Case) -> bool:
    """Whether there is a device plugin, and it comes to no node at all."""
    things = case.view.things("daemonsets").values()
    plugins = [placement(one) for one in things if of_daemonset(one) is Link.DEVICE_PLUGIN]
    return bool(plugins) and not any(one.obstacle(node) is None for one in plugins for node in case.view.nodes.values())
