"""`/gpu node`: what is wrong with one node, and everything between its cards and the pods that use them.

    /gpu node gpu-9                   by its name (node/gpu-9 and a name without its domain do as well)

The first line says what is wrong, or that nothing is; then what shows it and what helps. Bottom up: the node, its
cards, driver, CUDA, container toolkit, runtime class, who manages these (a GPU operator, a plain device plugin, the
provider), the device plugin, labels, taints, whose cordon it is. Then one line a GPU: whether it is well, who uses it
(pod, owner, team), utilisation, memory, power, temperature, its last Xid; slices of a cut GPU stand under it. Last the
node's newest events, and what could not be seen.

Numbers come from the node agent; where there is none, from the DCGM exporter; where there is neither, only what
Kubernetes knows is told, and that is said. Every check that is about a node is asked; one that had nothing to read is
counted as such, never as well. A node that joined or changed while the bot was running has had the checklist run for
it. What the node ran before its last changes is told where the running bot remembers it; a step back of driver, CUDA or
device plugin is a fault, and so is what ran out of memory after it.
"""

from bot.checks.collect import checks
from bot.checks.look import scenes, wanted
from bot.command import Access, Command, Reply, Request
from bot.domain.evidence import Wanted
from bot.domain.node import Node
from bot.gpu.named_node import named_node
from bot.views import gpu_node
from bot.views.gpu_node_findings import judged

_TYPED = "/gpu node"


def _node(request: Request) -> Node:
    return named_node(request.cluster.view, request.words, _TYPED)


def wants(request: Request) -> Wanted:
    """Raises UsageError, NotFoundError."""
    cluster = request.cluster
    return wanted(cluster.view, cluster.inventory.policy, request.now, [_node(request)])


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    cluster = request.cluster
    policy, past = cluster.inventory.policy, cluster.nodes_before
    [scene] = scenes(cluster.view, policy, request.evidence, request.now, nodes=[_node(request)], past=past)
    kept = cluster.preflights.last(cluster.name, scene.name) if cluster.preflights is not None else None
    return gpu_node.show(scene, judged(scene, checks()), kept)


COMMAND = Command(
    words=("node",),
    summary="What is wrong with one node, from its cards to the pods on them",
    access=Access.READ,
    examples=("/gpu node gpu-9",),
    run=run,
    takes_words="NAME",
    page=__doc__ or "",
    needs=frozenset(
        {
            "nodes",
            "pods",
            "namespaces",
            "replicasets",
            "jobs",
            "deployments",
            "statefulsets",
            "daemonsets",
            "events",
            "runtimeclasses",
            "clusterpolicies",
            "nodeclaims",
            "resourceslices",
            "resourceclaims",
        }
    ),
    wants=wants,
)
