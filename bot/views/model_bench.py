"""A measurement of an engine: before it is made, and what came of it beside the one before."""

from collections.abc import Iterator

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.bench import Bench, Load, Point, RunBench
from bot.domain.document import Bullets, Document, Part, sentence, table
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.views.model_chart import BAR, bar
from bot.views.model_words import number, seconds
from bot.views.shortened import shortened

_COLUMNS = ("at once", "requests", "tokens/s", "", "first token", "p95", "a token", "whole answer", "before")


def preview(intent: RunBench, notes: tuple[str, ...]) -> Reply:
    """What would be sent; in a terminal that is all."""
    load, about = intent.load, intent.about
    verdict = f"Would measure {about.model} ({about.workload}) on {load.pod}. Nothing is sent yet."
    parts: list[Part] = [Bullets("What would be sent", tuple(sentence(one) for one in _sends(load)))]
    if notes:
        parts.append(Bullets("Mind", tuple(sentence(one) for one in notes)))
    answer = Answer(
        cause=Cause("model.bench", verdict),
        evidence=tuple(_sends(load)),
        unknown=notes,
        numbers={"seconds": load.seconds, "requests": load.requests, "concurrencies": list(load.concurrencies)},
    )
    return Reply(answer, Document((verdict,), tuple(parts), ("preview",)), (intent,))


def result(bench: Bench, before: Bench | None, kept: str) -> Document:
    """kept: why it was not kept; empty where it was."""
    verdict = _verdict(bench, before)
    top = max((one.tokens_per_second for one in bench.points), default=0.0)
    rows = [_row(one, top, before) for one in bench.points]
    parts: list[Part] = [table(_COLUMNS, rows, (0, 1, 2, 4, 5, 6, 7, 8))] if rows else []
    notes = tuple(sentence(one) for one in _notes(bench, before, kept))
    parts.append(Bullets("", notes))
    return shortened(Document((verdict,), tuple(parts), (f"cluster {bench.cluster}", f"{bench.at:%Y-%m-%d %H:%M} UTC")))


def _sends(load: Load) -> Iterator[str]:
    steps = names([str(one) for one in load.concurrencies], 8)
    yield f"at most {count(load.requests, 'request')} within {load.seconds} s, {steps} at once"
    yield f"each of about {load.prompt_tokens} tokens of plain words, for {load.answer_tokens} tokens of answer"
    yield "to that one replica, beside what its users ask; nothing of the answers is kept"


def _verdict(bench: Bench, before: Bench | None) -> str:
    best = bench.best
    head = f"{bench.model} on {bench.pod}"
    if best is None or not best.tokens:
        return f"{head} answered nothing that could be measured."
    alone = next((one for one in bench.points if one.concurrency == 1 and one.tokens), None)
    single = f", {number(alone.tokens_per_second)} for one alone" if alone is not None and alone is not best else ""
    first = f"; first token after {seconds(best.first_token[0])} then" if best.first_token else ""
    told = f"{head}: {number(best.tokens_per_second)} tokens/s with {best.concurrency} at once{single}{first}"
    then = _same(best, before)
    change = f"; {_changed(best, then)} against the measurement before" if then is not None else ""
    return f"{told}{change}."


def _row(one: Point, top: float, before: Bench | None) -> tuple[str, ...]:
    then = _same(one, before)
    failed = f" ({one.failed} failed)" if one.failed else ""
    return (
        str(one.concurrency),
        f"{one.requests}{failed}",
        number(one.tokens_per_second),
        bar(one.tokens_per_second, top).ljust(BAR),
        seconds(one.first_token[0] if one.first_token else None),
        seconds(one.first_token[1] if one.first_token else None),
        seconds(one.between),
        seconds(one.whole[0] if one.whole else None),
        _changed(one, then) if then is not None else "–",
    )


def _same(one: Point, before: Bench | None) -> Point | None:
    """What was measured with as many at once before."""
    points = before.points if before is not None else ()
    return next((then for then in points if then.concurrency == one.concurrency and then.tokens), None)


def _changed(now: Point, then: Point) -> str:
    """Of tokens per second: `+12 %`."""
    share = now.tokens_per_second / then.tokens_per_second - 1
    return f"{100 * share:+.0f} %"


def _notes(bench: Bench, before: Bench | None, kept: str) -> Iterator[str]:
    setup = " ".join(one for one in (bench.engine, bench.version) if one) or "an engine"
    cards = f" on {bench.gpus} {bench.product or 'GPU'}" if bench.gpus else ""
    yield (
        f"{setup}{cards}, {bench.prompt_tokens} tokens in and {bench.answer_tokens} out; sums are of our own requests "
        f"only{_beside(bench)}"
    )
    if bench.way == "proxy":
        yield "asked through the API server: each answer takes as much longer as it adds"
    for one in bench.points:
        if one.trouble:
            failed = count(one.failed, "request")
            yield f"with {one.concurrency} at once {failed} failed, the first: {inert(one.trouble)}"
    slow = [str(one.concurrency) for one in bench.points if one.cut]
    if slow:
        yield f"with {names(slow)} at once some answers were not done in time and are not counted"
    if before is not None:
        yield f"the measurement before: {before.at:%Y-%m-%d %H:%M} UTC{_differs(bench, before)}"
    else:
        yield "there is no measurement before to compare with"
    if kept:
        yield f"not kept for comparison: {inert(kept)}"


def _beside(bench: Bench) -> str:
    if bench.busy is None:
        return "; whether others asked meanwhile is not known"
    busy = round(bench.busy)
    return f", beside {count(busy, 'request')} of others at the beginning" if busy else ", nobody else asked at first"


def _differs(bench: Bench, before: Bench) -> str:
    """What was another then."""
    pairs = (
        ("version", bench.version, before.version),
        ("GPU", bench.product, before.product),
        ("number of GPUs", str(bench.gpus), str(before.gpus)),
        ("tokens in", str(bench.prompt_tokens), str(before.prompt_tokens)),
        ("tokens out", str(bench.answer_tokens), str(before.answer_tokens)),
        ("way", bench.way, before.way),
    )
    found = [f"{what} {inert(then) or 'not known'}" for what, now, then in pairs if now != then]
    return f", with {names(found, 6)}" if found else ", under the same conditions"
