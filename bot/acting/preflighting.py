"""A node that joined, or came back changed, and does not pass the checklist is told where warnings go.

Nothing is said of nodes that pass: `/gpu node` shows it. A node that fails later is the sweep's to find.
"""

from bot.acting.posting import as_post
from bot.alerts.route import of_nodes
from bot.checks.preflight.kept import Kept
from bot.checks.preflight.report import Verdict
from bot.domain.alert_rules import AlertRules
from bot.ports import Clock, Posts
from bot.views import preflight_told


class Preflighted:
    """Records what is to be said; called once for each node that joined or changed."""

    def __init__(self, posts: Posts, rules: AlertRules, now: Clock) -> None:
        self._posts, self._rules, self._now = posts, rules, now

    async def __call__(self, kept: Kept) -> None:
        """Raises UpstreamError where it cannot be recorded."""
        route = of_nodes(self._rules, kept.cluster, self._now())
        if kept.report.verdict is not Verdict.NOT_READY or route is None:
            return
        key = f"preflight/{kept.cluster}/{kept.due.node}/{kept.due.since:%Y%m%dT%H%M%S}"
        await self._posts.put((as_post(key, route.channel, preflight_told.document(kept)),), self._now())
