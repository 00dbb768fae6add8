"""One API server, ready to be asked: session, credentials that renew themselves, errors as sentences."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Self
from urllib.parse import urlsplit

import aiohttp
import msgspec

from bot.adapters.cluster import auth, kubeconfig
from bot.adapters.cluster.access import Access, read_token
from bot.adapters.cluster.errors import RefusedError
from bot.adapters.cluster.proxy import is_loopback
from bot.domain.errors import ConfigError

CONNECT_SECONDS = 10.0
TOKEN_FILE_SECONDS = 60.0  # how old a token from a file may get, as in client-go
RENEWAL_SECONDS = 10.0  # a server that refuses everything must not keep an exec plugin busy
SKEW = timedelta(minutes=5)  # credentials are renewed that long before they end
_STREAM_BUFFER_BYTES = 2**20
_PAGE_BUFFER_BYTES = 2**23  # more than a page has, so that reading it is never paused


class _Status(msgspec.Struct):
    """metav1.Status, the body of every refusal."""

    reason: str | None = ""
    message: str | None = ""


class Connection:
    """Made by `from_kubeconfig`, `in_cluster` or `default`. Belongs to one event loop; `close` it at the end.

    `load` reads the credentials afresh; it is called again before they end and once when the server says 401.
    """

    def __init__(self, access: Access, load: Callable[[], Awaitable[Access]] | None = None) -> None:
        self._access = access
        self._load = load
        self._lock = asyncio.Lock()
        self._session: aiohttp.ClientSession | None = None
        self._token_read_at: float | None = None
        self._renewed_at: float | None = None
        self._renewal_failed = ""  # why, if the last one did
        local = is_loopback(urlsplit(access.base_url).hostname or "")
        self._near = local or access.described == auth.SERVICE_ACCOUNT_WORDS  # there gzip costs more than it saves

    @property
    def base_url(self) -> str:
        return self._access.base_url

    @property
    def namespace(self) -> str:
        return self._access.namespace

    @property
    def described(self) -> str:
        return self._access.described

    @property
    def access(self) -> Access:
        """As last read. For the writing side, which goes through the official package, and for messages."""
        return self._access

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
        access = await self._current()
        headers = behind or {}
        answer = await self._ask(access, path, params, silence_seconds, stream, headers)
        if answer.status == 401 and self._load is not None and behind is None:
            answer.close()
            renewed = await self._renew(access)
            answer = await self._ask(renewed, path, params, silence_seconds, stream, headers)
        async with answer:
            if answer.status != 200:
                raise await _refusal(answer)
            yield answer

    async def close(self) -> None:
        """Give the sockets back."""
        if self._session is not None:
            await self._session.close()

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

    def _sockets(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, socket_factory=_kept_alive)
            self._session = aiohttp.ClientSession(connector=connector, trust_env=False)
        return self._session

    async def _current(self) -> Access:
        """The credentials, renewed where they are about to end or their file may have changed."""
        access, now = self._access, datetime.now(UTC)
        if access.expires_at is not None and access.expires_at - SKEW <= now:
            try:
                return await self._renew(access)
            except ConfigError:
                if access.expires_at <= now:
                    raise
        if access.token_file is not None:
            await self._reread(access.token_file)
        return self._access

    async def _renew(self, failed: Access) -> Access:
        """One reload for all requests that failed with the same credentials, and no more than one in ten seconds."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._access is not failed or self._load is None:
                return self._access
            if self._renewed_at is not None and now - self._renewed_at < RENEWAL_SECONDS:
                if self._renewal_failed:
                    raise ConfigError(self._renewal_failed)
                return self._access
            self._renewed_at = now
            try:
                self._access = await self._load()
            except ConfigError as error:
                self._renewal_failed = str(error)
                raise
            self._renewal_failed = ""
            return self._access

    async def _reread(self, token_file: str) -> None:
        now = asyncio.get_running_loop().time()
        if self._token_read_at is not None and now - self._token_read_at < TOKEN_FILE_SECONDS:
            return
        self._token_read_at = now
        token = await asyncio.to_thread(read_token, token_file)
        self._access = replace(self._access, headers={**self._access.headers, "Authorization": f"Bearer {token}"})


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


async def _refusal(answer: aiohttp.ClientResponse) -> RefusedError:
    body = await answer.content.read(64 * 1024)
    try:
        status = msgspec.json.decode(body, type=_Status)
    except msgspec.DecodeError:  # a proxy's or load balancer's page
        status = _Status(message=" ".join(body[:200].decode(errors="replace").split()))
    wait = answer.headers.get("Retry-After", "")
    return RefusedError(
        answer.status,
        status.reason or answer.reason or "",
        status.message or "",
        float(wait) if wait.isdigit() else None,
    )


def _kept_alive(address: aiohttp.AddrInfoType) -> socket.socket:
    """The kernel notices within a minute that the other side is gone, however silent a watch is."""
    family, kind, protocol, *_ = address
    made = socket.socket(family=family, type=kind, proto=protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # Linux has all three, other systems some
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made
