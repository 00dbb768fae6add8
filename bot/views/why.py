"""How `/why` looks, for every kind of answer; each fits one message."""

from dataclasses import replace
from functools import singledispatch

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Button, Code, Document, line, paragraph, sentence
from bot.domain.text import inert
from bot.domain.words import names
from bot.views import sources, why_explanation, why_overview, why_trial
from bot.views.shortened import fits, shortened
from bot.why.answering import Asked, Choice, Result
from bot.why.explain import Explanation
from bot.why.fitting import Fitting
from bot.why.overview import Overview
from bot.why.trial import Trial

ASK = "ask"  # a button that asks its value as if it were typed
NEEDED = why_explanation.NEEDED


def show(result: Result, asked: Asked) -> Reply:
    """Every kind of answer."""
    return _show(result, asked)


@singledispatch
def _show(result: object, asked: Asked) -> Reply:
    raise TypeError(f"no view for {type(result).__name__}")


@_show.register
def _explanation(result: Explanation, asked: Asked) -> Reply:
    parts = why_explanation.parts(result, asked)
    buttons = () if asked.question.details or not result.case.waits else (_details(result),)
    verdict = why_explanation.verdict(result)
    document = Document(sentence(verdict), tuple(one.part for one in parts), _footer(asked), buttons)
    return Reply(why_explanation.answer(result, asked), shortened(document, [one.worth for one in parts]))


def _details(result: Explanation) -> Button:
    typed = result.case.subject.typed
    return Button("Details", ASK, f"why {typed} details", f"The table of nodes for {typed}"[:75])


@_show.register
def _overview(result: Overview, asked: Asked) -> Reply:
    missing = [source for source in (asked.view.source(kind) for kind in NEEDED) if not source.known]
    unknown = sources.not_read(missing)
    seen = [Bullets("Could not be seen", tuple(sentence(text) for text in unknown))] if unknown else []
    told = asked.view.knows("pods")
    verdict, parts = why_overview.parts(result, asked.now, known=told)
    document = Document((verdict,), (*parts, *seen), _footer(asked))
    most = why_overview.SHOWN
    while most > 1 and not fits(document):  # whole groups give way, and are counted
        most -= 1
        document = replace(document, parts=(*why_overview.parts(result, asked.now, known=told, most=most)[1], *seen))
    answer = Answer(
        cause=Cause(_id(result, told=told), verdict),
        as_of=asked.view.oldest(*NEEDED),
        evidence=tuple(one.explanation.sentence for one in result.lines),
        remedies=tuple(
            first.remedies[0] for one in result.lines if (first := one.explanation.first) is not None and first.remedies
        ),
        unknown=tuple(unknown),
        sources=tuple(sources.lines(asked.view, asked.now, NEEDED)),
        numbers={"pods": result.pods, "waiting": result.waiting, "groups": len(result.lines)},
        told=told,
    )
    return Reply(answer, shortened(document))


def _id(result: Overview, *, told: bool) -> str:
    if result.lines:
        return "pending"
    return "pending.none" if told else "pending.unknown"


@_show.register
def _choice(result: Choice, asked: Asked) -> Reply:
    listed = names([one.typed for one in result.subjects], shown=8, total=len(result.subjects) + result.left)
    verdict = f"“{inert(result.word, 60)}” can mean several things: {listed}."
    buttons = tuple(
        Button(one.typed[:70], ASK, f"why {one.typed}", f"Ask about {one.title}"[:75]) for one in result.subjects
    )
    hint = paragraph(line("Ask about one of them: ", Code(f"/why {result.subjects[0].typed}")))
    answer = Answer(
        cause=Cause("choice", verdict),
        as_of=asked.view.oldest(*NEEDED),
        evidence=tuple(one.typed for one in result.subjects),
    )
    return Reply(answer, shortened(Document((verdict,), (hint,), _footer(asked), buttons)))


@_show.register
def _trial(result: Trial, asked: Asked) -> Reply:
    verdict = why_trial.of_trial(result)
    answer = Answer(
        cause=Cause("trial.fits" if result.fits else "trial.waits", verdict.replace("`", "")),
        as_of=asked.view.oldest(*NEEDED),
        sources=tuple(sources.lines(asked.view, asked.now, NEEDED)),
        numbers={"feasible": list(result.fits[:20])},
    )
    document = Document(sentence(verdict), tuple(why_trial.behind_trial(result)), _footer(asked))
    return Reply(answer, shortened(document))


@_show.register
def _fitting(result: Fitting, asked: Asked) -> Reply:
    verdict = why_trial.of_fitting(result)
    answer = Answer(
        cause=Cause("fits" if result.fits else "fits-not", verdict),
        as_of=asked.view.oldest(*NEEDED),
        sources=tuple(sources.lines(asked.view, asked.now, NEEDED)),
        numbers={"asked": result.gpus, "count": result.count, "placed": list(result.placed), "largest": result.largest},
    )
    document = Document((verdict,), tuple(why_trial.behind_fitting(result)), _footer(asked))
    return Reply(answer, shortened(document))


def _footer(asked: Asked) -> tuple[str, ...]:
    return sources.footer(asked.view, asked.now, NEEDED)
