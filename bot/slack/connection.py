"""The connection to Slack: Socket Mode over aiohttp, watched so that a deaf bot does not look alive.

Measured: with a ping every three seconds the aiohttp client is back 2.7 s after a reset, the synchronous default after
57 s. slack_sdk reads proxy variables and ignores NO_PROXY, so a Slack on loopback needs them out of the way.
"""

import asyncio
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp
import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import ChatError, ConfigError

log = structlog.get_logger()
_TOKENS = {
    "xoxb-": ("SLACK_BOT_TOKEN", "the Bot User OAuth Token on the app's page OAuth & Permissions"),
    "xapp-": ("SLACK_APP_TOKEN", "an App-Level Token with connections:write on the app's page Basic Information"),
}
_REFUSED = (
    "invalid_auth",
    "not_authed",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "not_allowed_token_type",
)
SILENT_PINGS = 4  # so many ping intervals without a connection, and the handler is built anew
CONNECT_SECONDS = 20.0
POST_SECONDS = 10
REBUILDS = 10  # so many in a row without success, and the process ends so that Kubernetes starts another


@dataclass(frozen=True, slots=True)
class Myself:
    """The bot's own user, and the workspace that it is installed in."""

    user: str
    workspace: str


def token(prefix: str) -> str:
    """The token of that kind from the environment. Raises ConfigError that says where to get it."""
    variable, where = _TOKENS[prefix]
    value = os.environ.get(variable, "").strip()
    if not value:
        raise ConfigError(f"{variable} is not set: it holds {where}.")
    if not value.startswith(prefix):
        raise ConfigError(f"{variable} does not begin with {prefix}: it must hold {where}.")
    return value


def web_client(bot_token: str, base_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """A client that waits when Slack says to, and keeps its connections."""
    if urlsplit(base_url).hostname in ("127.0.0.1", "::1", "localhost"):
        forget_proxies()
    client = AsyncWebClient(token=bot_token, base_url=base_url, session=session, trust_env_in_session=False)
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=3))
    return client


def plain_client(bot_token: str, base_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """A client that says everything once: what was not answered may have been done, and whoever asks looks first."""
    client = web_client(bot_token, base_url, session)
    client.retry_handlers.clear()
    client.timeout = POST_SECONDS
    return client


def forget_proxies() -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)


async def check(client: AsyncWebClient) -> Myself:
    """Who we are. Raises ConfigError where Slack refuses the token, ChatError where it is out of reach."""
    try:
        told = await client.auth_test()
        return Myself(str(told["user_id"]), str(told.get("team_id") or ""))
    except SlackApiError as error:
        raise refused("xoxb-", str(error.response.get("error", "unknown"))) from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise unreachable(client.base_url, error) from error


def refused(prefix: str, reason: str) -> ConfigError:
    variable, where = _TOKENS[prefix]
    if reason in _REFUSED:
        return ConfigError(
            f"Slack refuses {variable} ({reason}): set it to {where}, and reinstall the app if it was changed."
        )
    return ConfigError(f"Slack refuses the connection ({reason}): check the app's settings and that Socket Mode is on.")


def unreachable(base_url: str, error: BaseException) -> ChatError:
    reason = str(error) or type(error).__name__
    return ChatError(
        f"Slack cannot be reached at {base_url} ({reason}): check the network and any proxy.", retryable=True
    )


class Socket:
    """One Socket Mode connection that is kept up. `lost` is set when it could not be."""

    def __init__(self, app: AsyncApp, app_token: str, ping_interval_seconds: float) -> None:
        self._app, self._token, self._ping = app, app_token, ping_interval_seconds
        self._handler: AsyncSocketModeHandler | None = None
        self._watch: asyncio.Task[None] | None = None
        self.lost = asyncio.Event()

    async def start(self) -> None:
        """Raises ConfigError where Slack refuses the app token, ChatError where it is out of reach.

        The handler would try a refused token for ever, so the token is tried once before.
        """
        try:
            await self._app.client.apps_connections_open(app_token=self._token)
        except SlackApiError as error:
            raise refused("xapp-", str(error.response.get("error", "unknown"))) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise unreachable(self._app.client.base_url, error) from error
        await self._connect()
        self._watch = asyncio.create_task(self._keep_up(), name="slack-watchdog")

    async def stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await self._close()

    async def connected(self) -> bool:
        return self._handler is not None and await self._handler.client.is_connected()

    async def _connect(self) -> None:
        self._handler = AsyncSocketModeHandler(self._app, self._token, ping_interval=self._ping)
        await asyncio.wait_for(self._handler.connect_async(), CONNECT_SECONDS)  # type: ignore[no-untyped-call]

    async def _close(self) -> None:
        if self._handler is None:
            return
        try:  # closing a stale handler can hang for ever
            await asyncio.wait_for(self._handler.close_async(), timeout=5)  # type: ignore[no-untyped-call]
        except TimeoutError:
            log.warning("slack: the old connection did not close")
        self._handler = None

    async def _keep_up(self) -> None:
        silent = rebuilt = 0
        while True:
            await asyncio.sleep(self._ping)
            if await self.connected():
                silent = rebuilt = 0
                continue
            silent += 1
            if silent < SILENT_PINGS:
                continue
            silent, rebuilt = 0, rebuilt + 1
            if rebuilt > REBUILDS:
                log.error("slack: no connection", tries=rebuilt)
                self.lost.set()
                return
            await self._rebuild(rebuilt)

    async def _rebuild(self, tries: int) -> None:
        log.warning("slack: connecting anew", tries=tries)
        await self._close()
        try:
            await self._connect()
        except (TimeoutError, aiohttp.ClientError, SlackApiError) as error:
            log.warning("slack: not connected", reason=str(error) or type(error).__name__, tries=tries)
