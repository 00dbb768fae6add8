"""Restart a workload: its pods are made anew, by the annotation that `kubectl rollout restart` sets."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.changes.kind import Ask, ChangeKind, Phase, Progress
from bot.changes.outage import model_of
from bot.changes.rolling_room import rolling
from bot.changes.rollout_status import progress
from bot.changes.workload_target import FORMS, replicas, thing_target, workload_of
from bot.domain.change import Plan, Size, Step, Verb
from bot.domain.errors import UsageError
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.kind import gpus_of
from bot.why.members import pods_of
from bot.why.shell import kubectl

RESTARTED = "kubectl.kubernetes.io/restartedAt"
FOLLOW_SECONDS = 3600  # a large model may load for half an hour


def plan(ask: Ask) -> Plan:
    """`at` in the arguments is the time that the annotation gets, so that the same plan comes again at the click."""
    thing = workload_of(ask.view, ask.arguments)
    at = ask.arguments.get("at", "")
    if not at:
        raise UsageError("A restart needs the time it is asked for.")
    how = rolling(ask.view, thing)
    pods = [pod for pod in set(pods_of(ask.view, thing)) if not pod.finished]
    return Plan(
        kind=CHANGE.name,
        arguments={"kind": thing.kind, "namespace": thing.namespace, "name": thing.name, "at": at},
        title=f"restart {thing.kind.lower()} {thing.key}",
        because=ask.because,
        steps=(_step(thing, at),),
        effects=(f"All {count(replicas(thing), 'pod')} are made anew", how.words),
        costs=tuple(_costs(thing, how.gap)),
        warnings=(how.stuck,) if how.stuck else (),
        instead=_instead(thing) if how.stuck else (),
        size=Size(replicas=replicas(thing), gpus=_gpus(pods), namespaces=(thing.namespace,)),
        refused=_refused(thing),
    )


def _step(thing: Thing, at: str) -> Step:
    template = FORMS[thing.kind].template
    path = (*template, "metadata", "annotations")
    annotation = ".".join((*path, RESTARTED))
    return Step(
        verb=Verb.PATCH,
        target=thing_target(thing, FORMS[thing.kind]),
        body=_nested(path, {RESTARTED: at}),
        before={annotation: thing.fields.at(*path).get(RESTARTED)},
        after={annotation: at},
        says=f"restart {thing.title}",
        command=kubectl("rollout", "restart", thing.title, namespace=thing.namespace),
    )


def _nested(path: tuple[str, ...], value: Mapping[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = dict(value)
    for key in reversed(path):
        body = {key: body}
    return body


def _gpus(pods: list[Pod]) -> int:
    return sum(map(gpus_of, pods))


def _costs(thing: Thing, gap: str) -> Iterator[str]:
    model = model_of(thing.fields)
    if gap:
        yield f"While it rolls, {gap}" + (f" (model {model})" if model else "")
    if model:
        yield f"Each new pod loads {model} again"
    yield "Requests in flight end with the pods that serve them"


def _instead(thing: Thing) -> tuple[str, ...]:
    change = '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}}}}'
    command = kubectl("patch", "deployment", thing.name, "--type", "merge", "-p", change, namespace=thing.namespace)
    return (f"Let one old pod go first: `{command}`",) if thing.kind == "Deployment" else ()


def _refused(thing: Thing) -> str:
    fields = thing.fields
    if thing.deleted:
        return f"{thing.title} is being deleted."
    if thing.kind == "Deployment" and fields.flag("spec", "paused"):
        resume = kubectl("rollout", "resume", thing.title, namespace=thing.namespace)
        return f"{thing.title} is paused, so no pod would be made anew; `{resume}` goes on with it."
    if fields.text("spec", "updateStrategy", "type") == "OnDelete":
        return f"{thing.title} makes pods anew only when they are deleted (OnDelete): delete them one by one."
    if thing.kind != "DaemonSet" and not replicas(thing):
        return f"{thing.title} wants no pods, so there is nothing to restart."
    return ""


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    del now, applied_at
    arguments = plan.arguments
    thing = view.thing(arguments["kind"], arguments["namespace"], arguments["name"])
    if thing is None:
        return Progress(Phase.FAILED, f"{arguments['namespace']}/{arguments['name']} is gone from the cluster.")
    told = thing.fields.at(*FORMS[thing.kind].template, "metadata", "annotations").get(RESTARTED)
    if told != arguments["at"]:
        if isinstance(told, str) and told > arguments["at"]:
            return Progress(Phase.FAILED, f"{thing.title} was restarted again by somebody else, at {inert(told, 40)}.")
        return Progress(Phase.GOING, f"The API server has taken it; {thing.title} does not show it yet.")
    return progress(view, thing)


CHANGE = ChangeKind(
    "restart",
    plan,
    follow,
    needs=frozenset({"nodes", "pods", "replicasets", "deployments", "statefulsets", "daemonsets", "leaderworkersets"}),
    follow_seconds=FOLLOW_SECONDS,
)
