"""A workload that names no product and runs on unlike GPUs behind one resource name: some replicas run, some die.

Only told where it really has replicas on more than one product and the cluster offers several.
"""

from collections.abc import Iterator

from bot.checks.check import FleetCheck, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import FleetScene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.gpu.kind import PRODUCT_LABELS, product_label, short
from bot.gpu.owners import top_owner


def _judge(fleet: FleetScene) -> Iterator[Finding]:
    products: dict[tuple[str, str, str], dict[str, list[Pod]]] = {}
    for scene in fleet.scenes:
        product = short(product_label(scene.node.labels))
        for pod in scene.sight.users if product else ():
            kind, owner = top_owner(fleet.view, pod)
            if kind in ("Deployment", "ReplicaSet", "StatefulSet") and not _pinned(pod):
                products.setdefault((pod.namespace, kind, owner), {}).setdefault(product, []).append(pod)
    for (namespace, kind, owner), found in sorted(products.items()):
        if len(found) > 1:
            yield _fires(f"{namespace}/{owner}", kind, found)
    blind = [scene.name for scene in fleet.scenes if scene.sight.users and not product_label(scene.node.labels)]
    if blind:
        yield Finding(
            state=State.UNKNOWN,
            severity=Severity.INFO,
            subject=Subject(),
            sentence=f"the fleet: no label names the GPUs of {names(blind)}",
            missing=tuple(f"product of {name}" for name in blind[:4]),
        )


def _pinned(pod: Pod) -> bool:
    """Whether it says itself on which products it may run."""
    terms = pod.spec.node_terms or ()
    asked = {one.key for term in terms for one in term.expressions}
    return any(key in pod.spec.node_selector or key in asked for key in PRODUCT_LABELS)


def _fires(key: str, kind: str, found: dict[str, list[Pod]]) -> Finding:
    parts = [f"{product} ({names([pod.name for pod in pods], 2)})" for product, pods in sorted(found.items())]
    return Finding(
        state=State.FIRING,
        severity=Severity.WARNING,
        subject=Subject(pod=key),
        sentence=f"{key} ({kind}) runs on unlike GPUs: {'; '.join(parts)}",
        evidence=("it names no product, so any of them may be handed to it",),
        remedies=(Remedy("Name the product in its node affinity (`nvidia.com/gpu.product`)"),),
    )


CHECK = FleetCheck(
    id="fleet.mixed_products",
    title="a workload runs on unlike GPUs",
    severity=Severity.WARNING,
    source="NVIDIA/k8s-device-plugin: one resource name for all products",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
