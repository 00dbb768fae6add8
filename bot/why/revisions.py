"""A StatefulSet that does not get to its newest revision because a pod of an older one is broken.

With OrderedReady the controller waits for every pod to be ready before it goes on, also for the pod whose revision is
what broke it; the repaired template reaches that pod only when somebody deletes it.
kubernetes/kubernetes:pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet), issue 67250.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.why.amounts import of_template
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.makers import pods_under
from bot.why.rolling import images, well
from bot.why.shell import kubectl, patch
from bot.why.standing import crashing

REVISION = "controller-revision-hash"
STARTING = frozenset({"ContainerCreating", "PodInitializing"})
LONG_START_SECONDS = 600


def old_revision(case: Case) -> Iterator[Finding]:
    """Of the StatefulSet that is asked about, or the pod's own."""
    owner = next((one for one in case.owners if one.kind == "StatefulSet"), None)
    if owner is None or case.pod is None:
        return
    fields = case.fields(owner)
    newest, own = fields.text("status", "updateRevision"), case.pod.labels.get(REVISION, "")
    if well(case.pod) and case.subject.pod is None:
        yield from _by_wish(case, owner, fields)
    if well(case.pod) or case.pod.deleted or case.pod.finished or _lately_changed(fields, owner):
        return
    if newest and own and newest != own:
        if not broken(case, case.pod):
            return  # it starts, and is replaced when it is ready
        yield _stuck(case, owner, fields, case.pod, own, newest)
    elif case.subject.pod is None and fields.text("spec", "podManagementPolicy") in ("", "OrderedReady"):
        yield from _behind(case, owner, fields, case.pod)


def _by_wish(case: Case, owner: Thing, fields: Fields) -> Iterator[Finding]:
    """All is well, and some pods are of an older revision because the update strategy wants it so."""
    newest = fields.text("status", "updateRevision")
    partition = fields.number("spec", "updateStrategy", "rollingUpdate", "partition") or 0
    manual = fields.text("spec", "updateStrategy", "type") == "OnDelete"
    old = [pod for pod in pods_under(case.view, owner) if newest and pod.labels.get(REVISION, newest) != newest]
    if old and (manual or partition):
        why = "with OnDelete each gets it when somebody deletes it" if manual else f"`partition` {partition} keeps them"
        who = names([f"`{pod.name}`" for pod in old], 3)
        yield Finding(
            "rollout.by-wish",
            f"{who} {'is' if len(old) == 1 else 'are'} of an older revision than the template (`{newest}`), on "
            f"purpose: {why}",
            Level.NOTE,
        )


def _lately_changed(fields: Fields, owner: Thing) -> bool:
    """The controller has not looked at the newest template yet: its revisions tell nothing."""
    observed = fields.number("status", "observedGeneration")
    return observed is not None and owner.generation > observed


def _stuck(case: Case, owner: Thing, fields: Fields, pod: Pod, own: str, newest: str) -> Finding:
    ordinal = _ordinal(pod)
    partition = fields.number("spec", "updateStrategy", "rollingUpdate", "partition") or 0
    delete = Remedy(
        f"Delete `{pod.name}`: it comes back with revision `{newest}`",
        kubectl("delete", "pod", pod.name, namespace=pod.namespace),
        cost="only this pod, which is not ready anyway",
    )
    if partition > ordinal >= 0:
        return _held_back(owner, pod, own, newest, partition)
    return Finding(
        "rollout.old-revision",
        f"`{pod.name}` is of the old revision `{own}` and not ready, the template is at `{newest}`; {_why(fields)}, "
        "so it stays as it is until somebody deletes it",
        _level(fields, pod),
        evidence=tuple(_proof(case, owner, fields, pod, newest)),
        remedies=(delete,),
        useless=(
            "Changing the template again does not help: what it says does not reach this pod",
            "Waiting does not help: the controller does not replace it by itself",
        ),
    )


def broken(case: Case, pod: Pod) -> bool:
    """Whether it will not become ready by itself: it crashes, has no image, waits for a place or long for its start."""
    if not pod.node or crashing(pod) is not None:
        return True
    if any(one.waiting and one.waiting not in STARTING for one in pod.states):
        return True
    age = case.age_seconds(pod.created)
    return pod.phase == "Pending" and age is not None and age > LONG_START_SECONDS


def _level(fields: Fields, pod: Pod) -> Level:
    """A pod without a place is explained by what it asks for, unless the repaired template asks for something else."""
    if pod.node:
        return Level.CAUSE
    template = fields.at("spec", "template", "spec")
    alike = of_template(template) == dict(pod.requests) and template.map("nodeSelector") == dict(pod.spec.node_selector)
    return Level.ALSO if alike else Level.CAUSE


def _why(fields: Fields) -> str:
    if fields.text("spec", "updateStrategy", "type") == "OnDelete":
        return "with the update strategy OnDelete nobody replaces pods"
    if fields.text("spec", "podManagementPolicy") == "Parallel":
        return "the controller has not replaced it"
    return "the controller waits for every pod to be ready before it replaces one (OrderedReady), this one too"


def _held_back(owner: Thing, pod: Pod, own: str, newest: str, partition: int) -> Finding:
    """Deleted, it would come back as it was."""
    change = '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}'
    return Finding(
        "rollout.partition",
        f"`{pod.name}` stays at the old revision `{own}` on purpose: `partition` {partition} of `{owner.title}` keeps "
        f"all pods with a lower number from revision `{newest}`",
        remedies=(
            Remedy(
                f"Let the new revision reach it, then delete `{pod.name}`",
                patch("statefulset", owner.name, change, namespace=owner.namespace),
                cost="all pods below the partition are replaced, one after the other",
            ),
        ),
        useless=(f"Deleting `{pod.name}` alone does not help: it comes back with `{own}`",),
    )


def _proof(case: Case, owner: Thing, fields: Fields, pod: Pod, newest: str) -> Iterator[str]:
    wanted = images(fields)
    for container in pod.containers:
        if container.name in wanted and wanted[container.name] != container.image:
            yield f"`{pod.name}` has `{container.image}`, the template says `{wanted[container.name]}` by now"
    waiting = [f"{one.name}: {one.waiting or one.terminated}" for one in pod.states if one.waiting or one.terminated]
    if waiting:
        yield f"`{pod.name}`: {', '.join(waiting[:2])}"
    there = pods_under(case.view, owner)
    newer = sum(1 for one in there if one.labels.get(REVISION) == newest)
    yield (
        f"{newer} of {len(there)} pods are at `{newest}`; current revision `{fields.text('status', 'currentRevision')}`"
    )


def _behind(case: Case, owner: Thing, fields: Fields, pod: Pod) -> Iterator[Finding]:
    """Pods with higher numbers are not made before this one is ready."""
    replicas = fields.number("spec", "replicas")
    there = {_ordinal(one) for one in pods_under(case.view, owner)}
    first = fields.number("spec", "ordinals", "start") or 0
    missing = [one for one in range(first, first + min(replicas or 1, 500)) if one not in there and one > _ordinal(pod)]
    if missing:
        title = names(sorted((f"`{owner.name}-{one}`" for one in missing), key=natural), 3)
        yield Finding(
            "rollout.ordered",
            f"{title} {'is' if len(missing) == 1 else 'are'} not made before `{pod.name}` is ready (OrderedReady)",
            Level.NOTE,
        )


def _ordinal(pod: Pod) -> int:
    number = pod.name.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else -1
