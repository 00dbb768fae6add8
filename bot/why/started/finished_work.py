"""Pods whose work was done before the kubelet marked them as failed.

After a restart, kubelets of some releases admit finished pods again; when others hold their GPUs by then, the finished
pod is marked as rejected (kubernetes/kubernetes: issues 117955 and 124345).
"""

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.why.case import Case
from bot.why.containers import Container, containers
from bot.why.finding import Finding
from bot.why.started.kubelet_words import message
from bot.why.started.say import clock, delete_pod, quote

_ADMISSION = ("UnexpectedAdmissionError", "TopologyAffinityError", "NodeAffinity", "NodePorts", "TaintToleration")


def done_anyway(case: Case, pod: Pod) -> Finding | None:
    """None unless every container had ended with exit code 0, which a rejected pod cannot have done."""
    if not (pod.reason in _ADMISSION or pod.reason.startswith("OutOf")):
        return None
    own = [one for one in containers(case) if not one.init]
    if not own or not all(one.is_over and one.exit_code == 0 for one in own):
        return None
    job = _complete_job(case)
    restart = _kubelet_start(case, pod)
    return Finding(
        "kubelet.work-was-done",
        f"only its status is wrong, nothing is lost: {_ended(case, own)}{f', {job} is complete' if job else ''}; "
        f"{_why(case, pod, restart)}",
        evidence=(
            f"the rejection, which came after the work was done: {quote(message(case))}",
            *(
                [f"kubelet event on {pod.node} {clock(case, restart.time)}: {quote(restart.message)}"]
                if restart
                else []
            ),
            *_version(case, pod),
        ),
        remedies=(
            Remedy("Delete the stale pod object: its work is done, so this is safe", delete_pod(pod), False),
            Remedy(f"Upgrade the kubelet on {pod.node}: newer releases do not admit finished pods again"),
        ),
        useless=("There is no need to run the work again, and more GPUs change nothing: this is cosmetic",),
    )


def _ended(case: Case, own: list[Container]) -> str:
    at = clock(case, max(one.ended.text("finishedAt") for one in own))
    return f"{names([f'`{one.name}`' for one in own])} exited with code 0{f' {at}' if at else ''}"


def _why(case: Case, pod: Pod, restart: Event | None) -> str:
    if restart is not None:
        return (
            f"the kubelet on {pod.node} was restarted {clock(case, restart.time)} and admitted the finished pod "
            "a second time, when its devices belonged to others"
        )
    return f"most likely the kubelet on {pod.node} was restarted since and admitted the finished pod a second time"


def _complete_job(case: Case) -> str:
    for owner in case.owners:
        if owner.kind == "Job" and case.fields(owner).condition("Complete").text("status") == "True":
            return f"job {owner.key}"
    return ""


def _kubelet_start(case: Case, pod: Pod) -> Event | None:
    events = case.view.events_on("Node", "", pod.node)
    return next((one for one in events if one.reason == "Starting" and "kubelet" in one.message.lower()), None)


def _version(case: Case, pod: Pod) -> tuple[str, ...]:
    node = case.view.nodes.get(pod.node)
    return (f"{pod.node} runs kubelet {node.kubelet_version}",) if node and node.kubelet_version else ()
