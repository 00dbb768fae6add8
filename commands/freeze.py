"""`/gpu freeze`: nothing is changed for a while, whoever asks and approves; what was changed may still be undone.

    /gpu freeze                          whether changes are frozen now, until when, by whom and why
    /gpu freeze 2h because the launch    for admins: also 90m, 1d, or until 18:00 (UTC)
    /gpu freeze off                      for admins: ends every freeze of this cluster

A freeze holds for one cluster (name another with @), survives restarts, ends by itself, and stands in the audit.
"""

from datetime import datetime, timedelta

from bot.command import Access, Command, Reply, Request
from bot.domain.errors import ForbiddenError, UsageError
from bot.domain.freeze import SetFreeze
from bot.domain.lasting import lasting, next_at
from bot.grammar import quoted
from bot.views import freeze as views

LONGEST = timedelta(days=14)
REASON_AT_MOST = 300
OFF = ("off", "end", "stop")
_USAGE = (
    "Say for how long and why, such as `/gpu freeze 2h because the launch`, or `/gpu freeze until 18:00 because …`."
)


def run(request: Request) -> Reply:
    """Raises UsageError; ForbiddenError where a person who is no admin wants to begin or end a freeze."""
    if not request.words:
        reader = request.cluster.audit
        frozen = None if reader is None else reader.frozen(request.cluster.name, request.now)
        return views.shown(request.cluster.name, frozen, request.now)
    intent = _intent(request)
    if request.asker.id and request.asker.access < Access.ADMIN:
        raise ForbiddenError("You may not freeze changes: that needs the role admin. Ask one of access.admins.")
    return views.preview(request.cluster.name, intent, request.now)


def _intent(request: Request) -> SetFreeze:
    words = request.words
    if words[0].casefold() in OFF and len(words) == 1:
        return SetFreeze(None)
    folded = [word.casefold() for word in words]
    at = folded.index("because") if "because" in folded else len(words)
    because = " ".join(words[at + 1 :])
    if not because:
        raise UsageError(f"A freeze needs a reason. {_USAGE}")
    if len(because) > REASON_AT_MOST:
        raise UsageError(f"The reason has {len(because)} characters; at most {REASON_AT_MOST} are kept.")
    return SetFreeze(_until(folded[:at], request.now), because)


def _until(words: list[str], now: datetime) -> datetime:
    plain = [word for word in words if word not in ("for", "until")]
    length = lasting("".join(plain)) if plain else None
    until = now + length if length else next_at(plain[0], now) if len(plain) == 1 else None
    if until is None:
        raise UsageError(f"{quoted(' '.join(words))} is no length of time. {_USAGE}")
    if until - now > LONGEST:
        raise UsageError(f"A freeze lasts at most {LONGEST.days} days: it can be set again.")
    return until


COMMAND = Command(
    words=("freeze",),
    summary="Change nothing for a while, whoever asks",
    access=Access.READ,
    examples=("/gpu freeze", "/gpu freeze 2h because the launch", "/gpu freeze off"),
    run=run,
    takes_words="[2h because WHY | off]",
    page=__doc__ or "",
)
