"""Data that ends with a pod: its emptyDir volumes, which only the whole pod tells of."""

from bot.domain.evidence import Evidence, ObjectRef, Wanted
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.words import names

LOOKED_UP = 40
SHOWN = 6


def _ref(pod: Pod) -> ObjectRef:
    return ObjectRef("Pod", pod.namespace, pod.name)


def scratch_wanted(pods: tuple[Pod, ...]) -> Wanted:
    return Wanted(tuple(map(_ref, pods[:LOOKED_UP])))


def scratch(evidence: Evidence, pods: tuple[Pod, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is lost, and of whom that could not be seen."""
    lost: list[str] = []
    unseen: list[str] = []
    for pod in pods:
        whole = evidence.objects.get(_ref(pod))
        if whole is None:
            unseen.append(pod.key)
        elif volumes := _volumes(whole):
            lost.append(f"{pod.key} ({names(volumes)})")
    told = (f"Data in emptyDir volumes is lost: {names(lost, SHOWN)}",) if lost else ()
    return told, (f"whether {names(unseen, SHOWN)} keep data in emptyDir volumes",) if unseen else ()


def _volumes(whole: Fields) -> list[str]:
    """Those on disk or in memory that are more than shared memory of the engine."""
    return [
        one.text("name")
        for one in whole.each("spec", "volumes")
        if one.get("emptyDir") is not None and one.text("emptyDir", "medium") != "Memory"
    ]
