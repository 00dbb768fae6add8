"""Empty node groups whose imagined node lacks what the pod needs.

Cluster Autoscaler imagines the first node of a group that has none from what the cloud tells of it (tags, machine
type). A device plugin's resource and labels that appear on running nodes only are not among that, unless tags say so.
kubernetes/autoscaler:cluster-autoscaler/cloudprovider/aws/README.md (auto-discovery tags), clusterapi, azure.
"""

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource
from bot.why.amounts import name_of
from bot.why.autoscaler_messages import GroupReason
from bot.why.autoscaler_status import NodeGroup
from bot.why.finding import Finding, Level
from bot.why.shell import quoted

TAG = "k8s.io/cluster-autoscaler/node-template"


def missing_resource(
    pod: Pod, reason: GroupReason, groups: list[NodeGroup], refused: dict[str, str], offered: bool, message: str
) -> Finding | None:
    """Only for devices that no node offers today: where one does, a template was taken from a real node."""
    resource = reason.resource
    if offered or "/" not in resource:
        return None
    wanted = [one for one in groups if one.empty and (not refused or resource in refused.get(one.name, ""))]
    known = bool(groups)
    if known and not wanted:
        return None
    which = names([f"`{one.name}`" for one in wanted], 3) if wanted else "an empty group"
    sizes = names([one.words for one in wanted], 3)
    device = "GPU" if is_gpu_resource(resource) else "device"
    sure = f"its size is not the limit ({sizes}), but " if wanted else ""
    return Finding(
        "cluster-autoscaler.template-without-device",
        f"Cluster Autoscaler adds no node from {which}: {sure}the node template that it imagines for a group without "
        f"nodes lacks the {device} (`{resource}`), so it believes that a new node would not help",
        Level.ROOT,
        evidence=(
            f"Cluster Autoscaler says {quoted(message)}; it counts node groups here, not nodes",
            *(f"{name}: {quoted(why)}" for name, why in list(refused.items())[:2]),
        ),
        remedies=(
            Remedy(
                f"Tag {which} with `{TAG}/resources/{resource}` = how many a node has (on Azure with `_` in place of "
                "`/`; Cluster API: annotation `capacity.cluster-autoscaler.kubernetes.io/gpu-count`)",
                verified=False,
                cost="none; the autoscaler reads it at its next look at the group",
            ),
            Remedy(
                f"If the pod selects labels, tag them too: `{TAG}/label/KEY` = value, and taints: `{TAG}/taint/KEY`",
                verified=False,
            ),
            Remedy(
                "Until then keep one node in the group: it is taken as the template", verified=False, cost="one node"
            ),
        ),
        useless=(
            f"A larger maximum does not help: {sizes or 'size is not what stops it'}.",
            f"Another machine type does not help if this one has {name_of(resource)} already.",
        ),
        unknown=() if known else ("sizes of the node groups (ConfigMap kube-system/cluster-autoscaler-status)",),
        weight=3,
        numbers={"groups": {one.name: [one.target, one.most] for one in wanted}},
    )


def missing_label(pod: Pod, reason: GroupReason, groups: list[NodeGroup], message: str) -> Finding:
    """The pod selects labels that imagined (or real) nodes of the groups do not have."""
    keys = sorted(pod.spec.node_selector)
    listed = names([f"`{key}={pod.spec.node_selector[key]}`" for key in keys], 3) or "its node affinity"
    empty = [one.name for one in groups if one.empty]
    return Finding(
        "cluster-autoscaler.template-without-label",
        "Cluster Autoscaler adds no node, because a new one of "
        f"{count(reason.count, 'node group') if reason.count else 'its groups'} would not have what the pod selects "
        f"({listed})",
        Level.ROOT,
        evidence=(f"Cluster Autoscaler says {quoted(message)}; it counts node groups here, not nodes",),
        remedies=(
            Remedy(
                f"If the label belongs to {names([f'`{one}`' for one in empty], 3) or 'an empty group'}, tag the "
                f"group with `{TAG}/label/{keys[0] if keys else 'KEY'}` = its value",
                verified=False,
            ),
            Remedy("Or select a label that nodes of a group have", verified=False),
        ),
        useless=("A larger maximum size does not help.",),
        weight=1,
    )
