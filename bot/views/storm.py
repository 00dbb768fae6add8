"""The digest of a storm: many incidents in one message, edited as they come, are taken and end."""

from collections import Counter
from collections.abc import Sequence

from bot.domain.alert_state import Storm
from bot.domain.document import Button, Document, Table, paragraph, table
from bot.domain.incident import Incident
from bot.domain.text import inert
from bot.domain.words import clock, count, names
from bot.views.incident_root import ASK, title

ROWS = 25


def digest(storm: Storm, members: Sequence[Incident], cluster: str) -> Document:
    """The worst that still last come first."""
    alive = [one for one in members if not one.state.over]
    began = clock(storm.began_at, storm.began_at)
    icon = "🌩" if alive else "🟢"
    verdict = (
        f"{icon} {count(len(members), 'incident')} at once, {inert(cluster)}, since {began}: "
        f"{len(alive):,} {'lasts' if len(alive) == 1 else 'last'}, {len(members) - len(alive):,} over"
    )
    causes = Counter(one.content.cause for one in members)
    told = names([f"{cause} ({number:,})" for cause, number in causes.most_common(4)], 4, len(causes))
    ask = Button("List them", ASK, f"incident @{cluster}", "List all incidents that last")
    hint = "They have no threads of their own until somebody takes them."
    return Document((verdict,), (paragraph((f"Causes: {told}.",)), _table(members), paragraph((hint,))), (), (ask,))


def _table(members: Sequence[Incident]) -> Table:
    ordered = sorted(members, key=lambda one: (one.state.over, one.content.severity.rank, one.number))
    rows = [(one.number, str(one.state), title(one.content)) for one in ordered[:ROWS]]
    left = len(ordered) - len(rows)
    return table(("incident", "state", "what"), rows, numeric=(0,), more=f"and {left:,} more" if left > 0 else "")
