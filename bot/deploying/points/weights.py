"""Whether the weights are there or can be put there: the volume, its size, who may mount it, what a download left."""

from bot.deploying.manifests.claim import MANY, needed_gib, shared
from bot.deploying.manifests.download import called
from bot.deploying.points.classes import for_many
from bot.deploying.points.looking import default_class
from bot.deploying.points.point import Asked, Ground, Told
from bot.deploying.points.readers import reader
from bot.domain.storage import PersistentVolumeClaim
from bot.why.existing_volumes import DEFAULT_CLASS
from bot.why.shell import kubectl

_GIB = 2**30


def judge(ground: Ground) -> Told:
    manifests, view = ground.manifests, ground.view
    if not view.knows("persistentvolumeclaims"):
        return Told(None, f"whether claim `{manifests.claim}` is there: claims were not read", _look(ground))
    claim = view.persistentvolumeclaims.get(f"{ground.namespace}/{manifests.claim}")
    if claim is not None:
        return _unfit(ground, claim) or (_downloaded(ground) if manifests.downloads else _lying(ground))
    if manifests.downloads:
        return _to_be_made(ground)
    return Told(
        False,
        f"there is no claim `{manifests.claim}` in `{ground.namespace}`",
        "type `source=hf` and gpubot makes one and fills it, or the name of the claim that has the weights",
    )


def _unfit(ground: Ground, claim: PersistentVolumeClaim) -> Told | None:
    needed = ground.manifests.draft.variant.weights_bytes
    if claim.size is not None and claim.size < needed:
        return Told(
            False,
            f"claim `{claim.name}` has {int(claim.size) / _GIB:.0f} GiB, the weights take {needed / _GIB:.0f}",
            f"Make it {needed_gib(ground.manifests)}Gi, or use another claim",
        )
    if shared(ground.manifests) and claim.access_modes and not claim.access_modes & MANY:
        modes = "/".join(sorted(claim.access_modes))
        return Told(
            False,
            f"claim `{claim.name}` is {modes}: one node at a time, and several are to read it",
            "Use a ReadWriteMany or ReadOnlyMany claim, or `replicas=1`",
        )
    return None


def _lying(ground: Ground) -> Told:
    """In a claim that somebody else filled."""
    manifests = ground.manifests
    who = reader(ground.view, ground.namespace, manifests.claim, manifests.weights_path)
    if who is not None:
        return Told(True, f"{who.title} reads them from claim `{manifests.claim}`")
    return Told(
        None,
        f"whether the weights lie at `{manifests.weights_path}` of claim `{manifests.claim}`",
        _look(ground),
    )


def _downloaded(ground: Ground) -> Told:
    """In a claim of our own. A Job that is there already stays as it is, so one that has failed would be waited for."""
    name = called(ground.manifests)
    job = ground.view.jobs.get(f"{ground.namespace}/{name}")
    told = job.fields if job is not None else None
    if told is not None and told.condition("Failed").text("status") == "True":
        why = told.condition("Failed").text("reason")
        again = kubectl("delete", "job", name, namespace=ground.namespace)
        return Told(False, f"their download failed before ({why or 'no reason told'})", f"let it begin anew: `{again}`")
    if told is not None and told.condition("Complete").text("status") == "True":
        return Told(True, f"job `{name}` has downloaded them into claim `{ground.manifests.claim}`")
    return Told(True, f"claim `{ground.manifests.claim}` is there; the download goes on where it was")


def _to_be_made(ground: Ground) -> Told:
    manifests, view = ground.manifests, ground.view
    size, wanted = needed_gib(manifests), manifests.wish.storage_class
    if not view.knows("storageclasses"):
        return Told(None, f"whether a volume of {size} GiB can be made: storage classes were not read")
    if wanted and wanted not in view.storageclasses:
        return Told(False, f"there is no storage class `{wanted}`", _classes(ground))
    if not view.storageclasses:
        return Told(False, "there is no storage class, so no volume is made for the weights", "type `source=pvc:CLAIM`")
    name = wanted or default_class(view, ground.evidence)
    if name == "":
        make = kubectl("annotate", "storageclass", sorted(view.storageclasses)[0], f"{DEFAULT_CLASS}=true")
        return Told(False, "no storage class is the default", f"{_classes(ground)}; or make one the default: `{make}`")
    if name is None:
        says = f"whether a volume of {size} GiB is made: which storage class is the default was not read"
        return Told(None, says, _classes(ground))
    return _of_class(ground, name, size)


def _of_class(ground: Ground, name: str, size: int) -> Told:
    if not shared(ground.manifests):
        return Told(True, f"a new volume of {size} GiB is asked of class `{name}` and filled from {_hub(ground)}")
    can = for_many(ground.view, name)
    if can is False:
        driver = ground.view.storageclasses[name].provisioner
        says = f"class `{name}` ({driver}) makes volumes for one node at a time, and several are to read it"
        return Told(False, says, f"{_classes(ground, but=name)}, or `replicas=1`")
    if can is None:
        return Told(None, f"whether class `{name}` can make a ReadWriteMany volume of {size} GiB", _classes(ground))
    return Told(True, f"a new volume of {size} GiB for many nodes is asked of class `{name}`")


def _hub(ground: Ground) -> str:
    return "ModelScope" if ground.manifests.from_modelscope else "Hugging Face"


def _classes(ground: Ground, but: str = "") -> str:
    """Those that can do what is needed; else those that may."""
    many, view = shared(ground.manifests), ground.view
    others = [name for name in sorted(view.storageclasses) if name != but]
    able = [name for name in others if many and for_many(view, name)] or others
    known = ", ".join(f"`storage={name}`" for name in able[:4])
    return f"Choose one that can: {known}" if known else "Ask whoever runs the storage"


def _look(ground: Ground) -> str:
    return f"`kubectl -n {ground.namespace} describe pvc {ground.manifests.claim}`"


POINT = Asked(30, "weights", "Weights", judge, page=__doc__ or "")
