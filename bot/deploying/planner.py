"""The ways to serve a model on this cluster, the best first: by memory and drivers, then by the scheduler itself.

Whatever fits by arithmetic is rendered as manifests, and the cluster is asked what it would make of them: the same
preview that `/scale` shows, from none to the wanted number, with quotas, queues, filters, preemption and autoscalers.
Only what is promising is asked, so that a plan takes as long in a fleet of five thousand nodes as one preview does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from bot.deploying.candidate import Candidate, Choice, Draft, Rejected, Room
from bot.deploying.drafts import drafts
from bot.deploying.manifests.manifest import MANAGED_BY, MANAGED_BY_LABEL, Ground
from bot.deploying.manifests.render import render
from bot.deploying.pools import Pools, pools
from bot.deploying.wish import Wish
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.kind import is_gpu_resource
from bot.gpu.policy import Policy
from bot.scaling.forms import template_spec
from bot.scaling.preview import Preview, preview
from bot.serving.model import Catalogue

TRIED = 3  # drafts that the cluster is asked about while none has room for all replicas
_RUNTIME = "nvidia"


def choose(
    wish: Wish, catalogue: Catalogue, view: View, inventory: Inventory, now: datetime, evidence: Evidence = NO_EVIDENCE
) -> Choice:
    """Raises nothing: what does not go is rejected with its reason."""
    there = pools(view, inventory, wish.pool)
    made, rejected = drafts(wish, there.good, catalogue.releases)
    ordered = sorted(made, key=lambda one: _preference(one, wish))
    tried = list(_tried(ordered, wish, view, inventory.policy, now, evidence))
    best = sorted(tried, key=lambda one: (one.room, -one.starts, _preference(one.draft, wish)))
    candidates = tuple(replace(one, why=_why(one, place, ordered)) for place, one in enumerate(best))
    asked = {id(one.draft) for one in tried}
    fallbacks = () if _starts(candidates) else tuple(_fallbacks(wish, catalogue, there, view, inventory, now, evidence))
    return Choice(
        candidates,
        spare=tuple(one for one in ordered if id(one) not in asked),
        rejected=(*rejected, *there.rejected, *_nothing_there(there, wish)),
        fallbacks=fallbacks,
        unknown=there.unknown,
    )


def _starts(candidates: tuple[Candidate, ...]) -> bool:
    return bool(candidates) and candidates[0].room <= Room.AFTER_ENDING


def _preference(draft: Draft, wish: Wish) -> tuple[object, ...]:
    """One node rather than several; what is measured; the variant that the catalogue names first; little memory."""
    variants = [one.id for one in wish.model.variants]
    memory = draft.gpus * draft.pool.memory_mib
    longer = min(draft.context_tokens, 131_072) if wish.context_tokens is None else 0
    return (draft.nodes_per_replica > 1, -longer, variants.index(draft.variant.id), memory, draft.pool.name)


def _tried(
    ordered: Iterable[Draft], wish: Wish, view: View, policy: Policy, now: datetime, evidence: Evidence
) -> Iterator[Candidate]:
    """Until one has room for all now."""
    for number, draft in enumerate(ordered):
        if number >= TRIED:
            return
        found = candidate(draft, wish, view, policy, now, evidence)
        yield found
        if found.room is Room.NOW:
            return


def candidate(
    draft: Draft, wish: Wish, view: View, policy: Policy, now: datetime, evidence: Evidence = NO_EVIDENCE
) -> Candidate:
    """With what the cluster would make of its manifests."""
    ground = Ground(
        draft,
        wish,
        namespace_of(wish),
        name_of(wish),
        runtime_class=_RUNTIME if _RUNTIME in view.things("runtimeclasses") else "",
    )
    rendering = render(ground)
    thing = _thing(rendering.workload, new_claim=ground.claim if ground.downloads else "")
    told = preview(view, policy, thing, wish.replicas, now, evidence)
    if wish.spare if wish.spare is not None else _room_for_more(told, view, policy, thing, now):
        ground = replace(ground, spare=True)
        rendering = render(ground)
    old = own(view, rendering.workload)
    room = Room.NOW if old is not None and _holds(old) >= draft.tensor_parallel else _room(told)
    return Candidate(draft, ground, rendering, told, room, replaces=old)


def own(view: View, workload: dict[str, Any]) -> Thing | None:
    """The workload of that name that is there, where gpubot made it."""
    metadata = workload["metadata"]
    found = view.thing(workload["kind"], metadata["namespace"], metadata["name"])
    return found if found is not None and found.labels.get(MANAGED_BY_LABEL) == MANAGED_BY else None


def _holds(old: Thing) -> int:
    """GPUs that one of its pods has."""
    limits = (one.map("resources", "limits") for one in template_spec(old).each("containers"))
    amounts = (text for told in limits for name, text in told.items() if is_gpu_resource(name))
    return sum(int(text) for text in amounts if text.isdigit())


def namespace_of(wish: Wish) -> str:
    return wish.namespace or "default"


def name_of(wish: Wish) -> str:
    """A DNS label: `glm-5-2`."""
    return wish.name or wish.model.id.replace(".", "-")


def _room_for_more(told: Preview, view: View, policy: Policy, thing: Thing, now: datetime) -> bool:
    """Whether one more would find a place as well; only where that costs no second look at a large fleet."""
    up = told.up
    if up is None or up.starts < up.added or len(view.nodes) > _MANY_NODES:
        return False
    more = preview(view, policy, thing, told.wanted + 1, now).up
    return more is not None and more.starts > told.wanted and not more.placing.evicted


_MANY_NODES = 500


def _thing(workload: dict[str, Any], new_claim: str) -> Thing:
    """The object as it would be with no replica yet. Where a claim that is not there yet will lie is not known: pods
    are placed as if it could be reached from everywhere, and a point of the preflight asks about it.
    """
    metadata = workload["metadata"]
    body = msgspec.json.decode(msgspec.json.encode({"spec": {**workload["spec"], "replicas": 0}}))
    for spec in _pod_specs(body["spec"]):
        volumes = spec.get("volumes", [])
        spec["volumes"] = [one for one in volumes if _claim(one) != new_claim or not new_claim]
    return Thing(
        name=metadata["name"],
        namespace=metadata["namespace"],
        kind=workload["kind"],
        api_version=workload["apiVersion"],
        labels=metadata["labels"],
        raw=msgspec.json.encode(body),
    )


def _pod_specs(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    group = spec.get("leaderWorkerTemplate")
    templates = [group["leaderTemplate"], group["workerTemplate"]] if group else [spec["template"]]
    return (one["spec"] for one in templates)


def _claim(volume: dict[str, Any]) -> str:
    return str(volume.get("persistentVolumeClaim", {}).get("claimName", ""))


def _room(told: Preview) -> Room:
    up = told.up
    if up is None or up.starts == up.added:
        return Room.AFTER_ENDING if up is not None and up.placing.evicted else Room.NOW
    if up.refused:
        return Room.REFUSED
    if up.growth is not None and up.growth.who:
        return Room.AUTOSCALER
    return Room.WAITS


def _why(one: Candidate, place: int, ordered: list[Draft]) -> str:
    if place:
        return "takes longer to have room" if one.room > Room.NOW else "would do as well"
    if one.room is Room.NOW:
        return "it has room now" if one.draft is ordered[0] else "what would be preferred has no room now"
    return "none has room for all now, and this one is nearest"


def _nothing_there(there: Pools, wish: Wish) -> Iterator[Rejected]:
    asked = wish.product or wish.pool
    if not there.good and not there.rejected:
        yield Rejected(wish.model.title, "no GPU of this cluster could be read", "See what there is: `/gpu status`")
    elif asked and not any(asked.casefold() in f"{one.product} {one.name}".casefold() for one in there.good):
        yield Rejected(wish.model.title, f"no usable GPUs are called {asked!r}", "See what there is: `/gpu status`")


def _fallbacks(
    wish: Wish,
    catalogue: Catalogue,
    there: Pools,
    view: View,
    inventory: Inventory,
    now: datetime,
    evidence: Evidence,
) -> Iterator[Candidate]:
    """The nearest other model that would start now; it is never chosen by itself."""
    known = {model.id: model for model in catalogue.models}
    for other in wish.model.fallback:
        instead = replace(wish, model=known[other], variant=None, context_tokens=None, tensor_parallel=None)
        made, _ = drafts(instead, there.good, catalogue.releases)
        for draft in sorted(made, key=lambda one: _preference(one, instead))[:1]:
            found = candidate(draft, instead, view, inventory.policy, now, evidence)
            if found.room <= Room.AFTER_ENDING:
                yield found
                return
