"""One complete list of a kind put into the view, whatever version of the API the server has."""

import asyncio
from dataclasses import replace

from bot.adapters.cluster.decoding import records
from bot.adapters.cluster.errors import RefusedError
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.reader import is_gone, read_pages
from bot.adapters.cluster.replacement import Replacement
from bot.adapters.cluster.target import Target

_AT_ONCE = 200  # objects; then the event loop gets its turn
_RESTARTS = 3  # a list that outlives its snapshot that often is asked for in one piece, as client-go's pager does


async def list_into(target: Target, kind: AnyKind, scope: str, odd: dict[str, str]) -> tuple[str, str]:
    """The path that worked and the list's version. `odd` becomes the keys of what could not be read, and why.

    Raises RefusedError and whatever else reading can raise; then the view still has what it had.
    """
    for version in kind.versions[:-1]:
        try:
            return await _restarting(target, kind, kind.path(version, scope), scope, odd)
        except RefusedError as error:
            if error.status != 404:
                raise
    return await _restarting(target, kind, kind.path(kind.versions[-1], scope), scope, odd)


async def _restarting(target: Target, kind: AnyKind, path: str, scope: str, odd: dict[str, str]) -> tuple[str, str]:
    for _ in range(_RESTARTS):
        try:
            return path, await _once(target, kind, path, scope, odd)
        except RefusedError as error:
            if not is_gone(error):
                raise
    whole = replace(target, pace=replace(target.pace, page_limit=0))
    return path, await _once(whole, kind, path, scope, odd)


async def _once(target: Target, kind: AnyKind, path: str, scope: str, odd: dict[str, str]) -> str:
    replacement = Replacement(target.view, kind.name, scope)
    found: dict[str, str] = {}
    version = ""
    async for page in read_pages(target.connection, kind, path, target.pace):
        found |= page.odd
        version = page.version
        for start in range(0, len(page.items), _AT_ONCE):
            await asyncio.sleep(0)
            part = page.items[start : start + _AT_ONCE]
            for key, record in records(kind, part, target.shared, replacement.known, found):
                replacement.add(key, record)
        page.items.clear()  # they hold on to the page's bytes, and the next page is about to be decoded
    await replacement.finish(keep=set(found))
    odd.clear()
    odd.update(found)
    return version
