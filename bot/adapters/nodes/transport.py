"""The wire under httpx's client: aiohttp, one connection for one request.

httpx's own wire (httpcore) takes four to five times the CPU for a new connection to each of a thousand agents, and goes
through its whole pool for each; aiohttp is there anyway, for the API server.
"""

import ssl
from collections.abc import AsyncIterator

import aiohttp
import httpx


class OneShot(httpx.AsyncBaseTransport):
    """Raises httpx's errors, with aiohttp's as their cause."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        limits = request.extensions.get("timeout", {})
        try:
            answer = await self._sockets().request(
                request.method,
                str(request.url),
                headers=request.headers.multi_items(),
                ssl=self._tls if self._tls is not None else True,
                server_hostname=request.extensions.get("sni_hostname"),
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=limits.get("connect"), sock_read=limits.get("read")
                ),
                allow_redirects=False,
            )
        except (aiohttp.ClientError, OSError) as error:
            raise _as_httpx(error) from _cause(error)
        return httpx.Response(answer.status, headers=list(answer.raw_headers), stream=_Body(answer))

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _sockets(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, force_close=True)
            self._session = aiohttp.ClientSession(connector=connector, auto_decompress=False, trust_env=False)
        return self._session


class _Body(httpx.AsyncByteStream):
    """The body as it comes; what was not read when it is closed is never read."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._answer.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, OSError) as error:
            raise _as_httpx(error) from error

    async def aclose(self) -> None:
        self._answer.close()


def _cause(error: Exception) -> BaseException:
    """What the TLS library itself said of a certificate, which is more than aiohttp repeats."""
    return error.certificate_error if isinstance(error, aiohttp.ClientConnectorCertificateError) else error


def _as_httpx(error: Exception) -> httpx.TransportError:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return httpx.ConnectTimeout(str(error))
    if isinstance(error, TimeoutError):
        return httpx.ReadTimeout(str(error))
    if isinstance(error, aiohttp.ClientConnectorError):
        return httpx.ConnectError(str(error))
    return httpx.RemoteProtocolError(str(error) or type(error).__name__)
