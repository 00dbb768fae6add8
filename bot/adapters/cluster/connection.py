"""One API server, ready to be asked: session, credentials that renew themselves, errors as sentences."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import urlsplit

import aiohttp

from bot.adapters.cluster import auth, kubeconfig
from bot.adapters.cluster.access import Access
from bot.adapters.cluster.answered import Answered, read, refusal
from bot.adapters.cluster.credentials import Credentials
from bot.adapters.cluster.errors import RefusedError
from bot.adapters.cluster.outgoing import Outgoing
from bot.adapters.cluster.proxy import is_loopback
from bot.domain.errors import ConfigError

CONNECT_SECONDS = 10.0
USER_AGENT = "gpubot"  # what the API server's audit log has beside the account
_STREAM_BUFFER_BYTES = 2**20
_PAGE_BUFFER_BYTES = 2**23  # more than a page has, so that reading it is never paused


class Connection:
    """Made by `from_kubeconfig`, `in_cluster` or `default`. Belongs to one event loop; `close` it at the end.

    `load` reads the credentials afresh; it is called again before they end and once when the server says 401.
    """

    def __init__(self, access: Access, load: Callable[[], Awaitable[Access]] | None = None) -> None:
        self._credentials = Credentials(access, load)
        self._session: aiohttp.ClientSession | None = None
        self._fresh_session: aiohttp.ClientSession | None = None
        local = is_loopback(urlsplit(access.base_url).hostname or "")
        self._near = local or access.described == auth.SERVICE_ACCOUNT_WORDS  # there gzip costs more than it saves

    @property
    def base_url(self) -> str:
        return self.access.base_url

    @property
    def namespace(self) -> str:
        return self.access.namespace

    @property
    def described(self) -> str:
        return self.access.described

    @property
    def access(self) -> Access:
        """As last read. For messages."""
        return self._credentials.access

    @asynccontextmanager
    async def get(
        self,
        path: str,
        params: Mapping[str, str],
        *,
        silence_seconds: float,
        stream: bool = False,
        behind: Mapping[str, str] | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A 200 answer to GET, which may not be silent for longer than `silence_seconds`.

        A `stream` is read as it comes: uncompressed, since a compressor would hold its last lines back.
        `behind` are headers for a pod that the API server passes the request on to; a 401 may be that pod's then, and
        is no reason to renew credentials.
        Raises RefusedError for any other answer, ConfigError where credentials cannot be had, and aiohttp's errors.
        """
        access = await self._credentials.current()
        headers = behind or {}
        answer = await self._ask(access, path, params, silence_seconds, stream, headers)
        if answer.status == 401 and self._credentials.renewable and behind is None:
            answer.close()
            renewed = await self._credentials.renewed(access)
            answer = await self._ask(renewed, path, params, silence_seconds, stream, headers)
        async with answer:
            if answer.status != 200:
                raise await refusal(answer)
            yield answer

    @asynccontextmanager
    async def streamed(self, request: Outgoing, *, silence_seconds: float) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer of whoever is behind a proxy to a request with a body, read as it comes, whatever its status."""
        access = await self._credentials.current()
        async with self._sockets().request(
            request.method,
            access.base_url + request.path,
            params=request.params,
            data=request.encoded,
            headers={"Content-Type": request.content_type, **access.headers, "Accept-Encoding": "identity"},
            ssl=access.tls or True,
            server_hostname=access.server_name,
            proxy=access.proxy,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=silence_seconds),
            allow_redirects=False,
        ) as answer:
            yield answer

    async def send(self, request: Outgoing, *, timeout_seconds: float, once: bool = True) -> Answered:
        """A 2xx answer to a request with a body, read whole within `timeout_seconds`.

        It is sent `once`: over a socket of its own, since one that was kept open may have been closed by the other
        side in silence, and then nobody knows whether the request arrived. A 401 is asked again with new credentials:
        nothing was done. Raises as `get` does.
        """
        access = await self._credentials.current()
        answered = await self._send(access, request, timeout_seconds, once)
        if isinstance(answered, RefusedError) and answered.status == 401 and self._credentials.renewable:
            answered = await self._send(await self._credentials.renewed(access), request, timeout_seconds, once)
        if isinstance(answered, RefusedError):
            raise answered
        return answered

    async def close(self) -> None:
        """Give the sockets back."""
        for session in (self._session, self._fresh_session):
            if session is not None:
                await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _ask(
        self,
        access: Access,
        path: str,
        params: Mapping[str, str],
        silence_seconds: float,
        stream: bool,
        headers: Mapping[str, str],
    ) -> aiohttp.ClientResponse:
        encoding = "identity" if stream or self._near else "gzip"
        return await self._sockets().get(
            access.base_url + path,
            params=params,
            headers={"Accept": "application/json", **headers, **access.headers, "Accept-Encoding": encoding},
            ssl=access.tls or True,
            server_hostname=access.server_name,
            proxy=access.proxy,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=silence_seconds),
            read_bufsize=_STREAM_BUFFER_BYTES if stream else _PAGE_BUFFER_BYTES,
            allow_redirects=False,
        )

    async def _send(
        self, access: Access, request: Outgoing, timeout_seconds: float, once: bool
    ) -> Answered | RefusedError:
        said = {"Accept": "application/json", "Content-Type": request.content_type, "User-Agent": USER_AGENT}
        async with (self._fresh_sockets() if once else self._sockets()).request(
            request.method,
            access.base_url + request.path,
            params=request.params,
            data=request.encoded,
            headers=[*said.items(), *request.headers, *access.headers.items()],
            ssl=access.tls or True,
            server_hostname=access.server_name,
            proxy=access.proxy,
            timeout=aiohttp.ClientTimeout(total=timeout_seconds, sock_connect=CONNECT_SECONDS),
            allow_redirects=False,
        ) as answer:
            return await read(answer)

    def _sockets(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, socket_factory=_kept_alive)
            self._session = aiohttp.ClientSession(connector=connector, trust_env=False)
        return self._session

    def _fresh_sockets(self) -> aiohttp.ClientSession:
        if self._fresh_session is None:
            connector = aiohttp.TCPConnector(limit=0, force_close=True, socket_factory=_kept_alive)
            self._fresh_session = aiohttp.ClientSession(connector=connector, trust_env=False)
        return self._fresh_session


async def from_kubeconfig(path: str | None = None, context: str | None = None) -> Connection:
    """As kubectl: KUBECONFIG or ~/.kube/config where no path is given. Raises ConfigError."""
    paths = [path] if path else kubeconfig.default_paths()

    async def load() -> Access:
        return await auth.from_kubeconfig(paths, context)

    return Connection(await load(), load)


async def in_cluster() -> Connection:
    """With the service account of the pod that this process runs in. Raises ConfigError."""
    return Connection(await auth.in_cluster(), auth.in_cluster)


async def default(context: str | None = None) -> Connection:
    """A kubeconfig where there is one, else the pod's service account. Raises ConfigError."""
    if auth.is_in_cluster() and context is None and not kubeconfig.exists(kubeconfig.default_paths()):
        return await in_cluster()
    return await from_kubeconfig(None, context)


def plain(base_url: str) -> Connection:
    """An API server without authentication: the embedded one, or `kubectl proxy`. Raises ConfigError."""
    if not base_url.startswith("http://"):
        raise ConfigError(f"{base_url} is no http:// address: name a kubeconfig instead.")
    return Connection(Access(base_url=base_url.rstrip("/"), described=f"the address {base_url}"))


def _kept_alive(address: aiohttp.AddrInfoType) -> socket.socket:
    """The kernel notices within a minute that the other side is gone, however silent a watch is."""
    family, kind, protocol, *_ = address
    made = socket.socket(family=family, type=kind, proto=protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # Linux has all three, other systems some
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made
