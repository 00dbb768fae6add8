"""How far a rollout has come, by the workload's own status: as `kubectl rollout status` reads it.

kubernetes/kubectl:pkg/polymorphichelpers/rollout_status.go; leaderworkerset.x-k8s.io: status.updatedReplicas.
"""

from bot.changes.kind import Phase, Progress
from bot.changes.pods import serves
from bot.domain.fields import Fields
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.members import pods_of

SHOWN = 8
_COUNTS = {  # kind → what it wants, what is new, what serves
    "Deployment": (("spec", "replicas"), "updatedReplicas", "availableReplicas"),
    "StatefulSet": (("spec", "replicas"), "updatedReplicas", "readyReplicas"),
    "DaemonSet": (("status", "desiredNumberScheduled"), "updatedNumberScheduled", "numberAvailable"),
    "LeaderWorkerSet": (("spec", "replicas"), "updatedReplicas", "readyReplicas"),
}


def progress(view: View, thing: Thing) -> Progress:
    """Done when every pod is of the new template and serves, and no old one is left."""
    fields = thing.fields
    path, new_field, ready_field = _COUNTS[thing.kind]
    wanted = fields.number(*path)
    wanted = 1 if wanted is None else wanted
    new = fields.number("status", new_field) or 0
    ready = fields.number("status", ready_field) or 0
    total = fields.number("status", "replicas") if thing.kind == "Deployment" else wanted
    lines = _lines(view, thing)
    asked = f"{thing.kind.lower()}/{thing.key}"
    observed = fields.number("status", "observedGeneration")
    if observed is not None and observed < thing.generation:
        return Progress(Phase.GOING, f"The controller of {thing.title} has not looked at it yet.", lines)
    if _overdue(fields):
        sentence = f"{thing.title} does not come through: {new} of {wanted} pods are new, {ready} serve."
        return Progress(Phase.FAILED, sentence, lines, subject=asked)
    if new >= wanted and ready >= wanted and (total or 0) <= wanted and not _rolling(thing, fields):
        return Progress(Phase.DONE, f"{thing.title} runs anew: {ready} of {wanted} pods serve.")
    return Progress(
        Phase.GOING, f"{new} of {wanted} pods of {thing.title} are new, {ready} serve.", lines, subject=asked
    )


def _rolling(thing: Thing, fields: Fields) -> bool:
    """A StatefulSet says it by its revisions."""
    status = fields.at("status")
    update, current = status.text("updateRevision"), status.text("currentRevision")
    return thing.kind == "StatefulSet" and bool(update) and update != current


def _overdue(fields: Fields) -> bool:
    condition = fields.condition("Progressing")
    return condition.text("status") == "False" and condition.text("reason") == "ProgressDeadlineExceeded"


def _lines(view: View, thing: Thing) -> tuple[str, ...]:
    """Pods that do not serve yet."""
    pods = sorted(set(pods_of(view, thing)), key=lambda pod: natural(pod.name))
    open_ones = [pod for pod in pods if not pod.finished and not serves(pod)]
    told = [
        f"{pod.name} ends" if pod.deleted else f"{pod.name} waits for a node" if not pod.node else f"{pod.name} starts"
        for pod in open_ones
    ]
    return (*told[:SHOWN], *([f"and {len(told) - SHOWN} more"] if len(told) > SHOWN else []))
