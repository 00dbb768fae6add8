"""Look at one node of a view: which GPUs it offers, who holds them, what stands in the way of new pods."""

from collections.abc import Iterable

from bot.domain.node import LIFECYCLE_TAINTS, Node
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu import conditions, cordon, devices
from bot.gpu.kind import Form, Kind, is_gpu_resource, kind_of, says_gpu
from bot.gpu.owners import team, top_owner
from bot.gpu.policy import Policy, first_label
from bot.gpu.row import GpuNode, Held, Holding, Row, State, balance

_COUNT_LABEL = "nvidia.com/gpu.count"
_WORKLOAD = "nvidia.com/gpu.workload.config"  # NVIDIA/gpu-operator: container, vm-passthrough, vm-vgpu
_MIG_BUSY = frozenset({"pending", "rebooting"})


def inspect(view: View, node: Node, policy: Policy) -> GpuNode | None:
    """The GPUs of a node, or None where neither resource, label nor device speaks of any."""
    state, why = _state(node, policy)
    resources = sorted({name for name in (*node.capacity, *node.allocatable) if is_gpu_resource(name)})
    published = devices.on_node(view, node.name)
    label = says_gpu(node.labels)
    if not resources and not published and not label:
        return None
    pods = [pod for pod in view.on_node(node.name) if pod.occupies]
    rows = [*_resource_rows(view, node, resources, pods, policy, state), *devices.rows(view, published, state)]
    return GpuNode(
        name=node.name,
        pool=first_label(node.labels, policy.pool_labels),
        state=state,
        why=why,
        rows=tuple(row for row in rows if row.total or row.requested),
        holdings=tuple(_holdings(view, node, resources, pods, policy))
        + tuple(devices.holdings(view, published, policy)),
        notes=tuple(_notes(node, resources, rows, published)),
        silent=bool(label) and not published and not _offers(node, resources),
        created=node.created,
    )


def _offers(node: Node, resources: list[str]) -> bool:
    """Whether it offers GPUs, or is meant to hand them to virtual machines and not to pods."""
    return node.labels.get(_WORKLOAD, "").startswith("vm-") or any(node.capacity.get(name) for name in resources)


def _state(node: Node, policy: Policy) -> tuple[State, str]:
    if node.ready is not True:
        condition = node.condition("Ready")
        return State.NOT_READY, (condition.reason or condition.status) if condition else "it never reported Ready"
    if node.unschedulable:
        return State.CORDONED, cordon.who(node)
    for taint in node.taints:
        if taint.blocks and taint.key not in policy.usual_taints and not is_gpu_resource(taint.key):
            pressed = taint.key in LIFECYCLE_TAINTS
            return (State.NOT_READY if pressed else State.RESERVED), str(taint)
    return State.OPEN, ""


def _resource_rows(
    view: View, node: Node, resources: list[str], pods: list[Pod], policy: Policy, state: State
) -> Iterable[Row]:
    held = _held(resources, pods, policy)
    slots = (
        node.allocatable.get("pods", 0) > view.requested_on(node.name).get("pods", 0) or "pods" not in node.allocatable
    )
    expected = _expected(node, resources)
    for resource in resources:
        yield balance(
            kind=kind_of(resource, node.labels),
            resource=resource,
            expected=expected.get(resource, 0),
            capacity=node.capacity.get(resource, 0),
            allocatable=node.allocatable.get(resource, 0),
            held=held[resource],
            state=state,
            slots=slots,
        )


def _held(resources: list[str], pods: list[Pod], policy: Policy) -> dict[str, Held]:
    held = {resource: Held() for resource in resources}
    for pod in pods:
        for resource, sum_ in held.items():
            amount = pod.requests.get(resource)
            if not amount:
                continue
            if policy.is_burn_in(pod):
                sum_.burn_in += amount
            elif policy.is_preemptible(pod):
                sum_.preemptible += amount
            else:
                sum_.used += amount
            if pod.deleted:
                sum_.terminating += amount
    return held


def _expected(node: Node, resources: list[str]) -> dict[str, int]:
    """What the node's own label promises. It counts cards, so it says nothing where cards are cut or shared."""
    count = node.labels.get(_COUNT_LABEL, "")
    whole = [name for name in resources if kind_of(name, node.labels).form is Form.WHOLE]
    cut = any(node.capacity.get(name) for name in resources if name not in whole)
    parent = (
        node.labels.get("nvidia.com/gpu.replicas") == "0" or node.labels.get("nvidia.com/mig.config.state") in _MIG_BUSY
    )
    if not count.isdigit() or len(count) > 4 or len(whole) != 1 or cut or parent:
        return {}
    return {whole[0]: int(count)}


def _holdings(view: View, node: Node, resources: list[str], pods: list[Pod], policy: Policy) -> Iterable[Holding]:
    kinds: dict[str, Kind] = {name: kind_of(name, node.labels) for name in resources}
    for pod in pods:
        for resource, kind in kinds.items():
            amount = pod.requests.get(resource)
            if amount:
                owner_kind, owner = top_owner(view, pod)
                yield Holding(kind, amount, pod.namespace, owner_kind, owner, team(view, pod, policy), pod.name)


def _notes(node: Node, resources: list[str], rows: list[Row], published: devices.Published) -> Iterable[str]:
    if node.labels.get("nvidia.com/gpu.product", "").endswith("-MIG-INVALID"):
        yield "its MIG layout is invalid, so it offers nothing"
    for condition in conditions.bad(node):
        yield f"condition {condition.type}: {condition.message or condition.reason or condition.status}"
    for row in rows:
        if row.lost and row.capacity == 0 and row.allocatable == 0:
            yield f"it should have {row.total} and offers none: its device plugin does not run"
        elif row.lost and row.allocatable == 0:
            yield f"all {row.total} are marked unhealthy, as when its device plugin has stopped"
    if any(row.kind.form in (Form.DEVICE, Form.DEVICE_MIG) for row in rows) and any(
        node.allocatable.get(name) for name in resources
    ):
        yield "device plugin and DRA driver both offer its GPUs, so they are counted twice"
    if published.incomplete:
        yield f"pool {published.incomplete} of DRA devices is incomplete, so the scheduler does not use it"
