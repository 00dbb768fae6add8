"""`/gpu audit`: who asked for what, who agreed, what was refused, and what was done.

    /gpu audit                     the newest rows of this cluster
    /gpu audit last 40             more of them
    /gpu audit change 12           all that belongs to one change
    /gpu audit me                  what you asked for and decided; person=U0123456 for somebody else

Refusals and denials are rows, too. Each row is chained to the one before it: `gpubot audit verify` finds a row that was
changed, `gpubot audit export` writes all of them. What is shown here are the newest few hundred.
"""

from collections.abc import Callable

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.audit import AuditEvent
from bot.domain.errors import NotFoundError, UsageError
from bot.grammar import quoted
from bot.views import audit as views

USUAL, AT_MOST = 12, 40
_TRY = "try `/gpu audit last 20`, `/gpu audit change 12` or `/gpu audit me`"


def run(request: Request) -> Reply:
    """Raises UsageError; NotFoundError where no audit is kept."""
    if request.cluster.audit is None:
        raise NotFoundError("No audit is kept here: it is where the bot runs. There, try `gpubot audit export`.")
    asked = dict(request.options) | _words(request)
    last = _number(asked, "last", USUAL)
    of_change = _number(asked, "change", 0)
    person = asked.get("person", "").strip("<@>")
    wanted = _wanted(request.cluster.name, of_change, person)
    rows = [row for row in request.cluster.audit.latest() if wanted(row.event)]
    return views.show(rows, min(last, AT_MOST), whole=not (of_change or person), now=request.now)


def _wanted(cluster: str, change: int, person: str) -> Callable[[AuditEvent], bool]:
    def wanted(event: AuditEvent) -> bool:
        if event.cluster not in ("", cluster) or (change and event.change != change):
            return False
        return not person or event.person == person

    return wanted


def _words(request: Request) -> dict[str, str]:
    """`last 20`, `change 12`, `person U0123456` and `me` as options."""
    match [word.casefold() for word in request.words]:
        case []:
            return {}
        case ["me"]:
            if not request.asker.id:
                raise UsageError(f"At a terminal nobody knows who you are; {_TRY}.")
            return {"person": request.asker.id}
        case [("last" | "change" | "person") as name, _]:
            return {name: request.words[1]}
        case _:
            raise UsageError(f"{quoted(' '.join(request.words))} is not understood; {_TRY}.")


def _number(asked: dict[str, str], name: str, usual: int) -> int:
    text = asked.get(name, "").lstrip("#")
    if not text:
        return usual
    if not (text.isascii() and text.isdigit() and int(text[:10]) > 0 and len(text) < 10):
        raise UsageError(f"{quoted(text)} is no number that `{name}` could be; {_TRY}.")
    return int(text)


COMMAND = Command(
    words=("audit",),
    summary="Who asked for what, who agreed, what was refused and done",
    access=Access.OPERATE,
    examples=("/gpu audit", "/gpu audit last 20", "/gpu audit change 12"),
    run=run,
    options=(
        Option("last", "so many rows, 40 at most", "last=20"),
        Option("change", "what belongs to that change", "change=12"),
        Option("person", "what that person asked for and decided, by Slack's id", "person=U0123456", also=("by",)),
    ),
    takes_words="[last N | change N | me]",
    page=__doc__ or "",
)
