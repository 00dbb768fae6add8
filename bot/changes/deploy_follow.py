"""After a deployment was created: the clock of its phases until every pod is ready, or why it does not get there."""

from datetime import datetime

from bot.changes.deploy_ask import wish_of
from bot.changes.kind import Phase, Progress
from bot.deploying.budgets import startup_seconds
from bot.deploying.manifests.download import DOWNLOAD
from bot.deploying.manifests.manifest import INSTANCE, MODEL
from bot.deploying.rollout.budget import budget
from bot.deploying.rollout.clock import Clock, clock, line
from bot.deploying.rollout.phase import Where
from bot.deploying.rollout.where import where
from bot.domain.change import Plan
from bot.domain.evidence import Evidence, LogRef, ObjectRef, Wanted
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count, duration

PODS_LOOKED_AT = 24
_FAILED = frozenset({"Error", "OOMKilled", "ContainerCannotRun"})


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime, evidence: Evidence) -> Progress:
    wish = wish_of(plan.arguments)
    variant = wish.variant or wish.model.variants[0]
    namespace, name = plan.arguments["namespace"], plan.arguments["name"]
    downloads = not plan.arguments.get("source", "").startswith("pvc:")
    pods = pods_of(plan, view)
    places = [where(pod, evidence, now) for pod in pods]
    passed = (now - applied_at).total_seconds()
    shown = clock(
        places,
        _wanted(plan),
        budget(variant.weights_bytes, downloads=downloads),
        passed,
        namespace=namespace,
        downloads=downloads,
    )
    return _progress(plan, shown, places, _download(view, namespace, name))


def _progress(plan: Plan, shown: Clock, places: list[Where], download: str) -> Progress:
    key = f"{plan.arguments['namespace']}/{plan.arguments['name']}"
    ticks = (line(shown),)
    if download:
        return Progress(Phase.FAILED, f"{key}: {download}.", ticks, shown.subject)
    if shown.failed:
        return Progress(Phase.FAILED, f"{key} does not start: {shown.failed}.", ticks, shown.subject)
    if shown.done:
        return Progress(
            Phase.DONE, f"{key} is ready: {count(shown.wanted, 'pod')} after {duration(shown.seconds)}.", ticks
        )
    about = f" of about {duration(shown.budget_seconds)}" if shown.budget_seconds > shown.seconds else ""
    late = f" {shown.late.phase} takes longer than it should: {shown.late.says}." if shown.late is not None else ""
    sentence = f"{key}: {shown.ready} of {count(shown.wanted, 'pod')} ready, {duration(shown.seconds)}{about}.{late}"
    return Progress(Phase.GOING, sentence, ticks, shown.subject)


def _wanted(plan: Plan) -> int:
    return int(plan.arguments.get("replicas", "1")) * int(plan.arguments.get("nodes", "1"))


def pods_of(plan: Plan, view: View) -> list[Pod]:
    """Of the new revision: those that use the arguments it was made with."""
    namespace, name = plan.arguments["namespace"], plan.arguments["name"]
    model, image = wish_of(plan.arguments).model.id, plan.arguments["image"]
    found = [
        pod
        for pod in view.pods.values()
        if pod.namespace == namespace and pod.labels.get(INSTANCE) == name and pod.labels.get(MODEL) == model
    ]
    live = [pod for pod in found if not pod.finished and not pod.deleted]
    return [pod for pod in live if any(one.image == image for one in pod.containers)]


def _download(view: View, namespace: str, name: str) -> str:
    """Why the weights will not come; empty while they may."""
    for pod in view.pods.values():
        if pod.namespace != namespace or pod.labels.get(DOWNLOAD) != name:
            continue
        state = next(iter(pod.states), None)
        if pod.phase == "Failed" or (state is not None and state.restarts >= 3):
            return f"the download of its weights fails (`/why {pod.key}`)"
    return ""


def follow_wants(plan: Plan, view: View) -> Wanted:
    """Whole pods for their times, and the ends of their logs."""
    refs: list[ObjectRef | LogRef] = []
    for pod in pods_of(plan, view)[:PODS_LOOKED_AT]:
        main = next((one.name for one in pod.containers if not one.init), "")
        refs.append(ObjectRef("Pod", pod.namespace, pod.name))
        if pod.node and main:
            refs.append(LogRef(pod.namespace, pod.name, main))
            if any(one.restarts for one in pod.states):
                refs.append(LogRef(pod.namespace, pod.name, main, previous=True))
    return Wanted(tuple(refs))


def follow_seconds(plan: Plan) -> int:
    """Longer than any probe waits."""
    wish = wish_of(plan.arguments)
    variant = wish.variant or wish.model.variants[0]
    return 2 * startup_seconds(variant.weights_bytes)
