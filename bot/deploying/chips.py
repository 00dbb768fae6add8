"""What is known of a GPU by its product's name, where its node does not tell: memory, compute capability, NVLink.

Names are those of GPU feature discovery (NVIDIA/k8s-device-plugin:docs/gpu-feature-discovery), which are NVML's with
hyphens. Memory is what nvidia-smi shows; where a node has `nvidia.com/gpu.memory`, that is taken.
"""

from dataclasses import dataclass

from bot.domain.pattern import Pattern

_CUT = Pattern(r"-(?:SHARED|MIG-.*)$")


@dataclass(frozen=True, slots=True)
class Chip:
    """One GPU. nvlink: whether several of a node are joined by it; None: not known."""

    product: str
    memory_mib: int
    capability: tuple[int, int]
    nvlink: bool | None


# The longest beginning that fits is taken: (memory in MiB, compute capability, NVLink between all GPUs of a board).
_KNOWN: dict[str, tuple[int, tuple[int, int], bool]] = {
    "H200": (143_771, (9, 0), True),
    "H200-NVL": (143_771, (9, 0), False),
    "H100-80GB-HBM3": (81_559, (9, 0), True),
    "H100-PCIe": (81_559, (9, 0), False),
    "H100-NVL": (95_830, (9, 0), False),
    "H800": (81_559, (9, 0), True),
    "H800-NVL": (95_830, (9, 0), False),
    "H20": (97_871, (9, 0), True),
    "H20-3e": (143_771, (9, 0), True),
    "GH200-480GB": (97_871, (9, 0), False),
    "B200": (183_359, (10, 0), True),
    "GB200": (189_471, (10, 0), True),
    "B300": (275_040, (10, 3), True),
    "GB300": (284_000, (10, 3), True),
    "RTX-PRO-6000-Blackwell": (97_887, (12, 0), False),
    "GeForce-RTX-5090": (32_607, (12, 0), False),
    "A100-SXM4-80GB": (81_920, (8, 0), True),
    "A800-SXM4-80GB": (81_920, (8, 0), True),
    "A100-80GB-PCIe": (81_920, (8, 0), False),
    "A100-PCIE-80GB": (81_920, (8, 0), False),
    "A100-SXM4-40GB": (40_960, (8, 0), True),
    "A100-PCIE-40GB": (40_960, (8, 0), False),
    "A30": (24_576, (8, 0), False),
    "A40": (46_068, (8, 6), False),
    "A10": (23_028, (8, 6), False),
    "A10G": (23_028, (8, 6), False),
    "L40S": (46_068, (8, 9), False),
    "L40": (46_068, (8, 9), False),
    "L20": (46_068, (8, 9), False),
    "L4": (23_034, (8, 9), False),
    "GeForce-RTX-4090": (24_564, (8, 9), False),
    "V100-SXM2-32GB": (32_768, (7, 0), True),
    "V100-SXM2-16GB": (16_384, (7, 0), True),
    "T4": (15_360, (7, 5), False),
    "GB10": (122_000, (12, 1), False),
}


def plain(product: str) -> str:
    """Without the maker's name and without what says that it is cut or shared: `H200`."""
    bare = product.strip().replace(" ", "-").removeprefix("NVIDIA-").removeprefix("Tesla-")
    return _CUT.sub("", bare)


def chip(product: str, memory_mib: int | None = None, capability: tuple[int, int] | None = None) -> Chip | None:
    """What the node tells goes before what the table knows. None where neither tells enough."""
    name = plain(product)
    fits = [one for one in _KNOWN if name == one or name.startswith(f"{one}-")]
    if not fits:
        both = memory_mib is not None and capability is not None
        return Chip(name, memory_mib, capability, None) if both else None  # type: ignore[arg-type]
    memory, able, joined = _KNOWN[max(fits, key=len)]
    return Chip(name, memory_mib or memory, capability or able, joined)


def generation(one: Chip) -> str:
    """As the catalogue names them: the H20 is a Hopper whose cache is better kept in BF16."""
    if one.product.startswith("H20-") or one.product == "H20":
        return "h20"
    major = one.capability[0]
    return {9: "hopper", 10: "blackwell", 12: "blackwell-workstation"}.get(major, "older")
