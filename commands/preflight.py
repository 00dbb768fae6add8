"""`/gpu preflight`: the ten points that a GPU node has to pass before work is put on it.

    /gpu preflight                    every GPU node, by pool
    /gpu preflight pool=h200          pools whose name contains this
    /gpu preflight node=gpu-9         one node

From the card upwards: the driver lists all GPUs and none is broken; it covers the CUDA of the images; device plugin and
operator run; the resource is visible and not oversold; taints are tolerated; the runtime gives containers their GPUs;
labels name the GPUs; one model in the pool; images come; weights come. Each is OK, not OK or unknown. Only what is not
OK is named, with the first thing that helps; a node that comes up, is upgraded or goes away is no fault.

Run it after every expansion, driver upgrade and new node. `gpubot preflight` is the same as a gate for CI. Nothing is
written to the cluster. docs/preflight.md says what each point asks, and which are required.
"""

from bot.checks.preflight.report import Asked, report, wanted
from bot.command import Access, Command, Option, Reply, Request
from bot.domain.evidence import Wanted
from bot.views import gpu_preflight


def _asked(request: Request) -> Asked:
    return Asked(**request.options)


def wants(request: Request) -> Wanted:
    """Raises NotFoundError where no GPU node or pool is called so."""
    cluster = request.cluster
    return wanted(cluster.view, cluster.inventory.policy, request.now, _asked(request))


def run(request: Request) -> Reply:
    """Raises NotFoundError where no GPU node or pool is called so."""
    cluster = request.cluster
    policy = cluster.inventory.policy
    found = report(cluster.view, policy, request.evidence, request.now, _asked(request), cluster.nodes_before)
    return gpu_preflight.show(found, cluster.view, request.now)


COMMAND = Command(
    words=("preflight",),
    summary="The ten points that GPU nodes have to pass before work is put on them",
    access=Access.READ,
    examples=("/gpu preflight", "/gpu preflight pool=h200", "/gpu preflight node=gpu-9"),
    run=run,
    options=(
        Option("pool", "only pools whose name contains this", "pool=h200"),
        Option("node", "only this node", "node=gpu-9"),
    ),
    page=__doc__ or "",
    needs=frozenset(
        {
            *gpu_preflight.NEEDED,
            *gpu_preflight.HELPFUL,
            "namespaces",
            "deployments",
            "replicasets",
            "resourceclaims",
        }
    ),
    wants=wants,
)
