"""On what a model runs and whose it is: the product of its nodes' GPUs, the team."""

from collections import Counter

from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.kind import product_label as label_of
from bot.gpu.owners import team
from bot.gpu.policy import Policy, first_label
from bot.scaling.served import Served, pod_template


def product_label(view: View, one: Served) -> str:
    """The label of the nodes where most of its pods are, else what its template asks for; empty where neither tells."""
    found = Counter(label for pod in one.pods if (label := _label(view, pod)))
    if found:
        return found.most_common(1)[0][0]
    return label_of(pod_template(one.thing).map("nodeSelector"))


def owner(view: View, one: Served, policy: Policy) -> str:
    """The team: by labels of its pods, of the workload, of the namespace; empty where none says."""
    if one.pods:
        return team(view, one.pods[0], policy)
    namespace = view.namespaces.get(one.thing.namespace)
    by_space = first_label(namespace.labels, policy.team_labels) if namespace else ""
    return first_label(one.thing.labels, policy.team_labels) or by_space


def _label(view: View, pod: Pod) -> str:
    node = view.nodes.get(pod.node)
    return label_of(node.labels) if node is not None else ""
