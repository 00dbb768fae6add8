"""A channel besides Slack, for when Slack itself is out of reach; and a heartbeat that somebody else watches.

A webhook gets `{"text": …}` and more; an Alertmanager gets an alert at its API v2
(prometheus/alertmanager:api/v2/openapi.yaml, POST /api/v2/alerts).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from bot.domain.errors import ChatError

TIMEOUT_SECONDS = 10.0
LASTS = timedelta(hours=4)  # an alert that nobody repeats ends by itself


class SecondChannel:
    """kind: `webhook` or `alertmanager`. token_file: read anew each time; sent as a bearer token."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        url: str,
        *,
        kind: str = "webhook",
        token_file: str | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._client, self._url, self._kind, self._token_file, self._now = client, url, kind, token_file, now

    async def say(self, source: str, text: str, *, firing: bool, since: datetime) -> None:
        """Raises ChatError."""
        if self._kind == "alertmanager":
            url = f"{self._url.rstrip('/')}/api/v2/alerts"
            await _sent(self._client, "POST", url, [self._alert(source, text, firing, since)], self._token_file)
            return
        body = {"text": text, "source": source, "firing": firing, "since": since.isoformat(), "from": "gpubot"}
        await _sent(self._client, "POST", self._url, body, self._token_file)

    def _alert(self, source: str, text: str, firing: bool, since: datetime) -> dict[str, Any]:
        now = self._now()
        return {
            "labels": {"alertname": "GpubotBlind", "source": source, "severity": "critical"},
            "annotations": {"summary": text},
            "startsAt": since.isoformat(),
            "endsAt": (now + LASTS if firing else now).isoformat(),
        }


class Heartbeat:
    """Every so many seconds, as somebody calls it who is well."""

    def __init__(
        self, client: httpx.AsyncClient, url: str, *, method: str = "POST", every_seconds: float = 60.0
    ) -> None:
        self._client, self._url, self._method = client, url, method
        self._every = timedelta(seconds=every_seconds)
        self._next: datetime | None = None

    def due(self, now: datetime) -> bool:
        """Whether it is time; then the next one is due so much later."""
        if self._next is not None and now < self._next:
            return False
        self._next = now + self._every
        return True

    async def beat(self) -> None:
        """Raises ChatError where nobody takes it."""
        await _sent(self._client, self._method, self._url, None, None)


async def _sent(client: httpx.AsyncClient, method: str, url: str, body: Any, token_file: str | None) -> None:
    """The URL may hold a secret: it is not in what is raised."""
    try:
        headers = {"Authorization": f"Bearer {_read(token_file)}"} if token_file else {}
        answer = await client.request(method, url, json=body, headers=headers, timeout=TIMEOUT_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeDecodeError) as error:
        raise ChatError(f"{_host(url)} cannot be reached ({type(error).__name__}).", retryable=True) from error
    if answer.is_error:
        raise ChatError(f"{_host(url)} answered {answer.status_code}.", retryable=True)


def _host(url: str) -> str:
    try:
        return httpx.URL(url).host
    except httpx.InvalidURL:
        return "the address"


def _read(file: str) -> str:
    return Path(file).expanduser().read_text(encoding="utf-8").strip()
