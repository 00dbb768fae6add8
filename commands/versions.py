"""`/gpu versions`: driver, CUDA, container toolkit, plugin, kubelet, runtime, kernel and OS of GPU nodes, pool by pool.

    /gpu versions                     all pools of GPU nodes
    /gpu versions pool=train          pools whose name contains this
    /gpu versions product=H200        nodes whose GPU's name contains this

Of each part the version that most nodes of a pool run is the usual one; nodes that differ are named, and so is a pool
in which no version has the majority. Drivers of a branch that NVIDIA no longer supports stand in the first line. For
each driver branch: images of which CUDA start on it, and how (config/drivers.yaml has the tables).

Driver and CUDA are as feature discovery has labelled the node (a label may be older than the driver), toolkit and
plugin by the tags of the images that run there, the others as the kubelet reports. The running bot remembers what each
node ran before: changes of the last 30 days are told, and a driver, CUDA or plugin that went back a version stands in
the first line. Where nodes carry no pool label (setting `gpu.pool_labels`), those with the same GPUs on
the same machine type are a pool.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.gpu.versions import Ask, versions
from bot.views import gpu_versions


def run(request: Request) -> Reply:
    """Raises NotFoundError where a filter matches nothing."""
    cluster = request.cluster
    pools = versions(cluster.inventory, Ask(**request.options))
    return gpu_versions.show(pools, cluster.view, request.now, cluster.nodes_before)


COMMAND = Command(
    words=("versions",),
    summary="Drivers, CUDA and the software under GPUs by pool, and nodes that differ",
    access=Access.READ,
    examples=("/gpu versions", "/gpu versions pool=train"),
    run=run,
    options=(
        Option("pool", "only pools whose name contains this", "pool=train"),
        Option("product", "only nodes whose GPU's name contains this", "product=H200", also=("gpu", "kind")),
    ),
    page=__doc__ or "",
    needs=frozenset({"nodes", "pods", "resourceslices", "resourceclaims"}),
)
