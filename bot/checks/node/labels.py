"""A node offers GPUs and no label names their product: nobody can ask for its kind, and sums leave it out."""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.gpu.kind import product_label
from bot.gpu.stack.link import Link


def _judge(scene: Scene) -> Iterator[Finding]:
    by_plugin = any(amount for name, amount in scene.node.capacity.items() if name.startswith("nvidia.com/"))
    if not by_plugin or product_label(scene.node.labels) or scene.young:
        return
    feature = next(iter(scene.sight.links.get(Link.GPU_FEATURES, ())), None)
    yield Finding(
        state=State.FIRING,
        severity=Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name} offers GPUs and no label names their product (`nvidia.com/gpu.product`)",
        evidence=(
            f"GPU feature discovery there: {feature.key}" if feature else "GPU feature discovery does not run there",
        ),
        remedies=(Remedy("Run GPU feature discovery there (the operator brings it, and the plugin's chart can)"),),
    )


CHECK = Check(
    id="node.labels",
    title="no label names its GPUs",
    severity=Severity.INFO,
    source="NVIDIA/k8s-device-plugin:docs/gpu-feature-discovery/README.md",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
