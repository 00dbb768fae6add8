"""The three steps of a verification in words: what the node offers, what nvidia-smi said, which taints there are."""

from collections.abc import Iterator

from bot.changes.verify_pod import CONTAINER
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.kind import gpus_of, is_gpu_resource

LINES_SHOWN = 8
_ENDED_WELL = 0


def gpu_resource(node: Node) -> str:
    """The NVIDIA resource that the node offers most of; empty where there is none."""
    offered = {name: amount for name, amount in node.allocatable.items() if is_gpu_resource(name) and amount > 0}
    ours = {name: amount for name, amount in offered.items() if name.startswith("nvidia.com/")}
    return max(ours, key=lambda name: (name == "nvidia.com/gpu", ours[name], name), default="")


def offers(node: Node, resource: str) -> str:
    """Step 1."""
    capacity, allocatable = node.capacity.get(resource, 0), node.allocatable.get(resource, 0)
    verdict = "" if capacity == allocatable else f": {capacity - allocatable} of them unhealthy by the device plugin"
    return f"1. {node.name} offers `{resource}`: capacity {capacity}, allocatable {allocatable}{verdict}"


def taints(node: Node) -> str:
    """Step 3."""
    in_the_way = [str(taint) for taint in node.taints if taint.blocks]
    if not in_the_way:
        return "3. No taint stands in the way of any pod"
    return f"3. Only pods that tolerate it come here: {', '.join(in_the_way)}"


def free(view: View, node: Node, resource: str) -> int:
    return node.allocatable.get(resource, 0) - view.requested_on(node.name).get(resource, 0)


def holders(view: View, node: Node) -> str:
    users = sorted(
        (pod for pod in view.on_node(node.name) if gpus_of(pod) and not pod.finished), key=lambda pod: pod.key
    )
    return ", ".join(f"{pod.key} ({gpus_of(pod)})" for pod in users[:4]) + (" and others" if len(users) > 4 else "")


def ran(log: str, pod: Pod | None) -> Iterator[str]:
    """Step 2: what came out, line by line."""
    lines = [inert(line, 160).replace("`", "'") for line in log.splitlines() if line.strip()]
    well = pod is not None and pod.phase == "Succeeded"
    yield f"2. A pod with one GPU ran `nvidia-smi` there: {'it ended with 0' if well else ended(pod)}"
    yield from lines[-LINES_SHOWN:]
    if not lines:
        yield "its log could not be read" if well else "it left no log"


def ended(pod: Pod | None) -> str:
    """How it did not go well."""
    if pod is None:
        return "the pod is gone before it could be seen to end"
    state = next((one for one in pod.states if one.name == CONTAINER), None)
    if pod.reason == "DeadlineExceeded":
        return "it did not end in time"
    if state is not None and state.exit_code not in (None, _ENDED_WELL):
        return f"it ended with {state.exit_code}{f' ({state.terminated})' if state.terminated else ''}"
    if state is not None and state.waiting:
        return f"its container does not start ({inert(state.waiting, 60)})"
    return f"the pod has {pod.phase.lower()}" + (f" ({inert(pod.reason, 60)})" if pod.reason else "")


def waits(pod: Pod) -> str:
    """Why it has no node yet, in the scheduler's own words."""
    condition = pod.condition("PodScheduled")
    if condition is None or not condition.message:
        return "it waits for the scheduler"
    return f"the scheduler says: “{inert(condition.message, 200)}”"


def counted(node: Node, resource: str, left: int) -> str:
    return f"{count(left, 'GPU')} of {node.allocatable.get(resource, 0)} free there"
