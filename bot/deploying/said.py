"""What a deployment gives, costs, and why there is none, in sentences."""

from collections.abc import Iterator

from bot.deploying.budgets import until_ready
from bot.deploying.candidate import Candidate, Choice, Draft, Room
from bot.domain.words import count, duration, first_and_others, names
from bot.scaling.objections import costs as costs_of
from bot.scaling.verdict import verdict

BAR = 24
_REASONS = 1


def effects(best: Candidate) -> tuple[str, ...]:
    return tuple(_effects(best))


def _effects(best: Candidate) -> Iterator[str]:
    draft, ground = best.draft, best.ground
    replaced = "Its pods are replaced, and each new one takes the GPUs of an old one"
    yield verdict(best.preview) if best.replaces is None else replaced
    yield (
        f"Each replica holds {draft.concurrency:.1f} requests of {draft.context_tokens:,} tokens at once "
        f"({draft.sizing.kv_tokens:,} tokens of cache in {kv_name(draft)})"
    )
    yield memory(draft)
    soon, late = until_ready(
        draft.variant.weights_bytes, downloads=ground.downloads, adds_node=best.room is Room.AUTOSCALER
    )
    yield f"First token expected {duration(soon)} to {duration(late)} after it is approved"
    yield f"Engine: {draft.image}, tensor parallel {draft.tensor_parallel}{_stages(draft)}{_guessing(draft)}"
    yield f"Requests go to `http://{ground.name}.{ground.namespace}.svc:{ground.engine.port}/v1`"
    yield from best.rendering.notes


def _stages(draft: Draft) -> str:
    return f", {draft.pipeline_parallel} stages" if draft.pipeline_parallel > 1 else ""


def _guessing(draft: Draft) -> str:
    return f", {count(draft.speculative_tokens, 'token')} guessed ahead (MTP)" if draft.speculative_tokens else ""


def kv_name(draft: Draft) -> str:
    return "BF16" if draft.kv_dtype == "auto" else draft.kv_dtype.upper().replace("_", " ")


def memory(draft: Draft) -> str:
    """`Memory of each GPU (140 GiB): [########...] weights 94.5, cache 26.5, running 8.2, left 11.2`."""
    size = draft.sizing
    left = size.total_gib - size.requested_gib
    return (
        f"Memory of each GPU ({size.total_gib:.0f} GiB): `{bar(draft)}` weights {size.weights_gib:.1f}, cache "
        f"{size.kv_gib:.1f}, running {size.overhead_gib:g}, left free {left:.1f}"
    )


def bar(draft: Draft) -> str:
    """`█` weights, `▓` cache, `▒` running, `·` left free."""
    size = draft.sizing
    shares = ((size.weights_gib, "█"), (size.kv_gib, "▓"), (size.overhead_gib, "▒"))
    filled = "".join(sign * round(part / size.total_gib * BAR) for part, sign in shares)
    return filled[:BAR].ljust(BAR, "·")


def costs(best: Candidate) -> tuple[str, ...]:
    draft = best.draft
    gpus = draft.gpus * best.ground.wish.replicas
    held = f"{count(gpus, draft.pool.product + ' GPU')} for as long as it runs"
    return (held, *costs_of(best.preview))


def refusal(choice: Choice) -> str:
    """Why nothing goes, in the first line of the answer."""
    alike: dict[str, list[str]] = {}
    for one in choice.rejected:
        alike.setdefault(one.reason, []).append(one.what)
    told = "; ".join(f"{first_and_others(what)}: {reason}" for reason, what in list(alike.items())[:_REASONS])
    more = f"; and {count(len(alike) - _REASONS, 'more reason')}" if len(alike) > _REASONS else ""
    helps = choice.rejected[0].remedy if choice.rejected else ""
    unknown = f" {'; '.join(choice.unknown)}." if choice.unknown else ""
    return f"nothing here can serve it: {told}{more}.{f' {helps}.' if helps else ''}{unknown}{_instead(choice)}"


def _instead(choice: Choice) -> str:
    if not choice.fallbacks:
        return ""
    other = names([f"`/deploy {one.draft.model.names[0]}` ({one.draft.title})" for one in choice.fallbacks], 2)
    return f" What would start now: {other}."
