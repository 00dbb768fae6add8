"""What stands around the bot: the watchman with his second channel, the heartbeat, the HTTP server."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpx

from bot.acting.watchman import Watchman
from bot.adapters.chat.poster import Poster
from bot.adapters.chat.second import Heartbeat, SecondChannel
from bot.app.ears import Ears
from bot.app.records import Records
from bot.command import Cluster
from bot.domain.errors import UpstreamError
from bot.domain.words import count
from bot.ports import Clock
from bot.side.metrics import Metric
from bot.side.server import SideServer
from bot.side.webhook import Webhook
from config.watch import SideSettings, WatchSettings


def watching(
    settings: WatchSettings, ears: Ears, records: Records | None, client: httpx.AsyncClient, now: Clock
) -> tuple[Watchman, Heartbeat | None]:
    """client: for the second channel and the heartbeat."""
    second, beat = settings.second, settings.heartbeat
    channel = SecondChannel(client, second.url, kind=second.kind, token_file=second.token_file) if second else None
    posts = records.outbox if records is not None else None
    watchman = Watchman(ears.heard, now, posts=posts, channel=settings.channel or "", second=channel)
    heartbeat = Heartbeat(client, beat.url, method=beat.method, every_seconds=beat.every_seconds) if beat else None
    return watchman, heartbeat


def side_server(
    settings: SideSettings,
    ears: Ears,
    watchman: Watchman,
    records: Records | None,
    poster: Poster | None,
    clusters: dict[str, Cluster],
    usual: str,
) -> SideServer | None:
    """None without a port."""
    if settings.port is None:
        return None
    webhook = None
    if records is not None:
        webhook = Webhook(_Hearing(records, clusters).hear, clusters, usual, settings.webhook_token_file)
    figures = _Figures(watchman, records, poster, ears)
    return SideServer(settings.host, settings.port, ready=ears.slack, figures=figures.all, webhook=webhook)


@dataclass(frozen=True, slots=True)
class _Hearing:
    records: Records
    clusters: dict[str, Cluster]

    async def hear(self, cluster: str, payload: Any) -> str:
        """Raises UsageError, UpstreamError."""
        told = await self.records.sweeper.heard(self.clusters[cluster], payload)
        left = f"; {told.left} beyond what is taken at once were left out" if told.left else ""
        return f"Taken: {count(len(told.bundles), 'alert')} firing, {len(told.over)} resolved{left}."


@dataclass(frozen=True, slots=True)
class _Figures:
    """gpubot's own metrics."""

    watchman: Watchman
    records: Records | None
    poster: Poster | None
    ears: Ears

    async def all(self) -> Iterable[Metric]:
        lag = await self._lag()  # before the counts: what waits no longer has been counted by then
        found = [
            Metric("gpubot_up", "gauge", "The process answers.", samples={"": 1}),
            Metric("gpubot_blind", "gauge", "Sources that have been silent for too long.", "source", self._blind()),
        ]
        if self.poster is not None:
            counts = {name: float(number) for name, number in self.poster.counts.items()}
            found.append(Metric("gpubot_posts_total", "counter", "What became of calls to Slack.", "what", counts))
        return [*found, *lag]

    def _blind(self) -> dict[str, float]:
        return dict.fromkeys(self.watchman.blind, 1.0)

    async def _lag(self) -> list[Metric]:
        """None where the store cannot be asked: no figure is better than an old one."""
        if self.records is None:
            return []
        try:
            lag = await self.records.outbox.lag(self.ears.now())
        except UpstreamError:
            return []
        return [
            Metric("gpubot_posts_waiting", "gauge", "Posts that are recorded and not said.", samples={"": lag.waiting}),
            Metric("gpubot_post_lag_seconds", "gauge", "Age of the oldest of them.", samples={"": lag.oldest_seconds}),
        ]
