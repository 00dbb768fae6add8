"""The ways to serve a model on this cluster, the best first: by memory and drivers, then by the scheduler itself.

Whatever fits by arithmetic is rendered as manifests, and the cluster is asked what it would make of them: the same
preview that `/scale` shows, from none to the wanted number, with quotas, queues, filters, preemption and autoscalers.
Only what is promising is asked, so that a plan takes as long in a fleet of five thousand nodes as one preview does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from bot.deploying.candidate import Candidate, Choice, Draft, Rejected, Room
from bot.deploying.drafts import drafts
from bot.deploying.pools import Pools, pools
from bot.deploying.trying import Look, candidate, given, name_of, namespace_of, ours
from bot.deploying.wish import Wish
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.grammar import quoted
from bot.scheduling.snapshot import Snapshot
from bot.serving.model import Catalogue

TRIED = 3  # drafts that the cluster is asked about while none has room for all replicas
_WORKLOADS = ("Deployment", "LeaderWorkerSet")


def choose(
    wish: Wish, catalogue: Catalogue, view: View, inventory: Inventory, now: datetime, evidence: Evidence = NO_EVIDENCE
) -> Choice:
    """Raises nothing: what does not go is rejected with its reason."""
    there = pools(view, inventory, wish.pool)
    made, rejected = drafts(wish, there.good, catalogue.releases)
    ordered = sorted(made, key=lambda one: _preference(one, wish))
    owned = _owned(wish, view)
    likely = sorted(ordered, key=lambda one: not (given(view, one, wish) if owned else _likely(one, wish)))
    look = Look(view, inventory.policy, now, evidence, Snapshot(view))
    tried = list(_tried(likely, wish, look))
    best = sorted(tried, key=lambda one: (one.room, -one.starts, _preference(one.draft, wish)))
    candidates = tuple(replace(one, why=_why(one, place, ordered)) for place, one in enumerate(best))
    asked = {id(one.draft) for one in tried}
    fallbacks = () if _starts(candidates) else tuple(_fallbacks(wish, catalogue, there, look))
    return Choice(
        candidates,
        spare=tuple(one for one in ordered if id(one) not in asked),
        rejected=(*_nothing_there(there, wish), *rejected, *_near(there, wish)),
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


def _likely(draft: Draft, wish: Wish) -> bool:
    """Whether so many GPUs are free in one piece that all replicas may find room: a sum, before any pod is placed."""
    pieces = sum(free // draft.tensor_parallel for free in draft.pool.free)
    return pieces // draft.nodes_per_replica >= wish.replicas


def _owned(wish: Wish, view: View) -> bool:
    """Whether gpubot runs something under that name, whose GPUs its next version takes."""
    found = (view.thing(kind, namespace_of(wish), name_of(wish)) for kind in _WORKLOADS)
    return any(one is not None and ours(one) for one in found)


def _tried(ordered: Iterable[Draft], wish: Wish, look: Look) -> Iterator[Candidate]:
    """Until one has room for all now. What asks for no less than one that waits would wait as well."""
    waiting: list[Draft] = []
    for draft in ordered:
        if any(_no_less(draft, one) for one in waiting):
            continue
        found = candidate(draft, wish, look)
        yield found
        waiting.append(draft)
        if found.room is Room.NOW or len(waiting) == TRIED:
            return


def _no_less(draft: Draft, other: Draft) -> bool:
    """Whether a pod of it asks for as much as the other's at least, of the same nodes or fewer."""
    sizes = [(one.tensor_parallel, one.nodes_per_replica, one.variant.weights_bytes) for one in (draft, other)]
    return set(draft.pool.nodes) <= set(other.pool.nodes) and all(mine >= its for mine, its in zip(*sizes, strict=True))


def _why(one: Candidate, place: int, ordered: list[Draft]) -> str:
    if place:
        return "takes longer to have room" if one.room > Room.NOW else "would do as well"
    if one.room is Room.NOW:
        return "it has room now" if one.draft is ordered[0] else "what would be preferred has no room now"
    return "none has room for all now, and this one is nearest"


def _nothing_there(there: Pools, wish: Wish) -> Iterator[Rejected]:
    if not there.good and not there.rejected and not wish.pool:
        yield Rejected(wish.model.title, "no GPU of this cluster could be read", _STATUS)
    elif wish.pool and not there.good and not there.rejected:
        yield Rejected(wish.model.title, f"no node pool with GPUs is called {quoted(wish.pool)}", _STATUS)
    elif wish.product and not any(_called(wish, one.product) for one in there.good):
        yield Rejected(wish.model.title, f"no usable GPUs are called {quoted(wish.product)}", _STATUS)


_STATUS = "See what there is: `/gpu status`"


def _called(wish: Wish, product: str) -> bool:
    return wish.product.casefold() in product.casefold()


def _near(there: Pools, wish: Wish) -> Iterator[Rejected]:
    """GPUs that cannot be used, of the kind that was asked for."""
    return (one for one in there.rejected if _called(wish, one.what))


def _fallbacks(
    wish: Wish,
    catalogue: Catalogue,
    there: Pools,
    look: Look,
) -> Iterator[Candidate]:
    """The nearest other model that would start now; it is never chosen by itself."""
    known = {model.id: model for model in catalogue.models}
    for other in wish.model.fallback:
        instead = replace(wish, model=known[other], variant=None, context_tokens=None, tensor_parallel=None)
        made, _ = drafts(instead, there.good, catalogue.releases)
        likely = [one for one in made if _likely(one, instead)]
        ordered = sorted(likely, key=lambda one: _preference(one, instead))
        found = list(_tried(ordered, instead, look))
        if found and found[-1].room is Room.NOW:
            yield found[-1]
            return
