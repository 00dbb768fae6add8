"""How many GPUs a node should have, and who says so: it may offer fewer, or none, without anybody having noticed."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.domain.node import Node
from bot.domain.remembered import of_latest
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.kind import Form, is_gpu_resource, kind_of, product_label, says_gpu, short
from bot.gpu.stack import machines, vendor

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_COUNTS = (
    "nvidia.com/gpu.count",
    "cloud.google.com/gke-accelerator-count",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.azure.com/sku-gpu-count",
    "aliyun.accelerator/nvidia_count",
)
_NAMES = ("karpenter.azure.com/sku-gpu-name", "karpenter.k8s.aws/instance-gpu-name")
FOR_MACHINES = "nvidia.com/gpu.workload.config"  # vm-passthrough, vm-vgpu: its GPUs are not for pods
# Labels of other vendors' feature discovery that say that there is a GPU.
_SAY_GPU = ("amd.com/gpu.", "feature.node.kubernetes.io/amd-gpu", "gpu.intel.com/device-id", "habana.ai/")
_INTEL = "intel.feature.node.kubernetes.io/gpu"


@dataclass(frozen=True, slots=True)
class Expected:
    """`count` is None where nobody tells a number. `source` is a clause: "label `nvidia.com/gpu.count`"."""

    source: str
    count: int | None = None
    product: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Fleet:
    """What is worked out once for all nodes of a view.

    usual: how many GPUs most nodes of an instance type have. claims: by node, the NodeClaim that it was made for and
    how many GPUs that asked for. As long as neither changes it is the same object, for which answers are remembered.
    """

    usual: Mapping[str, int]
    claims: Mapping[str, tuple[str, int]]


def fleet(view: View) -> Fleet:
    claims = map(_claim, view.things("nodeclaims").values())
    return _fleet(frozenset(_usual(view).items()), frozenset(dict(claims).items()))


@lru_cache(maxsize=8)
def _fleet(usual: frozenset[tuple[str, int]], claims: frozenset[tuple[str, tuple[str, int]]]) -> Fleet:
    return Fleet(dict(usual), dict(claims))


def expected(fleet: Fleet, node: Node) -> Expected | None:
    """The best source first; None where nothing says that the node has GPUs for pods."""
    return _expected(node, fleet)


@of_latest
def _expected(node: Node, fleet: Fleet) -> Expected | None:
    if for_machines(node):
        return None
    names = (node.labels[key] for key in _NAMES if node.labels.get(key))
    product = short(product_label(node.labels) or next(names, ""))
    for key in _COUNTS:
        if (count := _whole(node.labels.get(key, ""))) is not None:
            return Expected(f"label `{key}={count}`", count, product) if count else None
    claim, asked = fleet.claims.get(node.name, ("", 0))
    if asked:
        return Expected(f"NodeClaim `{claim}`", asked, product)
    return _labelled(node, product) or _alike(node, fleet, product) or _tainted(node) or _by_machine(node)


def for_machines(node: Node) -> str:
    """`vm-passthrough` or `vm-vgpu` where its GPUs are handed to virtual machines; else empty."""
    value = node.labels.get(FOR_MACHINES, "")
    return value if value.startswith("vm-") else ""


def resource_of(node: Node) -> str:
    """The name under which the node's GPUs are offered, or should be."""
    known = sorted(name for name in node.capacity if is_gpu_resource(name))
    if known:
        return known[0]
    marked = vendor.of_marks(node.labels, tuple(taint.key for taint in node.taints))
    if marked is vendor.NVIDIA:
        marked = machines.vendor_of(node.labels.get(INSTANCE_TYPE, "")) or marked
    return marked.resource


@of_latest
def _claim(claim: Thing) -> tuple[str, tuple[str, int]]:
    """The node, what the claim is called, how many GPUs it asked for."""
    fields = claim.fields
    asked = fields.map("spec", "resources", "requests") | fields.map("status", "capacity")
    count = sum(_whole(amount) or 0 for name, amount in asked.items() if is_gpu_resource(name))
    return fields.text("status", "nodeName"), (claim.name, count)


def _labelled(node: Node, product: str) -> Expected | None:
    key = says_gpu(node.labels) or next((key for key in _NAMES if node.labels.get(key)), "") or _of_others(node)
    return Expected(f"label `{key}={node.labels[key]}`", None, product) if key else None


def _of_others(node: Node) -> str:
    said = (key for key, value in sorted(node.labels.items()) if value not in ("", "false", "0"))
    return next((key for key in said if key == _INTEL or key.startswith(_SAY_GPU)), "")


def _usual(view: View) -> dict[str, int]:
    """Instance types whose nodes have GPUs as a rule; of two numbers that are as usual the larger."""
    counts: dict[str, Counter[int]] = {}
    for (kind, cards), nodes in Counter(view.each_node(_type_and_cards).values()).items():
        if kind:
            counts.setdefault(kind, Counter())[cards] = nodes
    most = {kind: max(found, key=lambda number: (found[number], number)) for kind, found in counts.items()}
    return {kind: number for kind, number in most.items() if number}


def _type_and_cards(node: Node) -> tuple[str, int]:
    """An empty type where nothing follows from it for another node."""
    kind = node.labels.get(INSTANCE_TYPE, "")
    generic = kind.casefold() in machines.GENERIC or for_machines(node)
    return ("", 0) if generic else (kind, _cards(node))


def _alike(node: Node, fleet: Fleet, product: str) -> Expected | None:
    """What most nodes of its instance type have."""
    kind = node.labels.get(INSTANCE_TYPE, "")
    number = fleet.usual.get(kind, 0)
    return Expected(f"other nodes of type `{kind}`", number, product) if number else None


def twins(fleet: Fleet, node: Node) -> Expected | None:
    """The same also where a label speaks of GPUs without a number; None for cards that are cut, shared or claimed."""
    told = expected(fleet, node)
    if told is None or told.count is not None:
        return told
    return _alike(node, fleet, told.product)


def _by_machine(node: Node) -> Expected | None:
    kind = node.labels.get(INSTANCE_TYPE, "")
    return Expected(f"its machine type `{kind}`") if machines.vendor_of(kind) else None


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
