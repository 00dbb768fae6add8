"""What a scale costs whom, what speaks against it, what to do instead, and what could not be seen."""

from collections.abc import Iterator

from bot.domain.words import count, names
from bot.scaling.more import Up
from bot.scaling.preview import Preview
from bot.scaling.shown import shown
from bot.scaling.verdict import unit
from bot.why.shell import kubectl

REMEDIES_SHOWN = 3


def costs(told: Preview) -> tuple[str, ...]:
    if told.up is not None:
        return tuple(_victims(told.up))
    flight = told.down.flight if told.down is not None else None
    if flight is not None and flight.known and flight.running + flight.queued:
        return ("Requests in flight on the pods that go are cut off when their grace period ends",)
    return ()


def _victims(up: Up) -> Iterator[str]:
    for replica in up.placing.landed:
        for one in replica:
            if one.evicts:
                who = names([f"`{pod.key}` (priority {pod.priority})" for pod in one.evicts], 3)
                budget = ", against its disruption budget" if one.violations else ""
                yield f"On {one.node} the scheduler would end {who}{budget}"


# ---- against it ------------------------------------------------------------------------------------------------------


def warnings(told: Preview) -> tuple[str, ...]:
    return tuple(_warnings(told))


def _warnings(told: Preview) -> Iterator[str]:
    for keeper in told.keepers:
        if keeper is not told.undone:  # the verdict says that one already
            yield keeper.says
        yield from keeper.facts
    yield from _paused(told)
    if told.up is not None:
        yield from _of_new(told, told.up)


def _paused(told: Preview) -> Iterator[str]:
    now = told.now
    if now.old_template:
        run = sorted(set(now.images.values()))
        template = told.thing.fields.each("spec", "template", "spec", "containers")
        later = sorted({image for one in template if (image := one.text("image")) not in run})
        resume = kubectl("rollout", "resume", told.thing.title, namespace=told.thing.namespace)
        yield (
            f"The Deployment is paused: new pods run {names(run)}; {names(later) or 'what the template says'} comes "
            f"only after {shown(resume)}, which whoever paused it should agree to"
        )
    elif now.paused:
        yield "The Deployment is paused: its number of replicas changes at once, its template does not roll out"


def _of_new(told: Preview, up: Up) -> Iterator[str]:
    now = told.now
    asked = now.wanted * now.size
    if len(now.pods) < asked:
        missing = asked - len(now.pods)
        verb = "is" if missing == 1 else "are"
        yield f"{count(missing, 'pod')} of the {asked:,} asked for now {verb} not made: `/why {now.thing.title}`"
    waiting = [pod for pod in now.pods if not pod.node]
    if waiting:
        verb = "waits" if len(waiting) == 1 else "wait"
        yield f"{count(len(waiting), 'pod')} of it {verb} for a node already: `/why {waiting[0].key}`"
    if up.hangs and told.gpus_each:
        held = count(told.gpus_each * up.hangs, "GPU")
        yield f"A pod that hangs on its volume holds what it asked for all the same ({held})"
    if up.placing.partly:
        some = count(up.placing.partly, "pod")
        yield f"{some} of the {unit(told)} that waits would get a node all the same and hold its GPUs"


# ---- instead ---------------------------------------------------------------------------------------------------------


def instead(told: Preview) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_instead(told)))


def _instead(told: Preview) -> Iterator[str]:
    for keeper in told.keepers:
        yield from keeper.instead
    up = told.up
    if up is None:
        return
    if up.hangs:
        yield (
            "One volume per replica (a StatefulSet with volumeClaimTemplates), shared storage (ReadWriteMany, or "
            "ReadOnlyMany for weights), or a download to each node's own disk"
        )
    for ration in up.rations[:REMEDIES_SHOWN]:
        if ration.look:
            yield f"See how much is used, and by whom: {shown(ration.look)}"
    for remedy in up.stuck.remedies[:REMEDIES_SHOWN] if up.stuck is not None else ():
        tried = " (tried on a copy)" if remedy.verified else ""
        yield f"{remedy.action}{tried}" + (f": {shown(remedy.command)}" if remedy.command else "")
    if 0 < up.starts < up.added and told.undone is None:
        fits = told.now.wanted + up.starts
        yield f"As many as find a place now: `/scale {told.thing.title} {fits}`"


# ---- not seen --------------------------------------------------------------------------------------------------------


def unknown(told: Preview) -> tuple[str, ...]:
    return tuple(_unknown(told))


def _unknown(told: Preview) -> Iterator[str]:
    up, down = told.up, told.down
    yield from told.now.case.not_read("horizontalpodautoscalers", "scaledobjects")
    if up is not None:
        yield from told.now.case.not_read("resourcequotas")
        if not up.like.seen:
            yield "what webhooks add to new pods: no pod of this template is there to look at"
        if up.fresh.anywhere:
            where = names(list(up.fresh.anywhere), 2)
            yield f"where the volume of {where} is made: its class binds at once (Immediate)"
        if any(one.template for pod in told.now.pods[:1] for one in pod.spec.claims):
            yield "devices of ResourceClaims that are made for each pod: they are not counted"
        if up.starts and up.starting.seconds is None:
            yield "how long they take to be ready: no replica of it tells"
    if down is not None and not down.leaving.sure:
        yield "annotations and times of its pods, which decide who goes first"
    if down is not None and down.flight.unseen:
        yield f"requests in flight on {names(list(down.flight.unseen), 3)}: their metrics were not there"
