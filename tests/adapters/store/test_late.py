"""A database that is not there yet is opened when it is there."""

import asyncio
from pathlib import Path

import pytest

from bot.adapters.store import StoreUnavailableError
from bot.adapters.store.deliveries import Deliveries
from bot.adapters.store.late import LateStore
from bot.adapters.store.posts import Outbox
from bot.domain.errors import ConfigError
from tests.adapters.chat.building import NOW, a_post
from tests.adapters.store import sql


async def test_nothing_is_done_before_it_is_used(url: str, file: Path) -> None:
    store = LateStore.at(url)
    assert not _there(file)
    await Outbox(store).put((a_post(),), NOW)
    assert sql.count(file, "post") == 1
    await store.close()


async def test_it_is_opened_when_its_place_can_be_had(tmp_path: Path) -> None:
    blocked = tmp_path / "folder"
    blocked.write_text("no folder")
    store = LateStore.at(f"sqlite+aiosqlite:///{blocked}/history.db")
    box = Outbox(store)
    with pytest.raises(StoreUnavailableError):
        await box.put((a_post(),), NOW)
    blocked.unlink()
    await box.put((a_post(),), NOW)
    assert (await box.lag(NOW)).waiting == 1
    await store.close()


async def test_tables_of_a_newer_program_are_left_alone(url: str, file: Path) -> None:
    first = LateStore.at(url)
    await Outbox(first).lag(NOW)
    await first.close()
    sql.run(file, "UPDATE gpubot_schema SET version_num = '9999'")
    store = LateStore.at(url)
    with pytest.raises(StoreUnavailableError, match="made by a newer gpubot"):
        await Outbox(store).put((a_post(),), NOW)
    await store.close()


def test_a_wrong_url_ends_the_start() -> None:
    with pytest.raises(ConfigError):
        LateStore.at("mysql://somewhere/else")


async def test_many_at_once_open_it_once(url: str) -> None:
    store = LateStore.at(url)
    box = Outbox(store)
    await asyncio.gather(*(box.put((a_post(f"k{number}"),), NOW) for number in range(8)))
    assert (await box.lag(NOW)).waiting == 8
    await store.close()


async def test_a_delivery_is_the_first_once_also_for_another_process(url: str) -> None:
    store = LateStore.at(url)
    assert await Deliveries(store).is_first("C1:1.1", NOW)
    assert not await Deliveries(store).is_first("C1:1.1", NOW)
    await store.close()
    again = LateStore.at(url)
    assert not await Deliveries(again).is_first("C1:1.1", NOW)
    assert await Deliveries(again).is_first("C1:1.2", NOW)
    await again.close()


def _there(file: Path) -> bool:
    return file.exists()
