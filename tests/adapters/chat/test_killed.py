"""A real process, really killed, in the middle of a storm: what it said and what it did not say is known to the next."""

import asyncio
import os
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from bot.adapters.store import Store
from bot.adapters.store.posts import Outbox
from bot.domain.posting import Lag
from bot.local.workspace import Workspace
from tests.adapters.chat.building import NOW, a_post, a_reply
from tests.slack.conftest import SETUP

KILLS = int(os.environ.get("GPUBOT_TEST_KILLS", "2"))
ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("posting_process.py")


async def test_nothing_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    url, chance = f"sqlite+aiosqlite:///{tmp_path}/posts.db", random.Random(4)
    workspace = Workspace(replace(SETUP, bot_channels=("C0OPS",)))
    await workspace.start()
    store = await Store.open(url)
    box, recorded = Outbox(store), 0
    for _ in range(KILLS):
        recorded = await _recorded(box, recorded)
        one = await _started(url, workspace.api_url)
        await asyncio.sleep(chance.uniform(0.02, 0.3))
        one.kill()
        await one.wait()
    last = await _started(url, workspace.api_url)
    async with asyncio.timeout(40 + 3 * KILLS):
        while await box.lag(NOW) != Lag():  # noqa: ASYNC110  # another process empties it, and rings no bell here
            await asyncio.sleep(0.05)
    last.kill()
    await last.wait()
    await store.close()
    roots = workspace.messages("C0OPS", "U0ANA")
    assert Counter(one.metadata["event_payload"]["key"] for one in roots) == {f"k{n}": 1 for n in range(recorded)}
    for root in roots:
        thread = [one.text for one in workspace.messages("C0OPS", "U0ANA", thread_ts=root.ts)]
        assert thread == ["it burns", "1", "2"]
    await workspace.stop()


async def _recorded(box: Outbox, so_far: int) -> int:
    """Twenty more threads."""
    for number in range(so_far, so_far + 20):
        await box.put([a_post(f"k{number}"), a_reply("1", f"k{number}"), a_reply("2", f"k{number}")], NOW)
    return so_far + 20


async def _started(url: str, base_url: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    one = await asyncio.create_subprocess_exec(sys.executable, str(PROGRAM), url, base_url, cwd=ROOT, stdout=pipe)
    assert one.stdout is not None
    async with asyncio.timeout(30):
        assert await one.stdout.readline() == b"ready\n"
    return one
