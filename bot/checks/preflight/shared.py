"""What is worked out once for all nodes, so that eight hundred of them cost no more than they have to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.checks.scene import Scene
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.selectors import Requirement
from bot.domain.text import natural
from bot.domain.view import View
from bot.gpu.kind import PRODUCT_LABELS, is_gpu_resource, product_label, short
from bot.gpu.stack.pods import asks_gpu
from bot.gpu.stack.recognise import of_pod

NO_POOL = "GPU nodes without pool or product label"


@dataclass(frozen=True, slots=True)
class Shared:
    """`models`: by pool and by who names them, how many nodes have which. `asking`: a waiting GPU pod of each template.

    labelled: how many nodes carry a label that names their model.
    """

    models: Mapping[tuple[str, str], Counter[str]] = field(default_factory=dict)
    asking: tuple[Pod, ...] = ()
    labelled: int = 0


def shared(view: View, scenes: Iterable[Scene]) -> Shared:
    """Of all GPU nodes, also where only some of them are asked about."""
    models: dict[tuple[str, str], Counter[str]] = {}
    labelled = 0
    for scene in scenes:
        labelled += bool(product_label(scene.node.labels))
        for who, named in named_models(scene.node):
            models.setdefault((pool_of(scene), who), Counter())[named] += 1
    return Shared(models, tuple(_asking(view)), labelled)


def pool_of(scene: Scene) -> str:
    """The pool's name; where no label names one, nodes of one model belong together."""
    return scene.pool or model(scene) or NO_POOL


def named_models(node: Node) -> Iterator[tuple[str, str]]:
    """Each label that names a model, and which. Labels spell one model in different ways: only like ones compare."""
    for key in PRODUCT_LABELS:
        if value := node.labels.get(key):
            yield key, _bare(value)


def model(scene: Scene) -> str:
    """The product of its GPUs by its label, its devices or its readings; empty where nobody tells."""
    if label := product_label(scene.node.labels):
        return _bare(label)
    rows = scene.sight.gpus.rows if scene.sight.gpus else ()
    devices = [row.kind.product for row in rows if "/" not in row.resource and row.kind.product]
    return next(iter(devices or sorted({short(gpu.name) for gpu in scene.gpus if gpu.name})), "")


def _bare(label: str) -> str:
    """Without what feature discovery adds to a card that is cut or shared."""
    return short(label.removesuffix("-SHARED").partition("-MIG-")[0])


def _asking(view: View) -> Iterator[Pod]:
    """Pods of a template share their spec: one of them speaks for all."""
    seen: set[tuple[int, str]] = set()
    for pod in sorted(view.waiting, key=lambda one: natural(one.key)):
        kind = (id(pod.spec), ",".join(sorted(name for name in pod.requests if is_gpu_resource(name))))
        if asks_gpu(pod) and not pod.gated and not pod.deleted and of_pod(pod) is None and kind not in seen:
            seen.add(kind)
            yield pod


def chooses(pod: Pod, node: Node) -> bool:
    """Whether its selectors take that node, and the node has the resource that it asks for."""
    wanted = [name for name, amount in pod.requests.items() if amount and is_gpu_resource(name)]
    selector = (Requirement(key, "In", (value,)) for key, value in pod.spec.node_selector.items())
    terms = pod.spec.node_terms
    return (
        all(node.allocatable.get(name) for name in wanted)
        and all(one.matches(node.labels) for one in selector)
        and (terms is None or any(term.matches(node.name, node.labels) for term in terms))
    )
