"""Reading a whole kind in pages, the next one on its way while this one is decoded."""

import asyncio
import re
from collections.abc import AsyncIterator

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.decoding import DecodedPage, decode_page
from bot.adapters.cluster.errors import RefusedError
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.pace import Pace

GONE = 410
_HEAD_BYTES = 2048
_TOKEN = re.compile(rb'"continue":"([^"\\]+)"')


async def read_pages(connection: Connection, kind: AnyKind, path: str, pace: Pace) -> AsyncIterator[DecodedPage]:
    """All pages of one list, in order; the version of the last one is where a watch starts.

    resourceVersion is left unset: the answer is current, and from 1.31 it comes from the API server's cache.
    Raises RefusedError; status 410 means that the list took longer than its snapshot lives: start over.
    """
    ahead = asyncio.create_task(_fetch(connection, path, "", pace))
    try:
        while True:
            body = await ahead
            guess = _token_in_head(body)
            if guess:
                ahead = asyncio.create_task(_fetch(connection, path, guess, pace))
                await asyncio.sleep(0)  # lets the request leave before the decoding starts
            page = decode_page(kind, body)
            del body
            yield page
            if not page.more:
                return
            if page.more != guess:  # the server writes its metadata elsewhere
                ahead.cancel()
                ahead = asyncio.create_task(_fetch(connection, path, page.more, pace))
    finally:
        ahead.cancel()
        await asyncio.gather(ahead, return_exceptions=True)


async def _fetch(connection: Connection, path: str, token: str, pace: Pace) -> bytes:
    params = {"limit": str(pace.page_limit)} if pace.page_limit else {}
    if token:
        params["continue"] = token
    async with connection.get(path, params, silence_seconds=pace.list_seconds) as answer:
        return await answer.read()


def _token_in_head(body: bytes) -> str:
    """A list's metadata usually comes before its items. Only a guess: the decoded page has the last word."""
    found = _TOKEN.search(body, 0, _HEAD_BYTES)
    return found[1].decode() if found else ""


def is_gone(error: Exception) -> bool:
    """Whether the version or token is too old for the server."""
    return isinstance(error, RefusedError) and error.status == GONE
