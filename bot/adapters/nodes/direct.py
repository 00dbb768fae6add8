"""Asking a pod at its own address."""

import asyncio
import ssl

import httpx

from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.asked import Asked, refused
from bot.adapters.nodes.told import NotToldError, too_late, too_long
from bot.adapters.nodes.transport import OneShot
from bot.domain.text import inert

REFUSAL_BYTES = 2_000


class Direct:
    """One client for as long as it is open. No proxy of the environment gets to see the token, no redirect either."""

    def __init__(self, access: NodeAccess, token: str, tls: ssl.SSLContext | None) -> None:
        self._access, self._token = access, token
        self._client = httpx.AsyncClient(
            transport=OneShot(tls),
            trust_env=False,
            follow_redirects=False,
            headers={"Accept": "*/*", "Accept-Encoding": "identity"},
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, asked: Asked, seconds: float, connect_seconds: float) -> bytes:
        """The whole body within that time, however slowly it comes. Raises NotToldError."""
        try:
            async with asyncio.timeout(seconds):
                return await self._body(asked, httpx.Timeout(seconds, connect=connect_seconds))
        except httpx.ConnectTimeout as error:
            raise NotToldError(f"{asked.place} cannot be reached", out_of_reach=True) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise too_late(seconds) from error
        except httpx.ConnectError as error:
            raise _unreached(asked, error) from error
        except httpx.HTTPError as error:  # a connection that broke off, something that is no HTTP
            raise NotToldError(f"{asked.place} breaks off: {inert(str(error)) or type(error).__name__}") from error

    async def _body(self, asked: Asked, timeout: httpx.Timeout) -> bytes:
        scheme, token = (self._access.scheme, self._token) if asked.ours else ("http", "")
        request = self._client.build_request(
            "GET",
            f"{scheme}://{asked.place}/{asked.page}",
            headers={"Authorization": f"Bearer {token}"} if token else None,
            timeout=timeout,
            extensions={"sni_hostname": self._access.server_name} if scheme == "https" else None,
        )
        answer = await self._client.send(request, stream=True)
        try:
            if answer.status_code != 200:
                words = await _read(answer, REFUSAL_BYTES, whole=False)
                raise refused(asked, answer.status_code, words.decode("utf-8", "replace"), with_token=bool(token))
            if answer.headers.get("Content-Encoding", "identity") != "identity":
                raise NotToldError("the answer is compressed, which was not asked for")
            return await _read(answer, asked.at_most)
        finally:
            await answer.aclose()


async def _read(answer: httpx.Response, at_most: int, *, whole: bool = True) -> bytes:
    """As it came on the wire: nothing that is small there becomes large here."""
    data = bytearray()
    async for chunk in answer.aiter_raw():
        data += chunk
        if len(data) > at_most:
            if whole:
                raise too_long(at_most)
            break
    return bytes(data[:at_most])


def _unreached(asked: Asked, error: httpx.ConnectError) -> NotToldError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return NotToldError(f"the certificate of {asked.place} is not accepted: {inert(cause.verify_message)}")
        if isinstance(cause, ssl.SSLError):
            return NotToldError(f"{asked.place} does not speak TLS as nodes.ca_file and its like say")
        if isinstance(cause, ConnectionRefusedError):
            return NotToldError(f"nothing listens at {asked.place}", out_of_reach=True)
        cause = cause.__cause__ or cause.__context__
    return NotToldError(f"{asked.place} cannot be reached", out_of_reach=True)
