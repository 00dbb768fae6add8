"""The pods of a deployment that is followed: those of the new revision, the one that downloads, and those before."""

from collections.abc import Iterator
from typing import Any

from bot.changes.deploy_ask import wish_of
from bot.deploying.manifests.download import DOWNLOAD
from bot.deploying.manifests.manifest import INSTANCE, MODEL, VARIANT
from bot.domain.change import Plan, Verb
from bot.domain.evidence import Evidence
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.why.rolling import well

ELDERS = 4
Runs = tuple[str, tuple[str, ...]]


def key_of(plan: Plan) -> str:
    return f"{plan.arguments['namespace']}/{plan.arguments['name']}"


def workload(plan: Plan) -> str:
    """What makes its pods, as people type it."""
    kind = "leaderworkerset" if int(plan.arguments.get("nodes", "1")) > 1 else "deployment"
    return f"{kind}/{key_of(plan)}"


def pods_of(plan: Plan, view: View) -> list[Pod]:
    """Of that name, with the new image; where only arguments changed, those of the revision before are among them."""
    namespace, name = plan.arguments["namespace"], plan.arguments["name"]
    model, image = wish_of(plan.arguments).model.id, plan.arguments["image"]
    found = [
        pod
        for pod in view.pods.values()
        if pod.namespace == namespace and pod.labels.get(INSTANCE) == name and pod.labels.get(MODEL) == model
    ]
    live = [pod for pod in found if not pod.finished and not pod.deleted]
    return [pod for pod in live if any(one.image == image for one in pod.containers)]


def new_ones(plan: Plan, pods: list[Pod], evidence: Evidence) -> list[Pod]:
    """Those that run as this plan says. What was not looked up counts only where nothing was there before."""
    wanted = {_runs(Fields(spec)) for spec in _specs(plan)}
    return [pod for pod in pods if _is_new(plan, evidence.object("Pod", pod.namespace, pod.name), wanted)]


def _is_new(plan: Plan, whole: Fields, wanted: set[Runs]) -> bool:
    spec = whole.at("spec")
    return _runs(spec) in wanted if spec else not rolls(plan)


def _runs(spec: Fields) -> Runs:
    """What an engine is started with: its command line, and the ConfigMaps that it reads."""
    line = next(((one.get("command"), one.get("args")) for one in spec.each("containers")), ())
    configs = sorted(one.text("configMap", "name") for one in spec.each("volumes"))
    return str(line), tuple(name for name in configs if name)


def _specs(plan: Plan) -> Iterator[Any]:
    """Of every pod that the plan makes, a leader and its workers apart."""
    for step in plan.steps:
        spec = step.body.get("spec", {})
        group = spec.get("leaderWorkerTemplate", {})
        for template in (spec.get("template"), group.get("leaderTemplate"), group.get("workerTemplate")):
            if template:
                yield template["spec"]


def rolls(plan: Plan) -> bool:
    """Whether there is a revision before."""
    return any(one.verb is Verb.PATCH for one in plan.undo)


def download_of(plan: Plan, view: View) -> Pod | None:
    """The newest pod that puts its weights there."""
    namespace, name = plan.arguments["namespace"], plan.arguments["name"]
    found = [pod for pod in view.pods.values() if pod.namespace == namespace and pod.labels.get(DOWNLOAD) == name]
    return max(found, key=lambda pod: (pod.created, pod.name), default=None)


def elders(plan: Plan, view: View) -> list[Pod]:
    """Ready replicas of the same weights, anywhere here: what they took tells what is usual."""
    model, variant = wish_of(plan.arguments).model.id, plan.arguments.get("variant", "")
    found = (
        pod
        for pod in view.pods.values()
        if pod.labels.get(MODEL) == model and pod.labels.get(VARIANT) == variant and INSTANCE in pod.labels
    )
    return sorted((pod for pod in found if well(pod)), key=lambda pod: pod.created)[-ELDERS:]
