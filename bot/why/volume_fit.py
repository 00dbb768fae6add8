"""Whether a volume is for a claim (kubernetes/kubernetes:pkg/controller/volume/persistentvolume/index.go)."""

from fractions import Fraction

from bot.domain.storage import PersistentVolume, PersistentVolumeClaim
from bot.domain.words import names


def misfit(claim: PersistentVolumeClaim, volume: PersistentVolume) -> str:
    """Why the volume is not for that claim; empty where nothing speaks against it."""
    if volume.deleted:
        return "is being deleted"
    if volume.claim is not None and volume.claim[:2] != (claim.namespace, claim.name):
        released = " (released, but its old claim is still written in it)" if volume.phase == "Released" else ""
        return f"belongs to claim {volume.claim[0]}/{volume.claim[1]}{released}"
    if claim.size is not None and volume.size < claim.size:
        return f"is too small: {size(volume.size)} of {size(claim.size)}"
    if not claim.access_modes <= volume.access_modes:
        return f"lacks access mode {names(sorted(claim.access_modes - volume.access_modes))}"
    if volume.mode != claim.mode:
        return f"has volume mode {volume.mode}, the claim wants {claim.mode}"
    if claim.selector is not None and not claim.selector.matches(volume.labels):
        return "does not have the labels that the claim selects"
    return "" if volume.storage_class == claim.storage_class else f"is of class `{volume.storage_class}`"


def size(value: Fraction | None) -> str:
    """`1.5 TiB`; empty for nothing."""
    if value is None:
        return ""
    for unit, power in (("TiB", 4), ("GiB", 3), ("MiB", 2)):
        if value >= 2 ** (10 * power):
            return f"{float(value / 2 ** (10 * power)):.4g} {unit}"
    return f"{int(value):,} bytes"
