"""What a scale costs whom, what speaks against it, what to do instead, and what could not be seen."""

from collections.abc import Iterator

from bot.domain.text import natural
from bot.domain.words import count, names
from bot.scaling.devices_said import devices
from bot.scaling.more import Up
from bot.scaling.preview import Preview
from bot.scaling.shown import shown
from bot.scaling.standing import Standing
from bot.scaling.verdict import unit
from bot.scheduling.preemption import policy
from bot.why.rolling import well
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
    yield from _unready(now)
    waiting = [pod for pod in now.pods if not pod.node]
    if waiting:
        verb = "waits" if len(waiting) == 1 else "wait"
        yield f"{count(len(waiting), 'pod')} of it {verb} for a node already: `/why {waiting[0].key}`"
    if up.waits and policy(up.like.first, up.placing.state) == "Never":
        yield "Its pods end nobody to make room, whatever their priority (preemptionPolicy Never)"
    if up.waits:
        yield from _ending(now)
    if up.hangs and (held := devices(told, up.hangs)):
        yield f"A pod that hangs on its volume holds what it asked for all the same ({held})"
    if up.placing.partly:
        some = count(up.placing.partly, "pod")
        yield f"{some} of the {unit(told)} that waits would get a node all the same and hold its GPUs"


def _ending(now: Standing) -> Iterator[str]:
    """Its own pods that are on their way out hold what new ones need."""
    ending = [pod for pod in now.case.subject.pods if pod.deleted and pod.node and not pod.finished]
    if ending:
        who = names([f"`{pod.name}` ({pod.node})" for pod in ending], 3)
        verb = "is still ending and holds" if len(ending) == 1 else "are still ending and hold"
        yield f"{who} {verb} what new ones could have then"


def _unready(now: Standing) -> Iterator[str]:
    """None that has a node is ready: more of the same is unlikely to help."""
    placed = [pod for pod in now.pods if pod.node]
    if not placed or any(map(well, placed)):
        return
    first = min(placed, key=lambda pod: natural(pod.name))
    state = next((one.waiting for one in first.states if one.waiting), "not ready")
    yield (
        f"None of the {count(len(placed), 'pod')} that have a node is ready ({first.name}: {state}), and new ones are "
        f"of the same template: `/why {first.key}`"
    )


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
            yield f"{ration.shows}: {shown(ration.look)}"
    for remedy in up.stuck.remedies[:REMEDIES_SHOWN] if up.stuck is not None else ():
        tried = " (tried on a copy)" if remedy.verified else ""
        yield f"{remedy.action}{tried}" + (f": {shown(remedy.command)}" if remedy.command else "")
    if 0 < up.starts < up.added and told.undone is None:
        fits = told.now.wanted + up.starts
        yield f"As many as find a place now: `/scale {told.thing.title} {fits}`"


# ---- not seen --------------------------------------------------------------------------------------------------------


def unknown(told: Preview) -> tuple[str, ...]:
    return tuple(_unknown(told))


def _uncounted(told: Preview) -> Iterator[str]:
    """Templates of claims that were left out."""
    live = [one.template for pod in told.now.pods[:1] for one in pod.spec.claims if one.template]
    asked = told.now.template_specs[0].each("resourceClaims")
    named = [*live, *(one.text("resourceClaimTemplateName") for one in asked)]
    counted = [one.template for pod in told.up.like.pods for one in pod.spec.claims] if told.up is not None else named
    return (f"`{one}`" for one in named if one and one not in counted)


def _unknown(told: Preview) -> Iterator[str]:
    up, down = told.up, told.down
    yield from told.now.case.not_read("horizontalpodautoscalers", "scaledobjects")
    if up is not None:
        yield from told.now.case.not_read("resourcequotas")
        if not up.like.seen:
            yield "what webhooks add to new pods: no pod of this template is there to look at"
        if up.fresh.anywhere:
            where = names(list(up.fresh.anywhere), 2)
            yield f"where the volume of {where} is made: its class is not known, or binds at once (Immediate)"
        if missing := sorted(set(_uncounted(told))):
            yield f"devices of claims made from {names(missing, 2)}, which was not read: they are not counted"
        if up.starts and up.starting.seconds is None:
            yield "how long they take to be ready: no replica of it tells"
    if down is not None and not down.leaving.sure:
        yield "annotations and times of its pods, which decide who goes first"
    if down is not None and down.flight.unseen:
        yield f"requests in flight on {names(list(down.flight.unseen), 3)}: their metrics were not there"
