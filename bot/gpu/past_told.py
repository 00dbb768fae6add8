"""What a node runs now, part by part, and who tells each: its agent before its labels, images, and the kubelet."""

from collections.abc import Iterator, Mapping

from bot.domain.gpu_reading import NodeReading
from bot.domain.node import Node
from bot.gpu.kind import product_label, short
from bot.gpu.past import AGENT, LABEL, LABEL_ALONE, Said
from bot.gpu.versions import DRIVER, of_node

IMAGE, KUBELET = "image", "kubelet"
GPUS, PRODUCT = "GPUs", "product"
_FROM_LABELS = (DRIVER, "CUDA")
_COUNT = "nvidia.com/gpu.count"


def told(node: Node, images: Mapping[str, str], reading: NodeReading | None, *, asked: bool) -> dict[str, Said]:
    """Part → version; parts that nobody tells now are left out.

    images: tags of its stack's images by part. asked: whether the agent was asked at all.
    """
    label = LABEL_ALONE if asked and reading is None else LABEL
    found = {part: Said(value, label if part in _FROM_LABELS else KUBELET) for part, value in of_node(node).items()}
    found |= {part: Said(tag, IMAGE) for part, tag in images.items()}
    found |= dict(_labels(node, label))
    if reading is not None:
        found |= dict(_agent(reading))
    return {part: said for part, said in found.items() if said.value}


def _labels(node: Node, by: str) -> Iterator[tuple[str, Said]]:
    yield GPUS, Said(node.labels.get(_COUNT, ""), by)
    yield PRODUCT, Said(short(product_label(node.labels).removesuffix("-SHARED")), by)


def _agent(reading: NodeReading) -> Iterator[tuple[str, Said]]:
    """A GPU that is lost is still listed; one that never came up is not."""
    if reading.driver_version:
        yield DRIVER, Said(reading.driver_version, AGENT)
    if reading.cuda_version:
        yield "CUDA", Said(f"{reading.cuda_version[0]}.{reading.cuda_version[1]}", AGENT)
    if reading.gpus:
        yield GPUS, Said(str(len(reading.gpus)), AGENT)
