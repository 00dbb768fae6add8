"""A leftover of a device plugin that hides devices which a DRA driver offers under the same name.

Where a DeviceClass takes requests for `nvidia.com/gpu` (`extendedResourceName`), the scheduler looks at the node's
devices, but up to release 1.34 only if the node does not carry that resource at all. A node on which a device plugin
ran once keeps `nvidia.com/gpu: 0` and is turned down; from 1.35 on 0 counts as absent.
kubernetes/kubernetes:pkg/scheduler/framework/plugins/noderesources/fit.go (shouldDelegateResourceToDRA).

What it cannot see: the scheduler's own release; the kubelets' is taken, which is never newer.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.text import natural
from bot.domain.words import names
from bot.gpu import devices
from bot.gpu.kind import is_gpu_resource
from bot.gpu.stack import commands
from bot.why.case import Case
from bot.why.finding import Finding, Stage

_MINOR = Pattern(r"v?1\.(\d{1,3})\b")
ZERO_COUNTS_AS_ABSENT = 35


def judge(case: Case) -> Iterator[Finding]:
    """For a pod that waits, and of which the scheduler says that this resource is short."""
    pod = case.pod
    if pod is None or not case.waits:
        return
    for resource, amount in sorted(pod.requests.items()):
        if not amount or not is_gpu_resource(resource) or not _short(case, resource):
            continue
        nodes = [node for node in _hidden(case, resource) if _free(case, node) >= amount]
        if nodes:
            yield _finding(case, resource, sorted(nodes, key=lambda one: natural(one.name)))


def _short(case: Case, resource: str) -> bool:
    """Its own words count: a newer scheduler would have taken the devices."""
    words = [one.message for one in case.events if one.reason == "FailedScheduling"]
    condition = case.pod.condition("PodScheduled") if case.pod else None
    said = [condition.message] if condition and condition.message else words[:1]
    return any(f"Insufficient {resource}" in text for text in said)


def _hidden(case: Case, resource: str) -> Iterator[Node]:
    if resource not in case.state.extended_resources:
        return
    for node in case.view.nodes.values():
        if node.ready is True and node.allocatable.get(resource) == 0 and _old(node):
            yield node


def _old(node: Node) -> bool:
    found = _MINOR.match(node.kubelet_version)
    return found is None or int(found[1]) < ZERO_COUNTS_AS_ABSENT


def _free(case: Case, node: Node) -> int:
    published = devices.on_node(case.view, node.name)
    return sum(
        not device.tainted and allocated not in case.view.devices.holders for allocated, device in published.devices
    )


def _finding(case: Case, resource: str, nodes: list[Node]) -> Finding:
    first = nodes[0]
    free = _free(case, first)
    key = resource.replace("~", "~0").replace("/", "~1")
    patch = f'[{{"op":"remove","path":"/status/capacity/{key}"}},{{"op":"remove","path":"/status/allocatable/{key}"}}]'
    same = f"; the same on {names([one.name for one in nodes[1:]], 2)}" if nodes[1:] else ""
    return Finding(
        "leftover_resource.zero",
        f"{first.name} has {free} DRA devices free for `{resource}`, but still carries `{resource}: 0` of a device "
        f"plugin that ran there once, and up to Kubernetes 1.34 the scheduler then does not look at its devices{same}",
        evidence=(
            f"{first.name}: allocatable `{resource}` is 0, kubelet {first.kubelet_version or 'of unknown release'}",
            f"DeviceClass `{case.state.extended_resources[resource]}` takes requests for `{resource}`",
        ),
        remedies=(
            Remedy(
                f"Take the leftover away, once no device plugin comes to {first.name} any more (else it is back)",
                f"kubectl patch node {commands.quoted(first.name)} --subresource=status --type=json "
                f"-p {commands.quoted(patch)}",
                cost="none for what runs",
            ),
            Remedy(
                "Or delete the node's object and restart its kubelet, which then makes it anew without the resource"
            ),
            Remedy("For good: upgrade the control plane to 1.35 or newer, where 0 counts as absent"),
        ),
        useless=("A device plugin is not what is missing: the DRA driver offers these GPUs",),
        weight=len(nodes),
    )


STAGE = Stage(
    "leftover_resource",
    68,
    judge,
    needs=frozenset({"nodes", "pods", "resourceslices", "deviceclasses", "events"}),
    docs=__doc__ or "",
)
