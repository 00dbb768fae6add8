"""`/gpu status`: how many GPUs are really free, at most how many on one node, and who holds the rest.

    /gpu status                       the whole cluster
    /gpu status product=H200          one product (a part of its name is enough)
    /gpu status pool=train            one node pool
    /gpu status namespace=llm         what one namespace holds
    /gpu status --by team             who holds them: by team, namespace, owner or node

Counted as kube-scheduler counts: what live pods request, terminating ones included, finished ones not. `free` means
that the scheduler would still place a pod there; what is left on cordoned, tainted or not-ready nodes stands apart.
`lost` is capacity above allocatable, or fewer than the node's own label says. Pods that may be ended for others and
burn-in pods stand apart from what is in use. Needs `list` and `watch` on nodes and pods; better with namespaces,
replicasets, jobs, resourceslices and resourceclaims.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.gpu.status import HELPFUL, NEEDED, Ask, status
from bot.views import gpu_status


def run(request: Request) -> Reply:
    """Raises NotFoundError where a filter matches nothing."""
    ask = Ask(**request.options)
    found = status(request.cluster.inventory, ask, request.now)
    return gpu_status.show(found, request.cluster.view, request.now)


COMMAND = Command(
    words=("status",),
    summary="GPUs in use, free, reserved and lost, and who holds them",
    access=Access.READ,
    examples=("/gpu status", "/gpu status product=H200", "/gpu status --by team", "/gpu status namespace=llm"),
    run=run,
    options=(
        Option("product", "only GPUs whose product contains this", "product=H200", also=("gpu", "kind")),
        Option("pool", "only nodes of pools whose name contains this", "pool=train"),
        Option("namespace", "what this namespace holds", "namespace=llm", also=("ns", "n")),
        Option("by", "split what is held", "--by team", choices=("team", "namespace", "owner", "node")),
    ),
    page=__doc__ or "",
    needs=frozenset({*NEEDED, *HELPFUL}),
)
