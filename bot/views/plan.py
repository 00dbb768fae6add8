"""How a plan and a change look: the preview, what approvers are asked, where it stands, and how it ended."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.domain.change import Change, ChangeState, Plan, Step
from bot.domain.document import (
    Bullets,
    Button,
    Code,
    Document,
    Line,
    Paragraph,
    Part,
    Person,
    line,
    paragraph,
    sentence,
)
from bot.domain.text import inert
from bot.domain.words import count
from bot.views.shortened import shortened

ACTION = "change"  # the listener of all three buttons
ASK = "ask"  # a button that asks its value as if it were typed
VALUE_MAX = 2_000  # characters of a button's value
STEPS_SHOWN = 8
_ENDS = {
    ChangeState.APPLIED: "Done",
    ChangeState.FAILED: "Failed",
    ChangeState.REFUSED: "Refused",
    ChangeState.EXPIRED: "Expired",
    ChangeState.OUTDATED: "Outdated",
    ChangeState.UNDONE: "Undone",
}


def preview(plan: Plan) -> Document:
    """The plan alone: in a terminal, and for whoever may not have it done."""
    verdict = f"Cannot be done: {plan.refused}" if plan.refused else f"Would {plan.title}. Nothing is changed yet."
    return shortened(Document(sentence(verdict), tuple(_parts(plan)), ("preview",)))


def denied(plan: Plan, reason: str, who: Sequence[str] = ()) -> Document:
    """Why this person may not have it done, whom to ask, and what it would have been."""
    ask = tuple(told("", who).parts)
    return shortened(Document(sentence(reason), (*ask, *_parts(plan)), ("preview, nothing is changed",)))


def proposed(change: Change) -> Document:
    """What is asked of approvers. A button carries the nonce and one word, nothing else."""
    left = max(0, change.needed - sum(1 for one in change.approvals if one.yes))
    asks = f"waits for {count(left, 'approval')}" if change.needed else "waits for a yes"
    verdict = line(f"Change {change.number}: {change.plan.title}, {asks}, asked by ", Person(change.requester))
    expires = f"expires {change.expires_at:%H:%M} UTC"
    yes = _button(change, "Approve" if change.needed else "Do it", "yes", f"Have change {change.number} done")
    no = _button(change, "Refuse", "no", f"Refuse change {change.number}")
    return shortened(Document(verdict, tuple(_parts(change.plan)), (f"cluster {change.cluster}", expires), (yes, no)))


def progress(change: Change, lines: Sequence[str]) -> Document:
    """Where it stands."""
    steps = len(change.plan.steps)
    verdict = (
        f"Change {change.number}: {change.plan.title}: {change.state}, {change.done} of {count(steps, 'step')} done"
    )
    parts: list[Part] = [Bullets("", tuple(sentence(one) for one in lines))] if lines else []
    buttons = (_undo(change),) if change.plan.undo and change.state is ChangeState.FOLLOWING else ()
    return shortened(Document(sentence(verdict), tuple(parts), _footer(change), buttons))


def ended(change: Change, lines: Sequence[str] = ()) -> Document:
    """How it ended, and what is left to do."""
    verdict = f"{_ENDS.get(change.state, str(change.state).capitalize())}: change {change.number}, {change.plan.title}"
    parts: list[Part] = [paragraph(sentence(change.told))] if change.told else []
    if lines:
        parts.append(Bullets("", tuple(sentence(one) for one in lines)))
    undoable = change.state is ChangeState.APPLIED or (change.state is ChangeState.FAILED and change.done)
    left = change.plan.undo and not change.plan.cleanup  # what was cleaned up needs no way back
    buttons = (*([_undo(change)] if left and undoable else []), *_again(change))
    return shortened(Document(sentence(verdict), tuple(parts), _footer(change), buttons))


def _again(change: Change) -> Iterator[Button]:
    """Asks as a line would: it is planned, checked and approved anew."""
    asks = f"{change.plan.again} @{change.cluster} because"
    if change.state is ChangeState.FAILED and change.plan.again and len(asks) <= VALUE_MAX:
        yield Button("Try again…", ASK, asks, f"Ask for the same as change {change.number} once more")


def told(text: str, who: Sequence[str] = ()) -> Document:
    """One sentence, for the person who clicked or asked; with whom to ask."""
    parts: tuple[Part, ...] = ()
    if who:
        people: Line = tuple(span for one in who for span in (" ", Person(one)))
        parts = (Paragraph((("Who can:", *people),)),)
    return Document(sentence(text), parts)


def listed(text: str, lines: Sequence[str], parts: Sequence[Part] = ()) -> Document:
    """A sentence, and what it rests on."""
    bullets = (Bullets("", tuple(sentence(one) for one in lines)),) if lines else ()
    return shortened(Document(sentence(text), (*bullets, *parts)))


def _footer(change: Change) -> tuple[str, ...]:
    back = (f"undone by itself {change.undo_at:%Y-%m-%d %H:%M} UTC",) if change.undo_at else ()
    return (f"cluster {change.cluster}", *back)


def _undo(change: Change) -> Button:
    return _button(change, "Undo", "undo", f"Undo change {change.number}")


def _button(change: Change, label: str, word: str, says: str) -> Button:
    return Button(label, ACTION, f"{change.nonce}|{word}", says)


def _parts(plan: Plan) -> Iterable[Part]:
    if plan.because:
        yield paragraph(line("Because ", inert(plan.because)))
    steps = tuple(_step(step) for step in plan.steps[:STEPS_SHOWN])
    more = len(plan.steps) - STEPS_SHOWN
    if steps:
        yield Bullets("Steps", (*steps, *([line(f"and {more} more")] if more > 0 else [])), ordered=True)
    for title, lines in (
        ("What comes of it", plan.effects),
        ("What it costs", plan.costs),
        ("What speaks against it", plan.warnings),
        ("Instead", plan.instead),
        ("Could not be seen", plan.unknown),
    ):
        if lines:
            yield Bullets(title, tuple(sentence(one) for one in lines))
    if plan.undo:
        yield Bullets("Undo", tuple(_step(step) for step in plan.undo))
    elif plan.steps and not plan.cleanup:
        yield paragraph(line("There is no undo for this."))


def _step(step: Step) -> Line:
    by_hand = (": ", Code(step.command)) if step.command else ()
    return (step.says, _diff(step.before, step.after), *by_hand)


def _diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    changed = [
        f"{key}: {_shown(before.get(key))} → {_shown(value)}"
        for key, value in after.items()
        if before.get(key) != value
    ]
    return f" ({'; '.join(changed)})" if changed else ""


def _shown(value: Any) -> str:
    return "none" if value is None else inert(str(value).lower() if isinstance(value, bool) else str(value), 60)
