"""The server itself: /healthz (the process answers), /readyz (it hears Slack), /metrics, /webhooks/alertmanager."""

from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus

from aiohttp import web

from bot.domain.errors import ConfigError
from bot.side.metrics import Metric, text
from bot.side.webhook import BODY_MAX, Webhook, told

CLOSING_SECONDS = 3.0
PATH = "/webhooks/alertmanager"
Ready = Callable[[], Awaitable[str]]  # empty, or a sentence that says what is missing
Figures = Callable[[], Awaitable[Iterable[Metric]]]


class SideServer:
    """From `start` to `stop`. `port`: the one that it listens on."""

    def __init__(self, host: str, port: int, *, ready: Ready, figures: Figures, webhook: Webhook | None = None) -> None:
        self._host, self.port, self._ready, self._figures, self._webhook = host, port, ready, figures, webhook
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Raises ConfigError where the port is not to be had."""
        app = web.Application(client_max_size=BODY_MAX)
        app.router.add_get("/healthz", _alive)
        app.router.add_get("/readyz", self._readiness)
        app.router.add_get("/metrics", self._metrics)
        if self._webhook is not None:
            app.router.add_post(PATH, self._webhook.answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSING_SECONDS)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self.port)
        try:
            await site.start()
        except OSError as error:
            await self.stop()
            raise ConfigError(f"side: {self._host}:{self.port} cannot be listened on: {error.strerror}.") from error
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _readiness(self, request: web.Request) -> web.Response:
        del request
        missing = await self._ready()
        return told(HTTPStatus.SERVICE_UNAVAILABLE if missing else HTTPStatus.OK, missing or "ready")

    async def _metrics(self, request: web.Request) -> web.Response:
        del request
        return web.Response(text=text(await self._figures()), content_type="text/plain", charset="utf-8")


async def _alive(request: web.Request) -> web.Response:
    del request
    return told(HTTPStatus.OK, "alive")
