"""What was asked, allowed, refused and done, as rows that are added and never changed.

Refusals and denials are rows too. Each row carries a digest over itself and the row before it (`bot.domain.chain`), the
Slack message that it came from and the API server's own `Audit-Id`, so that three logs can be laid beside each other.
"""

import enum
from datetime import datetime
from typing import Any

import msgspec

from bot.domain.person import Asker


class Happened(enum.StrEnum):
    """What a row tells."""

    PROPOSED = "change.proposed"
    APPROVED = "change.approved"  # by one person: more may be needed
    MOVED = "change.moved"  # to the state in `facts`
    STEP = "change.step"  # one call to the API server was made
    REFUSED = "request.refused"  # a person asked for what they, or nobody now, may do
    CLICK_REFUSED = "click.refused"  # a person clicked what they may not decide
    CLICK_STALE = "click.stale"  # the button was used up, expired, or never ours
    DENIED = "cluster.denied"  # the API server, or its access review, said no
    FROZEN = "freeze.started"
    THAWED = "freeze.ended"
    MEASURED = "model.measured"  # an engine got a load of our own
    UNREADABLE = "unreadable"  # never written: how a row that somebody changed is shown


class AuditEvent(msgspec.Struct, frozen=True, kw_only=True):
    """person and workspace: who, by Slack's ids; empty for the bot itself. message: where it was said in Slack, as
    `channel/ts`. change: the number of the change that it belongs to. says: one sentence. audit_id: of the API server.
    """

    what: Happened
    at: datetime
    cluster: str = ""
    person: str = ""
    workspace: str = ""
    channel: str = ""
    message: str = ""
    change: int | None = None
    says: str = ""
    audit_id: str = ""
    facts: dict[str, Any] = {}


def refusal(
    what: Happened, asker: Asker, cluster: str, says: str, now: datetime, change: int | None = None
) -> AuditEvent:
    """A no to somebody, as it is recorded. change: the number of the one that it is about."""
    return AuditEvent(
        what=what,
        at=now,
        cluster=cluster,
        person=asker.id,
        workspace=asker.workspace,
        channel=asker.channel,
        change=change,
        says=says,
    )


class AuditRow(msgspec.Struct, frozen=True):
    """One event at its place in the chain. digest: 64 hexadecimal digits."""

    number: int
    event: AuditEvent
    digest: str


class Verified(msgspec.Struct, frozen=True):
    """What came of looking at every row. broken: the number of the first row that does not hold; None: all do.

    digest: of the last row that holds. Whoever notes it down can tell later that nothing before it was rewritten.
    """

    rows: int
    digest: str
    broken: int | None = None
    reason: str = ""
