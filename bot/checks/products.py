"""What a product has by its name: NVLinks, an NVSwitch fabric, MIG.

Where a reading is silent it decides whether to ask.

NVIDIA's product pages, and NVIDIA/k8s-device-plugin's list of MIG products; as of autumn 2026.
"""

from bot.domain.pattern import Pattern

_LINKED = Pattern(r"SXM|HGX|NVL\d*\b|\b(?:H200|H20|H800|H100 80GB HBM3|GH200|B[123]00|GB[23]00)\b")
_SWITCHED = Pattern(r"\b(?:H200|H20|H800|H100 80GB HBM3|B[123]00|GB[23]00)\b|HGX")
_MIG = Pattern(r"\b(?:A100|A30|H100|H200|H20|H800|GH200|B[123]00|GB[23]00)\b")


def has_links(name: str) -> bool:
    """NVLinks by the product itself; PCIe boards have them only with a bridge."""
    return bool(_LINKED.search(name)) and "PCIe" not in name


def on_switch(name: str) -> bool:
    """Products whose driver tells of a fabric: Hopper and later on NVSwitch boards."""
    return bool(_SWITCHED.search(name)) and "PCIe" not in name and "NVL" not in name


def has_mig(name: str) -> bool:
    return bool(_MIG.search(name))
