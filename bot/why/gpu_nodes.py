"""Which nodes' GPUs are in question for a subject, each as a `Sight`.

For a waiting pod: nodes that it could go to by labels and taints and that offer no GPUs, or fewer than they should and
too few for it, or are cut anew; where there is none of these, nodes with room that a driver upgrade has cordoned. For a
bound pod its node, where it uses GPUs and is not well. For a node itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from bot.domain.evidence import LogRef
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.remembered import of_latest
from bot.domain.text import natural
from bot.gpu.cordon import upgrading
from bot.gpu.kind import Form, is_gpu_resource, kind_of
from bot.gpu.stack.expected import Fleet, expected, fleet, twins
from bot.gpu.stack.faults.mig import STATE as MIG_STATE
from bot.gpu.stack.link import Link
from bot.gpu.stack.placement import of_daemonset as placement
from bot.gpu.stack.pods import asks_gpu, stuck
from bot.gpu.stack.recognise import of_daemonset, of_pod
from bot.gpu.stack.sight import Sight
from bot.gpu.stack.vendor import of_daemonset as vendor_of
from bot.gpu.stack.vendor import of_resource
from bot.scheduling.filters.node_affinity import Answers
from bot.scheduling.tolerance import untolerated
from bot.why.case import Case
from bot.why.standing import of_pod as standing

MOST_ASSUMED = 3
_CORDON = "node.kubernetes.io/unschedulable"
_CUT_ANEW = frozenset({"failed", "pending", "rebooting"})


def in_question(case: Case) -> list[Sight]:
    """All of them, by name; nothing where the subject has nothing to do with GPUs or is well."""
    return case.once(in_question, lambda: _in_question(case))


def _in_question(case: Case) -> list[Sight]:
    node, pod = case.subject.node, case.pod
    if node is None and pod is not None:
        if not pod.node:
            return _for_waiting(case, pod)
        bound = case.view.nodes.get(pod.node)
        node = bound if uses_gpus(pod) and not standing(pod, case).well else None
    return [_sight(case, node, _fleet(case))] if node is not None else []


def _fleet(case: Case) -> Fleet:
    return case.state.snapshot.once(fleet, lambda: fleet(case.view))


def _for_waiting(case: Case, pod: Pod) -> list[Sight]:
    asked = _asked(pod)
    if not asked:
        return []
    counted = _fleet(case)
    short = list(_within_reach(case, pod, _lacking(case, asked, counted)))
    short = short or [node for node in _upgrading(case, pod) if _has_room(case, node, asked)]
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


def _lacking(case: Case, asked: Mapping[str, int], counted: Fleet) -> list[Node]:
    """Within reach or not, so that all pods that ask for as much share it."""
    resources = tuple(sorted(asked))
    key = (__name__, *((name, asked[name]) for name in resources))
    doubtful = (node for node in case.view.nodes.values() if not _sound(node, resources, counted))
    return case.state.snapshot.once(key, lambda: [node for node in doubtful if _lacks(case, node, asked, counted)])


@of_latest
def _sound(node: Node, resources: tuple[str, ...], counted: Fleet) -> bool:
    """It offers GPUs, all that it has: however many are in use, it lacks none (see `_lacks`)."""
    if not _offers(node) or node.labels.get(MIG_STATE) in _CUT_ANEW:
        return False
    return all(_all(node, name, counted) <= node.allocatable.get(name, 0) for name in resources)


def _offers(node: Node) -> bool:
    return any(amount for name, amount in node.allocatable.items() if is_gpu_resource(name))


def _within_reach(case: Case, pod: Pod, nodes: Iterable[Node]) -> Iterator[Node]:
    """Those that are up and that the pod's selector, affinity and tolerations allow, by name."""
    for node in _allowed(case, pod, nodes):
        if not node.unschedulable and untolerated(node.taints, pod.spec.tolerations) is None:
            yield node


def _upgrading(case: Case, pod: Pod) -> Iterator[Node]:
    """Those that only the cordon of a driver upgrade keeps it from."""
    cordoned = case.state.snapshot.once(upgrading, lambda: list(filter(_cordoned, case.view.nodes.values())))
    for node in _allowed(case, pod, cordoned):
        taints = tuple(one for one in node.taints if one.key != _CORDON)
        if untolerated(taints, pod.spec.tolerations) is None:
            yield node


def _cordoned(node: Node) -> bool:
    return node.unschedulable and bool(upgrading(node))


def _allowed(case: Case, pod: Pod, nodes: Iterable[Node]) -> Iterator[Node]:
    answers, places = Answers(pod.spec), case.view.places()
    for node in sorted(nodes, key=lambda one: places[one.name]):
        if node.ready is True and answers(node) is None:
            yield node


def _has_room(case: Case, node: Node, asked: Mapping[str, int]) -> bool:
    held = case.view.requested_on(node.name)
    return all(node.allocatable.get(name, 0) - held.get(name, 0) >= amount for name, amount in asked.items())


def _assumed(case: Case, pod: Pod, asked: Mapping[str, int]) -> list[Node]:
    """No node speaks of GPUs and the plugin comes nowhere: it may be that nobody has looked for them."""
    offered = any(node.allocatable.get(name) for node in case.view.nodes.values() for name in asked)
    if offered or not _plugin_nowhere(case):
        return []
    return list(islice(_within_reach(case, pod, case.view.nodes.values()), MOST_ASSUMED))


def _lacks(case: Case, node: Node, asked: Mapping[str, int], counted: Fleet) -> bool:
    """It offers no GPU under any name although it should; or it would hold the pod if all its GPUs were there."""
    if not _offers(node):
        should = expected(counted, node)
        return should is not None and should.count != 0 and not case.view.devices.slices_by_node.get(node.name)
    if node.labels.get(MIG_STATE) in _CUT_ANEW and any(name.startswith("nvidia.com/mig-") for name in asked):
        return any(not node.allocatable.get(name) for name in asked)
    held = case.view.requested_on(node.name)
    return any(
        node.allocatable.get(name, 0) - held.get(name, 0) < amount <= _all(node, name, counted) - held.get(name, 0)
        for name, amount in asked.items()
    )


def _all(node: Node, name: str, counted: Fleet) -> int:
    """How many there are, unhealthy ones and those that a label or nodes of its type promise included."""
    there = node.capacity.get(name, 0)
    if not there or kind_of(name, node.labels).form is not Form.WHOLE:
        return there
    told = twins(counted, node)
    return max(there, told.count or 0 if told else 0)


def _plugin_nowhere(case: Case) -> bool:
    """Whether there is a device plugin, and it comes to no node at all."""
    things = case.view.things("daemonsets").values()
    vendor = of_resource(next(iter(_asked(case.pod)), "")) if case.pod else None
    plugins = [placement(one) for one in things if of_daemonset(one) is Link.DEVICE_PLUGIN and vendor_of(one) is vendor]
    return bool(plugins) and not any(one.obstacle(node) is None for one in plugins for node in case.view.nodes.values())
