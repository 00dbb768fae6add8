"""Devices of a claim that no node has for it: none published, none chosen, or all held, and by whom.

Counts are over all nodes that could take the pod otherwise, not over one of them. kube-scheduler never takes devices
away from running pods: every rejection of kubernetes/kubernetes:pkg/scheduler/framework/plugins/dynamicresources is
final.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bot.domain.dra import Allocated, Device, ResourceClaim
from bot.domain.words import count, names
from bot.scheduling.dra.shortfall import Found, Shortfall
from bot.why.placement.blocker import Blocker
from bot.why.placement.named import which
from bot.why.placement.nodes import NodeGroup, Survey
from bot.why.placement.told import Headline

NO_PREEMPTION = (
    "Raising the priority does not help: the scheduler takes no devices away from running pods (DRA does not preempt)."
)
PRODUCT = ("productName", "model", "product")
SHOWN = 4


def headline(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    """Of the request that the first node cannot meet, over all nodes of the group."""
    plain = Headline("devices", f"{which(group)} cannot take it: {leading.words}")
    everywhere = [(one, _lacking(one)) for one in _shortfalls(survey, group)]
    request = next((found for _, found in everywhere if found is not None), None)
    if request is None or request.unclear:
        return plain
    same = [found for _, found in everywhere if found is not None and found.request == request.request]
    shortfalls = [one for one, _ in everywhere]
    if not sum(one.offered for one in same):
        return _none(survey, group, request)
    if not sum(one.selected for one in same):
        return _unselected(survey, group, request, same, shortfalls)
    return _held(survey, group, request, same)


def _shortfalls(survey: Survey, group: NodeGroup) -> Iterator[Shortfall]:
    for name in group.nodes:
        for one in survey.verdict.nodes.get(name, ()):
            if isinstance(one.failure.detail, Shortfall):
                yield one.failure.detail


def _lacking(shortfall: Shortfall) -> Found | None:
    """The first request that this node cannot meet by itself."""
    return next((one for one in shortfall.found() if one.unclear or one.wanted == 0 or one.free < one.wanted), None)


def _none(survey: Survey, group: NodeGroup, request: Found) -> Headline:
    """No driver publishes anything on these nodes."""
    drivers = Counter(one.driver for one in survey.state.view.resourceslices.values())
    published = (
        f"ResourceSlices of this cluster are published by {names([f'`{one}`' for one in sorted(drivers)], SHOWN)}"
        if drivers
        else "There is no ResourceSlice at all: no DRA driver publishes devices"
    )
    sentence = (
        f"{which(group)} publish{'es' if len(group.nodes) == 1 else ''} no device that claim `{request.claim}` could "
        f"get (class `{request.device_class}`)"
    )
    return Headline("devices.none", sentence, (published, *_idle_plugins(survey)), (NO_PREEMPTION,))


def _idle_plugins(survey: Survey) -> Iterator[str]:
    """DaemonSets that look like a DRA driver's and run nowhere: the most frequent reason."""
    for one in survey.state.view.things("daemonsets").values():
        wanted = one.fields.number("status", "desiredNumberScheduled")
        ready = one.fields.number("status", "numberReady") or 0
        if "dra" in one.key.replace("/", "-").split("-") and wanted is not None and (wanted == 0 or ready < wanted):
            told = f"wants 0 pods: no node has what it selects ({_selects(one.fields.map(*_SELECTOR))})"
            yield f"`{one.title}` in {one.namespace} {told if not wanted else f'has {ready} of {wanted} pods ready'}"


_SELECTOR = ("spec", "template", "spec", "nodeSelector")


def _selects(labels: dict[str, str]) -> str:
    return ", ".join(f"`{key}={value}`" for key, value in sorted(labels.items())) or "its affinity"


def _unselected(
    survey: Survey, group: NodeGroup, request: Found, same: Sequence[Found], shortfalls: Sequence[Shortfall]
) -> Headline:
    offered = sum(one.offered for one in same)
    kinds = Counter(_product(device.attributes) for one in shortfalls for device in _devices(one))
    told = names([f"{number} × {what}" for what, number in kinds.most_common() if what], SHOWN)
    there = f"; there are {told}" if told else ""
    wants = _selectors(survey, request)
    all_there = f"none of the {count(offered, 'device')} on {which(group)}"
    sentence = f"{all_there} is what claim `{request.claim}` selects{there}"
    useless = (NO_PREEMPTION, "Ending other pods does not help either: it is the selector that leaves nothing")
    return Headline("devices.selector", sentence, tuple(wants), useless)


def _devices(shortfall: Shortfall) -> Iterator[Device]:
    for pool in shortfall.pools:
        yield from (offer.device for offer in pool.offers)


def _product(attributes: Mapping[str, str]) -> str:
    for key, value in attributes.items():
        if key.rpartition("/")[2] in PRODUCT:
            return value[:60]
    return ""


def _selectors(survey: Survey, request: Found) -> Iterator[str]:
    """What the claim and its class ask of a device, as they are written."""
    claim = survey.state.view.resourceclaims.get(request.claim)
    for one in claim.requests if claim else ():
        for each in one.alternatives or (one,):
            yield from (f"The claim selects: `{text[:300]}`" for text in each.selectors if text)
    device_class = survey.state.view.deviceclasses.get(request.device_class)
    for text in device_class.selectors if device_class else ():
        yield f"Its class `{request.device_class}`: `{text[:300]}`"


def _held(survey: Survey, group: NodeGroup, request: Found, same: Sequence[Found]) -> Headline:
    selected, tainted = sum(one.selected for one in same), sum(one.tainted for one in same)
    held = {device: claim for one in same for device, claim in one.held}
    best = max(one.free for one in same)
    wanted = f"{request.wanted or 'all'} of class `{request.device_class}`"
    left = f"at most {best} {'is' if best == 1 else 'are'} free on one node" if best > 0 else "none is free"
    of_those = f"{len(held)} of the {count(selected, 'device')} that would do {'is' if len(held) == 1 else 'are'} held"
    taints = f", {tainted} tainted" if tainted else ""
    sentence = f"claim `{request.claim}` wants {wanted} and {left} on {which(group)}: {of_those}{taints}"
    return Headline("devices.held", sentence, tuple(_holders(survey, held)), (NO_PREEMPTION,))


def _holders(survey: Survey, held: dict[Allocated, str]) -> Iterator[str]:
    for claim, number in Counter(held.values()).most_common(SHOWN):
        found = survey.state.view.resourceclaims.get(claim)
        yield f"Claim `{claim}`: {count(number, 'device')}{_for(found)}"


def _for(claim: ResourceClaim | None) -> str:
    users = claim.reserved_for if claim else ()
    return f", for {names([f'`{one}`' for one in users])}" if users else ", for no pod"
