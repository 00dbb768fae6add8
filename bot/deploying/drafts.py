"""What goes by arithmetic alone: each variant on each pool, cut up as small as it can be, with the reason where not."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.deploying.attempt import Try, guesses, warnings
from bot.deploying.candidate import Draft, Pool, Rejected, Sizing
from bot.deploying.chips import Chip
from bot.deploying.images import built
from bot.deploying.parallel import fault, sizes, smallest_beside
from bot.deploying.sizing import kv_dtype, size, utilisation
from bot.deploying.wish import Wish
from bot.domain.words import names
from bot.serving.model import Release, Variant

STEPS = (1_048_576, 524_288, 262_144, 202_752, 131_072, 65_536, 32_768, 16_384, 8_192)
USUAL = 131_072  # a length that most work gets along with: more GPUs are taken for it, not for more
ENOUGH = 1.5  # requests of the full length at once, where nobody says how many
RESERVE = 0.9  # of tokens that were worked out and not measured
NODES_MOST = 4
_LACKS = {
    None: "no node tells of RDMA",
    False: "its nodes have no RDMA",
    True: "its nodes offer no RDMA resource",
}


def drafts(wish: Wish, pools: tuple[Pool, ...], releases: Mapping[str, Release]) -> tuple[list[Draft], list[Rejected]]:
    """In the order of the catalogue's variants, then of the pools."""
    found: list[Draft] = []
    rejected: list[Rejected] = []
    never: list[Rejected] = []  # where nothing but other GPUs would help: told last
    for variant in (wish.variant,) if wish.variant else wish.model.variants:
        for pool in _asked(pools, wish):
            what, chip = f"{wish.model.title} {variant.id} on {pool.title}", _chip(pool)
            if reason := _no_kernel(variant, chip):
                able = f"{what} (compute capability {chip.capability[0]}.{chip.capability[1]})"
                never.append(Rejected(able, reason, _other_kernels(variant)))
                continue
            made = _made(wish, variant, pool, chip, releases)
            (found if isinstance(made, Draft) else rejected).append(made)  # type: ignore[arg-type]
    return found, [*rejected, *never]


def _chip(pool: Pool) -> Chip:
    return Chip(pool.product, pool.memory_mib, pool.capability, pool.nvlink)


def _asked(pools: tuple[Pool, ...], wish: Wish) -> Iterator[Pool]:
    for pool in pools:
        if wish.product.casefold() in pool.product.casefold():
            yield pool


def _made(wish: Wish, variant: Variant, pool: Pool, chip: Chip, releases: Mapping[str, Release]) -> Draft | Rejected:
    what = f"{wish.model.title} {variant.id} on {pool.title}"
    engine = wish.engine or _engine_of(wish.image, releases) or variant.engines[0].engine
    support = variant.support(engine)
    if support is None:
        known = names([f"engine={one.engine}" for one in variant.engines], 5)
        return Rejected(what, f"the catalogue knows no way to serve it with {engine}", f"Type {known}")
    release = releases[support.engine]
    image = told = built(wish, support, release, pool)
    kept: Pool | None = pool
    while isinstance(image, tuple) and (kept := kept.newer() if kept else None):
        image = built(wish, support, release, kept)
    if isinstance(image, tuple) or kept is None:
        assert isinstance(told, tuple)
        return Rejected(what, *told)
    return _sized(Try(wish, variant, support, image.version, kept, chip, image))


def _engine_of(image: str, releases: Mapping[str, Release]) -> str:
    """The engine whose image it is, from whichever registry; empty where its name does not tell."""
    repository = image.partition("@")[0].rpartition(":")[0]
    return next((engine for engine, one in releases.items() if f"/{repository}".endswith(f"/{one.image}")), "")


def _no_kernel(variant: Variant, chip: Chip) -> str:
    """The same words for all that lack it, so that they are told together."""
    if variant.only and chip.capability not in variant.only:
        return variant.because
    if chip.capability < variant.lowest:
        return f"it needs compute capability {variant.lowest[0]}.{variant.lowest[1]} or newer"
    return ""


def _other_kernels(variant: Variant) -> str:
    able = [f"{major}.{minor}" for major, minor in variant.only]
    return f"It runs on GPUs of compute capability {names(able, 4)} alone" if able else "It runs on newer GPUs"


# ---- how it is cut up ------------------------------------------------------------------------------------------------


