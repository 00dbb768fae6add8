"""`/gpu alerts`: what fires, what is held down and why, and where it goes.

    /gpu alerts              everything that is wrong now, as alerts see it, with the routes and what is wrong with them
    /gpu alerts test         posts one message to the last route's channel, which says that it is a test
    /gpu alerts test llm     to the channel of the route that is called so, or has that number

An alert is held down until it has stood long enough, by how bad it is; what follows from something else is remembered
and not told. docs/alerts.md has the rules. Testing is for operators.
"""

from bot.command import Access, Command, Reply, Request
from bot.domain.errors import ForbiddenError, UsageError
from bot.domain.incident import TryRoute
from bot.grammar import quoted
from bot.views import alerts as views
from bot.views import incidents


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError; ForbiddenError where a person who may only read wants to test."""
    reader, rules = request.cluster.incidents, request.cluster.alert_rules
    if reader is None or rules is None:
        return incidents.not_here()
    match [word.casefold() for word in request.words]:
        case []:
            return views.show(reader.incidents(request.cluster.name), rules, request.now)
        case ["test", *names] if len(names) < 2:
            if request.asker.id and request.asker.access < Access.OPERATE:
                raise ForbiddenError("You may not post tests: this needs the role operator.")
            name = request.words[1] if names else ""
            return views.previewed(views.named(rules, name), TryRoute(name))
        case _:
            words = quoted(" ".join(request.words))
            raise UsageError(f"{words} is not understood; try `/gpu alerts` or `/gpu alerts test`.")


COMMAND = Command(
    words=("alerts",),
    summary="What fires, what is held down and why, and where it goes",
    access=Access.READ,
    examples=("/gpu alerts", "/gpu alerts test"),
    run=run,
    takes_words="[test [ROUTE]]",
    page=__doc__ or "",
)
