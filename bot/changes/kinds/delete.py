"""Delete one pod that is stale or stuck: its controller makes a new one. This is also how a plugin's pod is restarted.

Only the very pod that was looked at is deleted (by its uid), with its own grace period, never by force: force takes the
object away while the process may still run and hold its GPU.
"""

from collections.abc import Iterator
from datetime import datetime

from bot.changes.kind import Ask, ChangeKind, Phase, Progress
from bot.changes.outage import losses
from bot.changes.pods import pod_target, serves
from bot.changes.scratch import scratch, scratch_wanted
from bot.domain.change import Plan, Size, Step, Verb
from bot.domain.errors import NotFoundError
from bot.domain.evidence import Wanted
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.kind import gpus_of
from bot.grammar import quoted
from bot.why.shell import kubectl

FOLLOW_SECONDS = 1800
SUCCESSOR_SECONDS = 60.0  # a controller makes the next pod within moments


def plan(ask: Ask) -> Plan:
    """Raises NotFoundError where the pod is gone, or another one has its name by now."""
    pod = _pod(ask)
    confirmed = ask.arguments.get("confirm", "")
    lost, unseen = scratch(ask.evidence, (pod,))
    return Plan(
        kind=CHANGE.name,
        arguments={
            "namespace": pod.namespace,
            "name": pod.name,
            "uid": pod.uid,
            **({"confirm": confirmed} if confirmed else {}),
        },
        title=f"delete pod {pod.key}",
        because=ask.because,
        steps=(_step(pod),),
        effects=tuple(_effects(pod)),
        costs=(*_costs(ask.view, pod), *lost),
        unknown=unseen,
        size=Size(replicas=1, gpus=gpus_of(pod), namespaces=(pod.namespace,)),
        refused=_refused(pod, confirmed),
    )


def wants_of(ask: Ask) -> Wanted:
    return scratch_wanted((_pod(ask),))


def _pod(ask: Ask) -> Pod:
    namespace, name, uid = (ask.arguments.get(key, "") for key in ("namespace", "name", "uid"))
    pod = ask.view.pods.get(f"{namespace}/{name}")
    if pod is None or (uid and pod.uid != uid):
        raise NotFoundError(f"The pod {quoted(f'{namespace}/{name}')} is gone.")
    return pod


def _step(pod: Pod) -> Step:
    return Step(
        verb=Verb.DELETE,
        target=pod_target(pod),
        before={"metadata.uid": pod.uid},
        after={"metadata.uid": None},
        says=f"delete pod {pod.key}",
        command=kubectl("delete", "pod", pod.name, namespace=pod.namespace),
    )


def _refused(pod: Pod, confirmed: str) -> str:
    if pod.owner is not None and pod.owner.kind == "Node":
        return f"{pod.key} is a mirror of a manifest on {pod.node}: deleting it changes nothing there."
    if pod.deleted:
        return f"{pod.key} is on its way out already; `/why {pod.key}` says what it waits for."
    if pod.owner is None and not pod.finished and confirmed not in (pod.name, pod.key):
        return (
            f"{pod.key} has no controller, so nobody would make it again. If that is meant, add `confirm={pod.name}`."
        )
    return ""


def _effects(pod: Pod) -> Iterator[str]:
    yield "It is asked to end, and has its own grace period for that"
    if pod.owner is not None:
        yield f"{pod.owner.kind} {pod.owner.name} makes a new one"


def _costs(view: View, pod: Pod) -> Iterator[str]:
    for loss in losses(view, () if pod.finished else (pod,)):
        if loss.last:
            yield f"Loses its last replica that serves: {loss.words}"
        elif serves(pod):
            yield f"One replica fewer of {loss.words} until the new one is Ready; {loss.left} left that serve"


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    arguments = plan.arguments
    key = f"{arguments['namespace']}/{arguments['name']}"
    pod = view.pods.get(key)
    if pod is not None and pod.uid == arguments["uid"]:
        return Progress(Phase.GOING, f"{key} ends." if pod.deleted else f"{key} is still there.", subject=f"pod/{key}")
    if pod is None or serves(pod):
        return Progress(Phase.DONE, f"{key} is gone." if pod is None else f"{key} is gone; its successor serves.")
    if pod.node or (now - applied_at).total_seconds() < SUCCESSOR_SECONDS:
        return Progress(Phase.GOING, f"{key} is gone; its successor of the same name starts.", subject=f"pod/{key}")
    return Progress(Phase.FAILED, f"{key} is gone; its successor of the same name has no node.", subject=f"pod/{key}")


CHANGE = ChangeKind("delete", plan, follow, needs=frozenset({"pods"}), wants=wants_of, follow_seconds=FOLLOW_SECONDS)
