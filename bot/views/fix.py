"""The remedies that an answer offers, each with what to type to have it applied."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from bot.changes.fixing import Fix
from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Button, Code, Document, Line, sentence
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count
from bot.views import sources
from bot.views.shortened import shortened

NEEDED = ("nodes", "pods")
ASK = "ask"  # a button that asks its value as if it were typed
BUTTONS = 5


def listed(found: Sequence[Fix], question: str, view: View, now: datetime) -> Reply:
    can = [one for one in found if one.kind]
    by_hand = [one for one in found if not one.kind]
    about = f" for {inert(question)}" if question else ""
    amount = count(len(can), "remedy", "remedies") if can else "No remedy"
    verdict = f"{amount} can be applied from here{about}."
    parts = [
        Bullets(title, tuple(_lines(ones, question)))
        for title, ones in (("gpubot can do", can), ("Stays with people", by_hand))
        if ones
    ]
    buttons = tuple(_button(one, question) for one in can[:BUTTONS])
    document = Document(sentence(verdict), tuple(parts), sources.footer(view, now, NEEDED), buttons)
    answer = Answer(
        cause=Cause("fix.offered" if can else "fix.none", verdict),
        as_of=view.oldest(*NEEDED),
        remedies=tuple(one.remedy for one in found),
        numbers={"fixes": {one.id: one.kind for one in can}},
    )
    return Reply(answer, shortened(document))


def _lines(found: Sequence[Fix], question: str) -> Iterator[Line]:
    for one in found:
        cost = f" (costs: {one.remedy.cost})" if one.remedy.cost else ""
        action = sentence(f"{one.remedy.action}{cost}: ")
        yield (*action, Code(_typed(one, question) if one.kind else one.remedy.command))


def _typed(fix: Fix, question: str) -> str:
    return f"/gpu fix {fix.id} {question}".strip()


def _button(fix: Fix, question: str) -> Button:
    return Button(fix.remedy.action[:70], ASK, f"fix {fix.id} {question}".strip(), f"See what it would do: {fix.id}")
