"""Siblings of a pod: how many share its fate, and who makes new ones."""

from bot.domain.pod import Pod
from bot.domain.words import count
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.started.plain import plain


def alike(case: Case, pod: Pod) -> int:
    """Pods of the same owner that the same node turned away for the same reason, itself included."""
    siblings = case.view.pods_by_owner.get(pod.owner.uid, ()) if pod.owner and pod.owner.uid else (pod,)
    return sum(1 for one in siblings if (one.phase, one.reason, one.node) == (pod.phase, pod.reason, pod.node))


def counted(case: Case, pod: Pod, what: str) -> tuple[str, ...]:
    """`553 pods of replicaset llm/emb-7f were rejected like this on gpu-a`; nothing where it is the only one."""
    number = alike(case, pod)
    if number < 2 or pod.owner is None:
        return ()
    owner = f"{pod.owner.kind.lower()} {pod.namespace}/{pod.owner.name}"
    return (f"{count(number, 'pod')} of {owner} were {what} like this on {pod.node}",)


def replaced(pod: Pod) -> str:
    """What becomes of a failed pod."""
    if pod.owner is None:
        return "nobody makes a new one: it has no owner"
    return f"its {pod.owner.kind} makes a new one, this object only stays as a record"


def template_image(case: Case, one: Container) -> str:
    """The image that the topmost owner's template names now, where it is another than the container's."""
    for owner in reversed(case.owners):
        for told in case.fields(owner).each("spec", "template", "spec", "containers"):
            if told.text("name") == one.name and (image := plain(told.text("image"))):
                return image if image != one.image else ""
    return ""


def done_otherwise(case: Case) -> str:
    """`job llm/eval has completed since`: then a failed pod of it is only a record."""
    for owner in case.owners:
        if owner.kind == "Job" and case.fields(owner).condition("Complete").text("status") == "True":
            return f"job {owner.key} has completed since, so there is nothing to do"
    return ""
