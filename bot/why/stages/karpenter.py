"""Karpenter: is a node on its way, is one stuck, or can none ever be made?

Its events stand at the pod: Nominated, or FailedScheduling with one reason per NodePool. A Nominated event is no
promise: the node may have joined without the GPU that its NodeClaim promises, and then nothing happens any more. A
label that is set on running nodes only, such as `nvidia.com/gpu.product`, can never be planned with. What the cloud
cannot give at the moment is kept apart from what is set up wrongly.

Facts: kubernetes-sigs/karpenter:pkg/controllers/provisioning/scheduling, pkg/controllers/nodeclaim/lifecycle.
"""

from collections.abc import Iterator

from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.words import duration
from bot.why.autoscaler_messages import nominated
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.karpenter_claims import YOUNG_SECONDS, Claim, claims
from bot.why.karpenter_joined import not_initialized, without_device
from bot.why.karpenter_labels import planned_without, pools, unknown_label
from bot.why.karpenter_launch import not_joined, not_launched, out_of_stock
from bot.why.karpenter_pools import limits_left, refused
from bot.why.karpenter_ready import not_ready

SOURCE = "karpenter"


def judge(case: Case) -> Iterator[Finding]:
    thing = case.subject.thing
    if thing is not None and thing.kind == "NodeClaim":
        yield from _troubles(case, Claim(thing, case.fields(thing)), Level.CAUSE)
        return
    pod = case.pod
    if pod is None or not case.waits or pod.gated:
        return
    event = next(
        (one for one in case.events if one.source == SOURCE and one.reason in ("FailedScheduling", "Nominated")), None
    )
    stuck = list(_claims(case, pod, event))
    yield from stuck
    if not stuck and (event is None or event.reason != "Nominated") and _unplaced(pod):
        yield from not_ready(case)
    if event is not None and event.reason == "FailedScheduling":
        yield from refused(case, event)
        if (short := out_of_stock(case, Level.ROOT)) is not None:
            yield short
    elif not stuck and event is not None:
        yield _coming(case, event)
    elif not stuck and event is None:
        yield from _by_rule(case, pod)


def _unplaced(pod: Pod) -> bool:
    told = pod.condition("PodScheduled")
    return told is not None and told.reason == "Unschedulable"


def _claims(case: Case, pod: Pod, event: Event | None) -> Iterator[Finding]:
    """Of the claim that the pod was promised; without a promise, of those that promise the devices it asks for."""
    name = nominated(event.message)[0] if event is not None and event.reason == "Nominated" else ""
    devices = {resource for resource in pod.requests if "/" in resource}
    for claim in claims(case):
        if claim.name == name:
            found = list(_troubles(case, claim, Level.ROOT))
        elif not name and devices & set(claim.promises):
            looks = (without_device(case, claim, Level.ROOT), not_initialized(case, claim, Level.ROOT))
            found = [one for one in looks if one is not None][:1]
        else:
            continue
        yield from found
        if found:
            return


def _troubles(case: Case, claim: Claim, level: Level) -> Iterator[Finding]:
    """The first thing that is wrong with a claim."""
    for look in (without_device, not_launched, not_joined, not_initialized):
        if (found := look(case, claim, level)) is not None:
            yield found
            return


def _coming(case: Case, event: Event) -> Finding:
    claim, node = nominated(event.message)
    age = case.age_seconds(event.time)
    ago = f" {duration(age)} ago" if age is not None else ""
    where = f"node `{node}`" if node else f"NodeClaim `{claim}`" if claim else "a node"
    coming = age is not None and age < YOUNG_SECONDS
    return Finding(
        "karpenter.nominated",
        f"Karpenter meant the pod for {where}{ago}",
        Level.ROOT if coming else Level.NOTE,
        until=f"{where} is Ready and has registered its devices" if coming else "",
        sole=coming,
        unknown=case.not_read("nodeclaims"),
    )


def _by_rule(case: Case, pod: Pod) -> Iterator[Finding]:
    """Without an event (they expire): only what must be so by Karpenter's own rules."""
    if not pools(case) or not _unplaced(pod):
        return
    key = planned_without(case, pod)
    value = pod.spec.node_selector.get(key)
    if key and not any(node.labels.get(key) == value for node in case.view.nodes.values()):
        yield unknown_label(case, key, "", tuple(filter(None, (limits_left(case, pod),))))


STAGE = Stage(
    "karpenter",
    82,
    judge,
    needs=frozenset({"pods", "nodes", "nodepools", "nodeclaims", "events"}),
    docs=__doc__ or "",
)
