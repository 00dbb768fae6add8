"""GPUs of a pod and its node in words."""

from collections.abc import Iterator
from datetime import datetime

from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.time import read_time
from bot.gpu.kind import gpus_in, is_gpu_resource
from bot.why.amounts import said
from bot.why.case import Case
from bot.why.started.numa import gpus_of

_LINE = Pattern(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?\s(.*)$")
_RELOAD = Pattern(r"\bsystemd\[1\]: Reloading\b")
_XID = Pattern(r"NVRM: Xid \(([^)]{1,40})\): (\d{1,4})")


def held(pod: Pod) -> str:
    """`8 GPUs`; empty where it asks for none."""
    return ", ".join(said(name, amount) for name, amount in pod.requests.items() if is_gpu_resource(name))


def amount(pod: Pod) -> int:
    return gpus_in(pod.requests)


def node_is_whole(case: Case, pod: Pod) -> str:
    """What shows that the node still has its GPUs: the agent's reading, else what the node offers; else empty."""
    read = len(gpus_of(case.evidence.agent(pod.node)))
    if read:
        return f"the node agent on {pod.node} reads all its {read} GPUs"
    node = case.view.nodes.get(pod.node)
    if node is None:
        return ""
    for resource, capacity in node.capacity.items():
        if is_gpu_resource(resource) and capacity and node.allocatable.get(resource) == capacity:
            return f"{pod.node} still offers all its {capacity} `{resource}`"
    return ""


def reloads(case: Case, pod: Pod) -> list[datetime]:
    """When systemd reloaded its units on the pod's node, by the kernel log."""
    return [moment for moment, text in kernel_lines(case, pod.node) if _RELOAD.search(text)]


def xids(case: Case, pod: Pod, since: str) -> dict[int, int]:
    """Xid → how often, in the node's kernel log since the pod began."""
    began = read_time(since)
    found: dict[int, int] = {}
    for moment, text in kernel_lines(case, pod.node):
        if (match := _XID.search(text)) and (began is None or moment >= began):
            found[int(match[2])] = found.get(int(match[2]), 0) + 1
    return found


def kernel_lines(case: Case, node: str) -> Iterator[tuple[datetime, str]]:
    """`dmesg --time-format iso`; lines without a time are left out."""
    for line in case.evidence.kernel(node).splitlines():
        if found := _LINE.match(line):
            moment = read_time(f"{found[1]}{found[2] or 'Z'}")
            if moment is not None:
                yield moment, found[3]
