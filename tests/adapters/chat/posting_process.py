"""A process that posts what is recorded, quicker than in earnest, until it is killed. Arguments: database, Slack."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import aiohttp

from bot.adapters.chat import pace
from bot.adapters.chat.poster import Poster
from bot.adapters.chat.speaker import Speaker
from bot.adapters.store import Store
from bot.adapters.store.posts import Outbox
from bot.slack.connection import check, plain_client

QUICK = timedelta(milliseconds=1)


def now() -> datetime:
    return datetime.now(UTC)


async def main(url: str, base_url: str) -> None:
    for name in ("OF_A_CHANNEL", "OF_EDITS", "OF_ONE_MESSAGE"):
        setattr(pace, name, QUICK)
    store = await Store.open(url)
    async with aiohttp.ClientSession() as session:
        client = plain_client("xoxb-local", base_url, session)
        poster = Poster(Outbox(store), Speaker(client, (await check(client)).user), now)
        print("ready", flush=True)
        while True:
            await poster.step()
            await asyncio.sleep(0.001)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
