"""Whether the weights are there or can be put there: the volume, its size, and who may mount it."""

from bot.deploying.manifests.claim import needed_gib, shared
from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.storage import PersistentVolumeClaim

_GIB = 2**30
_MANY = frozenset({"ReadWriteMany", "ReadOnlyMany", "RWX", "ROX"})


def judge(ground: Ground) -> Told:
    manifests, view = ground.manifests, ground.view
    claim = view.persistentvolumeclaims.get(f"{ground.namespace}/{manifests.claim}")
    if manifests.downloads:
        return _to_be_made(ground) if claim is None else _there(ground, claim)
    if not view.knows("persistentvolumeclaims"):
        return Told(None, f"whether claim `{manifests.claim}` is there: claims were not read", _look(ground))
    if claim is None:
        return Told(
            False,
            f"there is no claim `{manifests.claim}` in `{ground.namespace}`",
            "type `source=hf` and gpubot makes one and fills it, or the name of the claim that has the weights",
        )
    return _there(ground, claim)


def _there(ground: Ground, claim: PersistentVolumeClaim) -> Told:
    needed = ground.manifests.draft.variant.weights_bytes
    if claim.size is not None and claim.size < needed:
        return Told(
            False,
            f"claim `{claim.name}` has {int(claim.size) / _GIB:.0f} GiB, the weights take {needed / _GIB:.0f}",
            f"Make it {needed_gib(ground.manifests)}Gi, or use another claim",
        )
    if shared(ground.manifests) and claim.access_modes and not claim.access_modes & _MANY:
        modes = "/".join(sorted(claim.access_modes))
        return Told(
            False,
            f"claim `{claim.name}` is {modes}: one node at a time, and several are to read it",
            "Use a ReadWriteMany or ReadOnlyMany claim, or `replicas=1`",
        )
    if ground.manifests.downloads:
        return Told(True, f"claim `{claim.name}` is there; the download goes on where it was")
    path = ground.manifests.weights_path
    return Told(None, f"whether the weights lie at `{path}` of claim `{claim.name}`", _look(ground))


def _to_be_made(ground: Ground) -> Told:
    manifests, view = ground.manifests, ground.view
    size, wanted = needed_gib(manifests), manifests.wish.storage_class
    many = "ReadWriteMany " if shared(manifests) else ""
    if not view.knows("storageclasses"):
        return Told(None, f"whether a {many}volume of {size} GiB can be made: storage classes were not read")
    if wanted and wanted not in view.storageclasses:
        return Told(False, f"there is no storage class `{wanted}`", _classes(ground))
    if not view.storageclasses:
        return Told(False, "there is no storage class, so no volume is made for the weights", "type `source=pvc:CLAIM`")
    which = f"class `{wanted}`" if wanted else "the default class"
    if many:
        return Told(None, f"whether {which} can make a ReadWriteMany volume of {size} GiB", _classes(ground))
    return Told(True, f"a new volume of {size} GiB is asked of {which} and filled from {_hub(ground)}")


def _hub(ground: Ground) -> str:
    return "ModelScope" if ground.manifests.from_modelscope else "Hugging Face"


def _classes(ground: Ground) -> str:
    known = ", ".join(f"`storage={name}`" for name in sorted(ground.view.storageclasses)[:4])
    return f"Choose one that can: {known}" if known else "Ask whoever runs the storage"


def _look(ground: Ground) -> str:
    return f"`kubectl -n {ground.namespace} describe pvc {ground.manifests.claim}`"


POINT = Asked(30, "weights", "Weights", judge, page=__doc__ or "")
