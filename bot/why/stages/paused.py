"""Somebody has stopped it on purpose: a paused Deployment, a suspended Job, CronJob or JobSet.

A paused Deployment still follows `replicas` at once, with the template that runs; changes of the template wait until
it is resumed. So `kubectl get deployment` shows the wanted image while all pods run the one before. A Job that
belongs to a Kueue queue is suspended by Kueue until it is admitted: that is told by the queue's own stage.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.makers import pods_under
from bot.why.rolling import Rollout, images, rollout
from bot.why.shell import kubectl, patch
from bot.why.standing import since

QUEUE = "kueue.x-k8s.io/queue-name"
SUSPENDABLE = ("Job", "CronJob", "JobSet")
SHOWN = 4


def judge(case: Case) -> Iterator[Finding]:
    rolling = rollout(case)
    if rolling is not None and rolling.fields.flag("spec", "paused"):
        yield _paused(case, rolling)
    if not _queued(case):
        yield from (_suspended(case, one) for one in case.owners if _is_suspended(case, one))


# ---- Deployment ----------------------------------------------------------------------------------------------------


def _paused(case: Case, rolling: Rollout) -> Finding:
    """What runs and what is wanted. Where nothing waits, being paused is only worth knowing."""
    waits = tuple(_differences(case, rolling))
    title, namespace = rolling.deployment.title, rolling.deployment.namespace
    condition = rolling.fields.condition("Progressing")
    when = since(case, condition.text("lastUpdateTime") or condition.text("lastTransitionTime"), for_=True)
    paused = f"paused{when}" if condition.text("reason") == "DeploymentPaused" else "paused"
    resume = Remedy(
        "Resume it, once whoever paused it agrees",
        kubectl("rollout", "resume", title, namespace=namespace),
        cost=f"the rollout starts at once ({rolling.words})" if waits else "nothing changes now: no change waits",
    )
    if not waits or not rolling.wanted:
        return Finding(
            "paused.deployment", f"`{title}` is {paused}, and no change waits", Level.NOTE, remedies=(resume,)
        )
    clause = f"its rollout is {paused} (`spec.paused`): {waits[0]}"
    alone = case.subject.pod is None
    return Finding(
        "paused.rollout",
        clause if alone else f"`{title}`: {clause}",
        Level.CAUSE if alone else Level.NOTE,
        evidence=(
            *waits[1:SHOWN],
            "Changes of `replicas` are applied at once, with the old template; changes of the template only after it "
            "is resumed",
        ),
        remedies=(resume,),
        useless=("Setting the image again does not help: the template wants it already",),
    )


def _differences(case: Case, rolling: Rollout) -> Iterator[str]:
    """What the template wants and the pods do not have yet."""
    wanted = images(rolling.fields)
    for one in rolling.old:
        fields = case.fields(one)
        pods = [pod for pod in pods_under(case.view, one) if not pod.finished and not pod.deleted]
        run = images(fields)
        changed = [name for name in wanted if run.get(name) != wanted[name]]
        if changed:
            what = ", ".join(f"`{run.get(name) or 'nothing'}` and not `{wanted[name]}`" for name in changed[:2])
            yield (
                f"{_all(pods_under(case.view, one), rolling)} {count(len(pods), 'pod')} run {what}, which the template "
                "wants"
            )
        elif other := _other(rolling.fields, fields):
            yield (
                f"{_all(pods_under(case.view, one), rolling)} {count(len(pods), 'pod')} run without the newest {other} "
                "of the template"
            )


def _all(pods: tuple[object, ...], rolling: Rollout) -> str:
    return "all" if len(pods) >= len(rolling.old_pods) + len(rolling.new_pods) else "its"


def _other(wanted: Fields, run: Fields) -> str:
    """Which parts of the pod's spec differ, beside images."""
    new, old = wanted.at("spec", "template", "spec").data, run.at("spec", "template", "spec").data
    if not old:
        return ""
    parts = {key for key in new.keys() | old.keys() if new.get(key) != old.get(key)}
    if "containers" in parts:
        parts.remove("containers")
        pairs = zip(
            wanted.each("spec", "template", "spec", "containers"),
            run.each("spec", "template", "spec", "containers"),
            strict=False,
        )
        parts |= {
            key
            for one, two in pairs
            for key in one.data.keys() | two.data.keys()
            if one.data.get(key) != two.data.get(key)
        }
    return names([f"`{part}`" for part in sorted(parts)], SHOWN)


# ---- Job, CronJob, JobSet ------------------------------------------------------------------------------------------


def _queued(case: Case) -> bool:
    """Whether a queue holds it: then being suspended is the queue's business."""
    if any(one.labels.get(QUEUE) or one.annotations.get(QUEUE) for one in case.owners):
        return True
    owned = {one.uid for one in case.owners if one.uid}
    workloads = case.view.things("workloads").values()
    return any(one.owner is not None and one.owner.uid in owned for one in workloads)


def _is_suspended(case: Case, thing: Thing) -> bool:
    return thing.kind in SUSPENDABLE and case.fields(thing).flag("spec", "suspend") is True


def _suspended(case: Case, thing: Thing) -> Finding:
    fields, namespace = case.fields(thing), thing.namespace
    asked = case.subject.thing is thing
    effect = "no new run starts" if thing.kind == "CronJob" else "no pod is made until it is resumed"
    when = fields.condition("Suspended").text("lastTransitionTime")
    clause = f"it is suspended{since(case, when, for_=True)} (`spec.suspend: true`): {effect}"
    last = fields.text("status", "lastScheduleTime")
    evidence = (f"Last run: {last}",) if last else ()
    resume = patch(
        f"{thing.kind.lower()}.{_group(thing)}" if _group(thing) else thing.kind.lower(),
        thing.name,
        '{"spec":{"suspend":false}}',
        namespace=namespace,
    )
    return Finding(
        f"paused.{thing.kind.lower()}",
        clause if asked else f"`{thing.title}` above it is suspended: {effect}",
        Level.CAUSE if asked else Level.ROOT if not _well(case) else Level.NOTE,
        evidence=evidence,
        remedies=(Remedy("Resume it, once whoever suspended it agrees", resume),),
    )


def _well(case: Case) -> bool:
    return case.pod is not None and bool(case.pod.node)


def _group(thing: Thing) -> str:
    """For kinds that kubectl may find in several groups."""
    group = thing.api_version.partition("/")[0] if "/" in thing.api_version else ""
    return group if group.endswith(".sh") else ""


STAGE = Stage(
    "paused",
    22,
    judge,
    needs=frozenset({"deployments", "replicasets", "jobs", "cronjobs", "jobsets", "workloads", "pods"}),
    docs=__doc__ or "",
)
