"""The credentials of one connection as they are now: renewed before they end, and when the server refuses them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.adapters.cluster.access import Access, read_token
from bot.domain.errors import ConfigError

TOKEN_FILE_SECONDS = 60.0  # how old a token from a file may get, as in client-go
RENEWAL_SECONDS = 10.0  # a server that refuses everything must not keep an exec plugin busy
SKEW = timedelta(minutes=5)  # credentials are renewed that long before they end


class Credentials:
    """`load` reads them afresh; it is called before they end and once when the server says 401."""

    def __init__(self, access: Access, load: Callable[[], Awaitable[Access]] | None) -> None:
        self._access = access
        self._load = load
        self._lock = asyncio.Lock()
        self._token_read_at: float | None = None
        self._renewed_at: float | None = None
        self._renewal_failed = ""  # why, if the last one did

    @property
    def access(self) -> Access:
        """As last read."""
        return self._access

    @property
    def renewable(self) -> bool:
        return self._load is not None

    async def current(self) -> Access:
        """Renewed where they are about to end or their file may have changed. Raises ConfigError."""
        access, now = self._access, datetime.now(UTC)
        if access.expires_at is not None and access.expires_at - SKEW <= now:
            try:
                return await self.renewed(access)
            except ConfigError:
                if access.expires_at <= now:
                    raise
        if access.token_file is not None:
            await self._reread(access.token_file)
        return self._access

    async def renewed(self, failed: Access) -> Access:
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
