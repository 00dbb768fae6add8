"""Alertmanager's webhooks: who may send them, how much is read of them, and one clear sentence for what is wrong.

What they say is judged behind `hear` (bot.alerts.outside); here is only what HTTP has to do with it.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
import structlog
from aiohttp import web

from bot.domain.errors import UpstreamError, UsageError

log = structlog.get_logger()
BODY_MAX = 1024 * 1024
READ_SECONDS = 10.0
Hear = Callable[[str, Any], Awaitable[str]]  # cluster and payload; one sentence about what was taken


class RefusedError(Exception):
    """The answer to a request that is not taken."""

    def __init__(self, status: HTTPStatus, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, headers


class Webhook:
    """token_file: read anew each time, so that a token can be changed; without one nothing is taken."""

    def __init__(self, hear: Hear, clusters: Mapping[str, object], usual: str, token_file: str | None) -> None:
        self._hear, self._clusters, self._usual, self._token_file = hear, clusters, usual, token_file

    async def answer(self, request: web.Request) -> web.Response:
        """POST /webhooks/alertmanager, with ?cluster=NAME where it is not about the usual one."""
        try:
            self._admit(request)
            cluster = self._cluster(request)
            payload = decoded(await _body(request))
            return told(HTTPStatus.OK, await self._hear(cluster, payload))
        except RefusedError as error:
            log.warning("a webhook is refused", status=error.status.value, reason=error.sentence)
            return told(error.status, error.sentence, **error.headers)
        except UsageError as error:
            log.warning("a webhook is refused", status=400, reason=str(error))
            return told(HTTPStatus.BAD_REQUEST, str(error))
        except UpstreamError as error:  # Alertmanager tries again what is answered so
            log.warning("a webhook cannot be kept", reason=str(error))
            return told(
                HTTPStatus.SERVICE_UNAVAILABLE, "It cannot be kept now; send it again.", **{"Retry-After": "30"}
            )

    def _admit(self, request: web.Request) -> None:
        expected = _token(self._token_file)
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), expected.encode())
        if scheme.casefold() != "bearer" or not right:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED, "The bearer token is missing or wrong.", **{"WWW-Authenticate": "Bearer"}
            )

    def _cluster(self, request: web.Request) -> str:
        name = request.query.get("cluster", self._usual)
        if name not in self._clusters:
            raise RefusedError(HTTPStatus.NOT_FOUND, "No cluster has that name.")
        return name


def decoded(body: bytes) -> Any:
    """Raises RefusedError for what is no JSON object."""
    try:
        payload = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "The body is no JSON.") from error
    if not isinstance(payload, dict):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "The body is no JSON object, as Alertmanager's webhook is.")
    return payload


def told(status: HTTPStatus, sentence: str, **headers: str) -> web.Response:
    return web.Response(status=status.value, text=f"{sentence}\n", headers=headers)


async def _body(request: web.Request) -> bytes:
    """Raises RefusedError where it is too long, by what it says or by what comes, or does not come at all."""
    too_long = RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is longer than {BODY_MAX:,} bytes.")
    if (request.content_length or 0) > BODY_MAX:
        raise too_long
    found = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for chunk in request.content.iter_chunked(65_536):
                found += chunk
                if len(found) > BODY_MAX:
                    raise too_long
    except TimeoutError as error:
        raise RefusedError(HTTPStatus.REQUEST_TIMEOUT, "The body did not come in time.") from error
    return bytes(found)


def _token(file: str | None) -> str:
    """Raises RefusedError where there is none: an empty token would let everybody in."""
    try:
        expected = Path(file).expanduser().read_text(encoding="utf-8").strip() if file else ""
    except (OSError, UnicodeDecodeError) as error:
        log.error("the webhooks' token cannot be read", file=file, reason=str(error))
        raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, "Webhooks cannot be checked now.") from error
    if not expected:
        raise RefusedError(HTTPStatus.NOT_FOUND, "Webhooks are off: settings name no side.webhook_token_file.")
    return expected