def _sized(one: Try) -> Draft | Rejected:
    """The fewest GPUs that hold it with what was asked for; over several nodes only where one does not do."""
    most = one.pool.gpus_per_node
    wanted = one.wish.tensor_parallel
    if wanted is not None and (reason := fault(one.wish.model, one.variant, wanted, one.chip) or _short(wanted, most)):
        fits = [size for size in smallest_beside(one.wish.model, one.variant, wanted) if size <= most]
        return Rejected(one.what, reason, f"Type {names([f'tp={size}' for size in fits], 3)}" if fits else "")
    tried = (wanted,) if wanted is not None else sizes(one.wish.model, one.variant, most, one.chip)
    fitting = [draft for ranks in tried if (draft := _fitting(one, ranks, 1)) is not None]
    good = min(USUAL, one.variant.context_tokens)
    enough = next((draft for draft in fitting if one.wish.context_tokens or draft.context_tokens >= good), None)
    if fitting:
        return enough or max(fitting, key=lambda draft: draft.context_tokens)
    return _over_nodes(one, tried)


def _short(wanted: int, most: int) -> str:
    return f"a node of it has {most} GPUs, fewer than {wanted}" if wanted > most else ""


def _over_nodes(one: Try, tried: tuple[int, ...]) -> Draft | Rejected:
    if not tried:
        return Rejected(one.what, fault(one.wish.model, one.variant, one.pool.gpus_per_node, one.chip))
    ranks = tried[-1]
    stages = next((number for number in range(2, NODES_MOST + 1) if _fitting(one, ranks, number)), 0)
    alone = _sizing(one, ranks, 1)
    reason = alone.why_not or _too_short(one, alone)
    if not stages:
        return Rejected(one.what, reason, _shorter(one, alone))
    if len(one.pool.nodes) < stages:
        short = f"{reason}; over {stages} nodes it would fit, and there are {len(one.pool.nodes)}"
        return Rejected(one.what, short, _shorter(one, alone))
    if not one.pool.rdma_resource:
        told = f"{reason}; over {stages} nodes it would fit, but {_LACKS[one.pool.rdma_label]}"
        offer = "Offer RDMA to pods (a device plugin such as `rdma/hca_shared_devices_a`)"
        shorter = _shorter(one, alone)
        return Rejected(one.what, told, f"{shorter}, or offer{offer.removeprefix('Offer')}" if shorter else offer)
    draft = _fitting(one, ranks, stages)
    assert draft is not None
    return draft


def _fitting(one: Try, ranks: int, stages: int) -> Draft | None:
    sizing = _sizing(one, ranks, stages)
    context = _context(one, sizing)
    if not context:
        return None
    return _draft(one, ranks, stages, sizing, context)


def _sizing(one: Try, ranks: int, stages: int) -> Sizing:
    dtype = kv_dtype(one.support, one.chip)
    return size(
        one.wish.model,
        one.variant,
        one.support,
        one.version,
        one.chip,
        tensor_parallel=ranks,
        pipeline_parallel=stages,
        dtype=dtype,
        mtp=bool(guesses(one, stages)),
    )


def _context(one: Try, sizing: Sizing) -> int:
    """The length that it is started with; 0 where what was asked for does not fit."""
    held = sizing.kv_tokens * (1 if one.variant.measured else RESERVE)
    at_once = one.wish.concurrency or 1
    native = one.variant.context_tokens
    if one.wish.context_tokens is not None:
        return one.wish.context_tokens if held >= one.wish.context_tokens * at_once else 0
    usual = max(at_once, ENOUGH)
    steps = [step for step in (native, *STEPS) if step <= native]
    return next((step for step in sorted(set(steps), reverse=True) if held >= step * usual), 0)


def _too_short(one: Try, sizing: Sizing) -> str:
    context, at_once = one.wish.context_tokens or STEPS[-1], one.wish.concurrency or 1
    times = f"{at_once} × " if at_once > 1 else ""
    return (
        f"its cache would hold {sizing.kv_tokens:,} tokens with {one.pool.gpus_per_node} GPUs, fewer than "
        f"{times}{context:,}"
    )


def _shorter(one: Try, sizing: Sizing) -> str:
    """The length that would fit, where only the length does not."""
    free = _context(replace(one, wish=replace(one.wish, context_tokens=None)), sizing) if sizing.fits else 0
    return f"Type context={free}" if free else ""


def _draft(one: Try, ranks: int, stages: int, sizing: Sizing, context: int) -> Draft:
    mtp = guesses(one, stages)
    return Draft(
        model=one.wish.model,
        variant=one.variant,
        support=one.support,
        engine_version=one.version,
        image=one.image.name,
        image_cuda=one.image.cuda,
        pool=one.pool,
        tensor_parallel=ranks,
        pipeline_parallel=stages,
        kv_dtype=kv_dtype(one.support, one.chip),
        speculative_tokens=mtp,
        utilisation=utilisation(one.support.engine, one.version),
        sizing=sizing,
        context_tokens=context,
        warnings=tuple(warnings(one, ranks, stages)),
    )
