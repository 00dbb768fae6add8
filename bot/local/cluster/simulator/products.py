"""GPU products as their labels name them. Figures: GPU Feature Discovery on such machines, NVIDIA's data sheets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    memory_mib: int
    family: str
    compute: tuple[int, int]
    mig: bool = False  # can be sliced
    pci: str = "0302"  # PCI class: 3D controller


PRODUCTS: dict[str, Product] = {
    "NVIDIA-B200": Product(183_359, "blackwell", (10, 0), mig=True),
    "NVIDIA-H200": Product(143_771, "hopper", (9, 0), mig=True),
    "NVIDIA-H100-80GB-HBM3": Product(81_559, "hopper", (9, 0), mig=True),
    "NVIDIA-A100-SXM4-80GB": Product(81_920, "ampere", (8, 0), mig=True),
    "NVIDIA-L40S": Product(46_068, "ada-lovelace", (8, 9)),
    "NVIDIA-A10": Product(23_028, "ampere", (8, 6)),
    "NVIDIA-L4": Product(23_034, "ada-lovelace", (8, 9)),
    "Tesla-T4": Product(15_360, "turing", (7, 5)),
}


def slice_memory_mib(profile: str) -> int:
    """`1g.10gb` says it itself; GFD reports a little less than the name promises."""
    gigabytes = int(profile.partition(".")[2].partition("gb")[0])
    return gigabytes * 1024 * 95 // 100


def slice_compute(profile: str) -> int:
    return int(profile.partition("g.")[0])
