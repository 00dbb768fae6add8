"""What fires, what is held and why, and where it would go, with everything that is wrong with the routes."""

from collections.abc import Iterator
from datetime import datetime

from bot.alerts.lint import lint
from bot.command import Reply
from bot.domain.alert_rules import AlertRules, Route
from bot.domain.alert_state import Phase, Standing
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Part, paragraph, sentence
from bot.domain.errors import NotFoundError
from bot.domain.incident import Book, TryRoute
from bot.domain.person import Asker
from bot.domain.text import inert
from bot.domain.words import capped, count, duration
from bot.grammar import quoted
from bot.views.shortened import shortened

FIRING, HELD, LINE_MAX = 12, 8, 200


def show(book: Book, rules: AlertRules, now: datetime) -> Reply:
    alerts = book.alerts.alerts.values()
    firing = [one for one in alerts if one.phase is Phase.FIRING]
    held = [one for one in alerts if one.phase is Phase.PENDING]
    told = [one for one in firing if one.incident and not one.silence]
    verdict = f"{count(len(firing), 'alert')} of {inert(book.cluster)} {'fires' if len(firing) == 1 else 'fire'}"
    verdict += f", {len(held):,} held down, {len(firing) - len(told):,} silenced." if firing or held else "."
    problems = lint(rules)
    numbers = {"firing": len(firing), "held": len(held), "routes": len(rules.routes), "problems": list(problems)}
    parts = tuple(_parts(firing, held, rules, problems, now))
    return Reply(Answer(cause=Cause("alerts", verdict), numbers=numbers), shortened(Document((verdict,), parts)))


def named(rules: AlertRules, name: str) -> Route:
    """The route of that name or number, the last one where none is named. Raises NotFoundError."""
    if not rules.routes:
        raise NotFoundError("There is no route: add one to `alerts.routes` in the settings.")
    by_number = {str(number): one for number, one in enumerate(rules.routes, start=1)}
    found = rules.routes[-1] if not name else by_number.get(name) or _by_name(rules, name)
    if found is None:
        raise NotFoundError(f"No route is called {quoted(name)}; `/gpu alerts` lists them.")
    return found


def previewed(route: Route, intent: TryRoute) -> Reply:
    what = f"Would post one message, marked as a test, to channel {inert(route.channel)}."
    return Reply(Answer(cause=Cause("alerts.preview", what)), Document((what,)), (intent,))


def test(route: Route, cluster: str, asker: Asker) -> Document:
    """The message itself: nothing in it looks like an incident, and nobody is mentioned."""
    verdict = f"This is a test of gpubot's alerts of {inert(cluster)}: nothing is wrong."
    return Document((verdict,), (paragraph((f"{inert(str(asker))} asked for it. Route: {_route(route)}.",)),))


def tested(route: Route) -> Document:
    return Document(
        (f"A test was handed to channel {inert(route.channel)}; if it does not come, the bot is not in it.",)
    )


def _by_name(rules: AlertRules, name: str) -> Route | None:
    return next((one for one in rules.routes if one.name.casefold() == name.casefold()), None)


def _parts(
    firing: list[Standing], held: list[Standing], rules: AlertRules, problems: tuple[str, ...], now: datetime
) -> Iterator[Part]:
    if problems:
        yield Bullets("Wrong with the routes", tuple(sentence(one) for one in problems))
    ordered = sorted(firing, key=lambda one: (one.alert.follows, one.alert.severity.rank, one.first_at))
    if ordered:
        yield Bullets("They fire", _some([_line(one, now) for one in ordered], FIRING))
    if held:
        yield Bullets("Held down", _some([_line(one, now) for one in held], HELD))
    if rules.routes:
        yield Bullets("Routes", tuple((_route(one),) for one in rules.routes), ordered=True)
        yield paragraph(("To see that one arrives: ", Code("/gpu alerts test")))


def _some(lines: list[Line], shown: int) -> tuple[Line, ...]:
    left = len(lines) - shown
    return (*lines[:shown], (f"and {left:,} more",)) if left > 0 else tuple(lines)


def _line(one: Standing, now: datetime) -> Line:
    age = duration(max(1.0, (now - one.first_at).total_seconds()))
    where = f"incident {one.incident}" if one.incident else f"silence {one.silence}" if one.silence else "not told"
    text = f"{one.alert.cause} of {inert(one.alert.subject)}, {one.alert.severity}, {age}, {where}: {inert(one.why)}"
    return (capped(text, LINE_MAX),)


def _route(one: Route) -> str:
    conditions = (
        ("team", one.teams),
        ("namespace", one.namespaces),
        ("severity", one.severities),
        ("cause", one.causes),
        ("cluster", one.clusters),
    )
    told = ", ".join(f"{name} {' or '.join(values)}" for name, values in conditions if values) or "everything else"
    quiet = f", quiet {' and '.join(one.quiet)}" if one.quiet else ""
    mention = ", mentions somebody where it is critical" if one.mention else ""
    return inert(f"{one.name + ': ' if one.name else ''}{told} to {one.channel}{mention}{quiet}")
