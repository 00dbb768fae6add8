"""What a sweep sees of pods that wait: their reasons for the history, and which of them have started since."""

from collections.abc import Iterator
from datetime import datetime

from bot.domain.history import History, Observation, State
from bot.domain.pod import Pod
from bot.domain.time import read_time
from bot.domain.view import View
from bot.gpu.kind import UNNAMED, is_gpu_resource, kind_of
from bot.gpu.owners import top_owner
from bot.gpu.policy import Policy
from bot.why.ask import case_of
from bot.why.explain import explain
from bot.why.overview import groups
from bot.why.subject import of_pod

SENTENCE_MAX = 500


def watched(view: View, now: datetime) -> list[list[Pod]]:
    """Pods without a node in groups that one explanation holds for, what waits longest first."""
    return [pods for _, pods in groups(view, now) if not pods[0].node and not pods[0].finished]


def waiting(view: View, policy: Policy, pods: list[Pod], now: datetime) -> Iterator[Observation]:
    """One group's reason, for each of its pods that still waits."""
    still = [
        pod for pod in pods if (kept := view.pods.get(pod.key)) is not None and kept.uid == pod.uid and not kept.node
    ]
    if not still:
        return
    told = explain(case_of(of_pod(view.pods[still[0].key]), view, policy, now))
    for pod in still:
        yield _observation(view, pod, State.WAITING, pod.created, told.id, told.sentence[:SENTENCE_MAX])


def started(view: View, history: History) -> Iterator[Observation]:
    """Pods that were seen waiting and have their place now."""
    for wait in history.waits.values():
        if wait.started_at is None:
            pod = view.pods.get(f"{wait.namespace}/{wait.name}")
            if pod is not None and pod.uid == wait.uid and pod.node:
                yield _observation(view, pod, State.STARTED, pod.started)


def _observation(
    view: View, pod: Pod, state: State, since: str, reason_id: str = "", sentence: str = ""
) -> Observation:
    gpus, shape = likeness(view, pod)
    kind, name = top_owner(view, pod)
    return Observation(
        uid=pod.uid or pod.key,
        namespace=pod.namespace,
        name=pod.name,
        owner="" if kind == "Pod" else f"{kind}/{name}",
        gpus=gpus,
        shape=shape,
        state=state,
        reason_id=reason_id,
        sentence=sentence,
        since=read_time(since),
    )


def likeness(view: View, pod: Pod) -> tuple[int, str]:
    """How many GPUs it asks for and of which kind, as far as it says; what `estimate` compares."""
    asked = {name: value for name, value in pod.requests.items() if value and is_gpu_resource(name)}
    if not asked:
        return 0, ""
    resource, amount = max(asked.items(), key=lambda pair: (pair[1], pair[0]))
    kind = kind_of(resource, {**pod.spec.node_selector})
    return amount, kind.detail if kind.product == UNNAMED else kind.title
