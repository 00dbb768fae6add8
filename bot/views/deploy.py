"""How `/deploy` answers: what would be served where and why so, or why not; the others in a table; the manifests."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from bot.command import Reply
from bot.deploying.candidate import Candidate, Choice, Draft, Rejected, Room
from bot.deploying.kustomize import kustomization
from bot.deploying.yaml_text import dump
from bot.domain.answer import Answer, Cause, Remedy
from bot.domain.change import Plan, Propose
from bot.domain.document import Bullets, Code, Document, File, Line, Part, Table, paragraph, sentence, table
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count, first_and_others
from bot.views import plan as plans
from bot.views import sources
from bot.views.shortened import shortened

NEEDED = ("nodes", "pods", "deployments")
OTHERS_SHOWN = 6
WHEN = {
    Room.NOW: "now",
    Room.AFTER_ENDING: "after ending others",
    Room.AUTOSCALER: "with new nodes",
    Room.WAITS: "when GPUs are free",
    Room.REFUSED: "not made",
}


def reply(choice: Choice, plan: Plan, view: View, now: datetime, *, dry: bool) -> Reply:
    """dry: nobody is asked."""
    verdict = _verdict(choice, plan)
    shown = plans.preview(plan) if plan.steps or choice.best is not None else Document(())
    others = tuple(_others(choice))
    only = () if dry or plan.refused else ("preview",)
    document = Document(sentence(verdict), (*shown.parts, *others), (*sources.footer(view, now, NEEDED), *only))
    intents = () if dry or plan.refused else (Propose(plan),)
    return Reply(_answer(choice, plan, verdict, view, now), shortened(document), intents)


def _verdict(choice: Choice, plan: Plan) -> str:
    best = choice.best
    if plan.refused:
        return f"Cannot be done: {plan.refused}"
    assert best is not None
    replicas = count(best.ground.wish.replicas, "replica")
    when = "would start now" if best.room is Room.NOW else f"would start {WHEN[best.room]}"
    return f"{replicas} of {best.draft.title} {when}, with {best.draft.context_tokens:,} tokens of context: {best.why}."


# ---- why not the others ----------------------------------------------------------------------------------------------


def _others(choice: Choice) -> Iterator[Part]:
    rows = [_row(one.draft, WHEN[one.room], one.why) for one in choice.candidates[1:]]
    rows += [_row(one, "not tried", "") for one in choice.spare]
    if rows:
        yield _table(rows)
    if choice.fallbacks:
        yield Bullets("Other models that would start now", tuple(map(_fallback, choice.fallbacks)))
    if lines := tuple(_rejected(choice.rejected)):
        yield Bullets("Why not otherwise", lines)


def _row(draft: Draft, when: str, why: str) -> tuple[str, ...]:
    return (draft.title, f"{draft.context_tokens:,}", f"{draft.concurrency:.1f}", when, why)


def _table(rows: list[tuple[str, ...]]) -> Table:
    left = len(rows) - OTHERS_SHOWN
    more = f"and {left} more" if left > 0 else ""
    columns = ("other ways", "context", "at once", "starts", "why not first")
    return table(columns, rows[:OTHERS_SHOWN], numeric=(1, 2), more=more)


def _fallback(one: Candidate) -> Line:
    draft = one.draft
    return (f"{draft.title}, {draft.context_tokens:,} tokens: ", Code(f"/deploy {draft.model.names[0]}"))


def _rejected(rejected: tuple[Rejected, ...]) -> Iterator[Line]:
    """Those with one reason together."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for one in rejected:
        grouped.setdefault((one.reason, one.remedy), []).append(one.what)
    for (reason, remedy), what in list(grouped.items())[:OTHERS_SHOWN]:
        helps = f". {remedy}" if remedy else ""
        yield sentence(inert(f"{first_and_others(what)}: {reason}{helps}", 600))
    if len(grouped) > OTHERS_SHOWN:
        yield (f"and {len(grouped) - OTHERS_SHOWN} more reasons",)


# ---- manifests -------------------------------------------------------------------------------------------------------


def manifests(choice: Choice, plan: Plan, view: View, now: datetime, *, kustomize: bool) -> Reply:
    """The same objects that an approved plan creates, as text."""
    best = choice.best
    if best is None:
        return reply(choice, plan, view, now, dry=True)
    text = dump(best.rendering.objects)
    text = kustomization(best, text) if kustomize else text
    verdict = f"{count(len(best.rendering.objects), 'object')} for {best.draft.title}; nothing is created."
    warning = f"As things are it cannot be done: {plan.refused}" if plan.refused else ""
    parts: list[Part] = [paragraph(sentence(warning))] if warning else []
    where = f'All of it: `gpubot ask "deploy {best.draft.model.names[0]} as yaml"` in a terminal'
    document = Document(
        sentence(verdict), (*parts, File(tuple(text.splitlines()), where)), sources.footer(view, now, NEEDED)
    )
    answer = _answer(choice, plan, verdict, view, now)
    return Reply(msgspec.structs.replace(answer, numbers={**answer.numbers, "yaml": text}), document)


def _answer(choice: Choice, plan: Plan, verdict: str, view: View, now: datetime) -> Answer:
    best = choice.best
    cause = Cause("deploy.refused" if plan.refused else "deploy.fits", inert(verdict.replace("`", ""), 1000))
    numbers = {} if best is None else _numbers(best)
    return Answer(
        cause=cause,
        as_of=view.oldest(*NEEDED),
        evidence=(*plan.effects, *plan.costs, *plan.warnings),
        remedies=tuple(Remedy(one.remedy) for one in choice.rejected if one.remedy),
        unknown=(*choice.unknown, *plan.unknown),
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers=numbers,
        told=not choice.unknown,
    )


def _numbers(best: Candidate) -> dict[str, object]:
    draft = best.draft
    return {
        "model": draft.model.id,
        "variant": draft.variant.id,
        "gpus": draft.gpus,
        "product": draft.pool.product,
        "tensor_parallel": draft.tensor_parallel,
        "context_tokens": draft.context_tokens,
        "kv_tokens": draft.sizing.kv_tokens,
        "replicas": best.ground.wish.replicas,
        "replicas_now": best.starts,
        "room": best.room.name.casefold(),
    }
