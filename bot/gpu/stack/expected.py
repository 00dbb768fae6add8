"""How many GPUs a node should have, and who says so: it may offer fewer, or none, without anybody having noticed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bot.domain.node import Node
from bot.domain.view import View
from bot.gpu.kind import Form, is_gpu_resource, kind_of, product_label, says_gpu, short

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_COUNTS = (
    "nvidia.com/gpu.count",
    "cloud.google.com/gke-accelerator-count",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.azure.com/sku-gpu-count",
    "aliyun.accelerator/nvidia_count",
)
_NAMES = ("karpenter.azure.com/sku-gpu-name", "karpenter.k8s.aws/instance-gpu-name")
_FOR_MACHINES = "nvidia.com/gpu.workload.config"  # vm-passthrough, vm-vgpu: its GPUs are not for pods


@dataclass(frozen=True, slots=True)
class Expected:
    """`count` is None where nobody tells a number. `source` is a clause: "label `nvidia.com/gpu.count`"."""

    source: str
    count: int | None = None
    product: str = ""


class Fleet(NamedTuple):
    """What is worked out once for all nodes of a view.

    usual: how many GPUs most nodes of an instance type have. claims: by node, the NodeClaim that it was made for and
    how many GPUs that asked for.
    """

    usual: Mapping[str, int]
    claims: Mapping[str, tuple[str, int]]


def fleet(view: View) -> Fleet:
    return Fleet(_usual(view), dict(_claims(view)))


def expected(fleet: Fleet, node: Node) -> Expected | None:
    """The best source first; None where nothing says that the node has GPUs for pods."""
    if node.labels.get(_FOR_MACHINES, "").startswith("vm-"):
        return None
    names = (node.labels[key] for key in _NAMES if node.labels.get(key))
    product = short(product_label(node.labels) or next(names, ""))
    for key in _COUNTS:
        if (count := _whole(node.labels.get(key, ""))) is not None:
            return Expected(f"label `{key}={count}`", count, product) if count else None
    claim, asked = fleet.claims.get(node.name, ("", 0))
    if asked:
        return Expected(f"NodeClaim `{claim}`", asked, product)
    return _labelled(node, product) or _alike(node, fleet) or _tainted(node)


def resource_of(node: Node) -> str:
    """The name under which the node's GPUs are offered, or should be."""
    known = sorted(name for name in node.capacity if is_gpu_resource(name))
    told = (*node.labels, *(taint.key for taint in node.taints))
    vendor = next((one for one in ("amd.com/gpu", "gpu.intel.com/i915") if any(one[:7] in key for key in told)), "")
    return known[0] if known else vendor or "nvidia.com/gpu"


def _claims(view: View) -> Iterator[tuple[str, tuple[str, int]]]:
    for claim in view.things("nodeclaims").values():
        fields = claim.fields
        asked = fields.map("spec", "resources", "requests") | fields.map("status", "capacity")
        count = sum(_whole(amount) or 0 for name, amount in asked.items() if is_gpu_resource(name))
        yield fields.text("status", "nodeName"), (claim.name, count)


def _labelled(node: Node, product: str) -> Expected | None:
    key = says_gpu(node.labels) or next((key for key in _NAMES if node.labels.get(key)), "")
    return Expected(f"label `{key}={node.labels[key]}`", None, product) if key else None


def _usual(view: View) -> dict[str, int]:
    """Instance types whose nodes have GPUs as a rule."""
    counts: dict[str, Counter[int]] = {}
    for node in view.nodes.values():
        if kind := node.labels.get(INSTANCE_TYPE):
            counts.setdefault(kind, Counter())[_cards(node)] += 1
    most = {kind: found.most_common(1)[0][0] for kind, found in counts.items()}
    return {kind: number for kind, number in most.items() if number}


def _alike(node: Node, fleet: Fleet) -> Expected | None:
    """What most nodes of its instance type have."""
    kind = node.labels.get(INSTANCE_TYPE, "")
    number = fleet.usual.get(kind, 0)
    return Expected(f"other nodes of type `{kind}`", number) if number else None


def _tainted(node: Node) -> Expected | None:
    taint = next((one for one in node.taints if is_gpu_resource(one.key)), None)
    return Expected(f"taint `{taint}`") if taint else None


def _cards(node: Node) -> int:
    """Whole GPUs that it offers; none where they are cut or shared."""
    return sum(
        amount
        for name, amount in node.capacity.items()
        if is_gpu_resource(name) and kind_of(name, node.labels).form is Form.WHOLE
    )


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else None
