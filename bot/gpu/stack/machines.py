"""Types of machines that have GPUs by their name, for nodes of which nothing else tells.

A cloud's own images bring the driver and often no device plugin, and without feature discovery no label speaks of a
GPU: then only the type does. Names as the providers' instance pages list them, as of autumn 2026.
"""

from bot.domain.pattern import Pattern
from bot.gpu.stack.vendor import AMD, NVIDIA, Vendor

_AMD = Pattern(r"g4ad\.|Standard_NV\w*_v4$|Standard_ND\w*MI300X|BM\.GPU\.MI\d|a\d*-?mi\d")
_NVIDIA = Pattern(
    r"(?:p[2-6][a-z-]{0,5}\d{0,3}|g(?:[3-7]|r6)[a-z]{0,4}|gr6f?)\.(?:\d{0,2}xlarge|metal)"  # AWS
    r"|Standard_N[CDGV]\w+"  # Azure
    r"|(?:a[2-4]x?|g[24])-[a-z]+-?\d{0,3}\w*"  # Google Cloud
    r"|(?:BM|VM)\.GPU\S*"  # Oracle
    r"|ecs\.(?:gn|ebmgn|vgn|sgn)\d\S*"  # Alibaba
)
# Names that clusters on machines of one's own give to all of them: nothing follows for one from another.
GENERIC = frozenset({"", "k3s", "rke2", "k0s", "kind", "metal", "baremetal", "bare-metal", "custom", "unknown"})


def vendor_of(kind: str) -> Vendor | None:
    """Whose GPUs a machine of that type has; None where its name does not tell."""
    if _AMD.match(kind):
        return AMD
    return NVIDIA if _NVIDIA.fullmatch(kind) else None
