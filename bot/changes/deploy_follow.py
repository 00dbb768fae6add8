"""After a deployment was created: the clock of its phases until every pod is ready, or why it does not get there."""

from datetime import datetime
from statistics import median

from bot.changes.deploy_ask import wish_of
from bot.changes.deploy_pods import download_of, elders, key_of, new_ones, pods_of, workload
from bot.changes.kind import Phase, Progress
from bot.deploying.rollout import pulling, weights
from bot.deploying.rollout.budget import budget
from bot.deploying.rollout.clock import Clock, clock, line
from bot.deploying.rollout.phase import Phase as Stage
from bot.deploying.rollout.phase import Where
from bot.deploying.rollout.where import Told, where
from bot.domain.change import Plan
from bot.domain.evidence import Evidence, LogRef, ObjectRef, Wanted
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count, duration
from bot.serving.model import Variant
from bot.why.rolling import well

LOGS_LOOKED_AT = 24
DOWNLOAD_CRASHES = 3
FIRST_TOKEN = " · first token"  # what comes after ready: the clock's last word, which asking the model adds
_DOWNLOAD = "download"  # the container


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime, evidence: Evidence) -> Progress:
    variant = _variant(plan)
    downloads = not plan.arguments.get("source", "").startswith("pvc:")
    places = _places(plan, view, now, evidence, variant)
    shown = clock(
        places,
        _wanted(plan),
        budget(variant.weights_bytes, downloads=downloads, past_ready_seconds=_past(plan, view, now, evidence)),
        (now - applied_at).total_seconds(),
        namespace=plan.arguments["namespace"],
        downloads=downloads,
        owner=workload(plan),
    )
    return _progress(plan, shown, download_of(plan, view) if downloads else None)


def _variant(plan: Plan) -> Variant:
    wish = wish_of(plan.arguments)
    return wish.variant or wish.model.variants[0]


def _places(plan: Plan, view: View, now: datetime, evidence: Evidence, variant: Variant) -> list[Where]:
    pods = new_ones(plan, pods_of(plan, view), evidence)
    loader = download_of(plan, view)
    log = evidence.log(loader.namespace, loader.name, _DOWNLOAD) if loader is not None else ""
    download = weights.downloading(loader, log, variant.weights_bytes)
    waits = any(pod.node and not well(pod) for pod in pods)
    large = pulling.size_elsewhere(view.events.values(), plan.arguments["image"]) if waits else 0
    return [
        where(pod, evidence, now, Told(tuple(view.events_on("Pod", pod.namespace, pod.name)), large, download))
        for pod in pods
    ]


def _past(plan: Plan, view: View, now: datetime, evidence: Evidence) -> float | None:
    """What replicas of the same weights took here from their start to being ready; None where none is there."""
    took = [dict(where(pod, evidence, now).took).get(Stage.READY) for pod in elders(plan, view)]
    known = [seconds for seconds in took if seconds]
    return median(known) if known else None


def _progress(plan: Plan, shown: Clock, loader: Pod | None) -> Progress:
    key = key_of(plan)
    ticks = (f"{line(shown)}{FIRST_TOKEN}",)
    if loader is not None and _fails(loader) and not shown.done:
        sentence = f"{key}: the download of its weights fails (`/why {loader.key}`)."
        return Progress(Phase.FAILED, sentence, ticks, loader.key)
    if shown.failed:
        return Progress(Phase.FAILED, f"{key} does not start: {shown.failed}.", ticks, shown.subject)
    if shown.done:
        return Progress(
            Phase.DONE, f"{key} is ready: {count(shown.wanted, 'pod')} after {duration(shown.seconds)}.", ticks
        )
    about = f" of about {duration(shown.budget_seconds)}" if shown.budget_seconds > shown.seconds else ""
    late = f" {shown.late.phase} takes longer than it should: {shown.late.says}." if shown.late is not None else ""
    sentence = f"{key}: {shown.ready} of {count(shown.wanted, 'pod')} ready, {duration(shown.seconds)}{about}.{late}"
    return Progress(Phase.GOING, sentence, ticks, shown.subject, late=shown.late.phase if shown.late else "")


def _wanted(plan: Plan) -> int:
    return int(plan.arguments.get("replicas", "1")) * int(plan.arguments.get("nodes", "1"))


def _fails(loader: Pod) -> bool:
    """Whether the weights will not come."""
    return loader.phase == "Failed" or any(one.restarts >= DOWNLOAD_CRASHES for one in loader.states)


def follow_wants(plan: Plan, view: View) -> Wanted:
    """Whole pods for their times and arguments, and the ends of the logs of those that are not ready."""
    pods = pods_of(plan, view)
    refs: list[ObjectRef | LogRef] = [ObjectRef("Pod", pod.namespace, pod.name) for pod in (*pods, *elders(plan, view))]
    loader = download_of(plan, view)
    if loader is not None and loader.node and not loader.finished:
        refs.append(LogRef(loader.namespace, loader.name, _DOWNLOAD))
    for pod in [one for one in pods if one.node and not well(one)][:LOGS_LOOKED_AT]:
        main = next((one.name for one in pod.containers if not one.init), "")
        if main:
            refs.append(LogRef(pod.namespace, pod.name, main))
            if any(one.restarts for one in pod.states):
                refs.append(LogRef(pod.namespace, pod.name, main, previous=True))
    return Wanted(tuple(dict.fromkeys(refs)))
