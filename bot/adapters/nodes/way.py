"""Which way a pod is asked: directly, through the API server, or whichever works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from bot.adapters.cluster.connection import Connection
from bot.adapters.nodes.access import NodeAccess, Via
from bot.adapters.nodes.asked import Asked
from bot.adapters.nodes.proxied import Proxied
from bot.adapters.nodes.told import NotToldError

if TYPE_CHECKING:
    from bot.adapters.nodes.direct import Direct

CONNECT_SHARE = 1 / 3  # of the time, where there is another way to try afterwards
REMEMBERED_SECONDS = 300.0


class Way:
    """Remembers for a while that the pods' network is out of reach: the API server reached what we could not."""

    def __init__(self, connection: Connection, access: NodeAccess) -> None:
        self.connection, self.access = connection, access
        self.proxy_until = 0.0  # by the event loop's clock

    def prepare(self) -> None:
        """Load what `opened` will need."""
        if self.access.via is not Via.PROXY:
            import_module("bot.adapters.nodes.direct")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Asking"]:
        """Reads token and certificates. Raises ConfigError."""
        token = self.access.token()
        proxied = Proxied(self.connection, self.access, token)
        if self.access.via is Via.PROXY:
            yield Asking(self, None, proxied)
            return
        from bot.adapters.nodes.direct import Direct  # httpx takes a while to load, and many questions need none

        direct = Direct(self.access, token, self.access.tls())
        try:
            yield Asking(self, direct, proxied)
        finally:
            await direct.close()


class Asking:
    """Ways that are open, for one look or one sweep."""

    def __init__(self, way: Way, direct: "Direct | None", proxied: Proxied) -> None:
        self._way, self._direct, self._proxied = way, direct, proxied

    async def ask(self, asked: Asked, seconds: float) -> bytes:
        """Raises NotToldError."""
        if self._direct is None or asked.secure:
            return await self._proxied.ask(asked, seconds)
        if self._way.access.via is Via.DIRECT:
            return await self._direct.ask(asked, seconds, seconds)
        clock = asyncio.get_running_loop().time
        if clock() < self._way.proxy_until:
            return await self._proxied.ask(asked, seconds)
        until = clock() + seconds
        try:
            return await self._direct.ask(asked, seconds, seconds * CONNECT_SHARE)
        except NotToldError as error:
            if not error.out_of_reach:
                raise
            return await self._otherwise(asked, until - clock(), error)

    async def _otherwise(self, asked: Asked, seconds: float, before: NotToldError) -> bytes:
        try:
            data = await self._proxied.ask(asked, seconds)
        except NotToldError as error:
            raise NotToldError(f"{before}; through the API server: {error}") from error
        self._way.proxy_until = asyncio.get_running_loop().time() + REMEMBERED_SECONDS
        return data
