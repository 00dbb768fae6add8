"""`gpubot audit`: verified in the database and in an export, and an exit status that a script can go by."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.store import Store
from bot.adapters.store.changes import Changes
from bot.domain.audit import AuditEvent, Happened
from tests.access.building import BEN, NOW, a_person, a_plan, minutes
from tests.adapters.store import sql
from tests.cli.conftest import Ran

Gpubot = Callable[..., Ran]


async def _filled(url: str) -> None:
    store = await Store.open(url)
    changes = Changes(store)
    await changes.propose(a_plan(because="“zwölf”\nlines"), a_person(), 1, minutes(30), "prod", NOW)
    for number in range(3):
        await changes.audit(AuditEvent(what=Happened.CLICK_STALE, at=NOW, person=BEN, says=f"late {number}"))
    await store.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "history.db"
    asyncio.run(_filled(f"sqlite:///{file}"))
    return file


def test_a_chain_that_holds(gpubot: Gpubot, file: Path) -> None:
    ran = gpubot("audit", "verify", "--store", f"sqlite+aiosqlite:///{file}")
    assert ran.status == 0, ran.err
    assert ran.out.startswith("All 4 rows of the audit hold. The last one's digest: ")


def test_a_row_that_was_changed_is_named(gpubot: Gpubot, file: Path) -> None:
    sql.run(file, "UPDATE audit SET body = replace(body, 'late 1', 'soon 1') WHERE number = 3")
    ran = gpubot("audit", "verify", "--store", f"sqlite:///{file}")
    assert ran.status == 1
    assert "does not hold: row 3" in ran.err
    assert gpubot("audit", "export", "--store", f"sqlite:///{file}").status == 1, "an export says so, too"


def test_an_export_is_one_line_of_json_a_row_and_can_be_verified(gpubot: Gpubot, file: Path, tmp_path: Path) -> None:
    ran = gpubot("audit", "export", "--store", f"sqlite:///{file}")
    assert (ran.status, ran.err) == (0, "")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [row["row"]["number"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["row"]["event"]["facts"]["because"] == "“zwölf”\nlines"
    exported = tmp_path / "audit.jsonl"
    exported.write_text(ran.out, encoding="utf-8")
    held = gpubot("audit", "verify", "--from", str(exported), "--expect", rows[1]["digest"])
    assert held.status == 0, held.err
    exported.write_text(ran.out.replace("late 0", "soon 0"), encoding="utf-8")
    broken = gpubot("audit", "verify", "--from", str(exported))
    assert (broken.status, "row 2" in broken.err) == (1, True)
    exported.write_text(ran.out + "not json\n", encoding="utf-8")
    assert "row 5" in gpubot("audit", "verify", "--from", str(exported)).err


def test_a_digest_from_before_must_still_be_there(gpubot: Gpubot, file: Path) -> None:
    told = gpubot("audit", "verify", "--store", f"sqlite:///{file}").out.split()[-1]
    assert gpubot("audit", "verify", "--store", f"sqlite:///{file}", "--expect", told).status == 0
    other = gpubot("audit", "verify", "--store", f"sqlite:///{file}", "--expect", "f" * 64)
    assert other.status == 1
    assert "they are not those of then" in other.err


def test_a_row_that_cannot_be_read_is_exported_as_such(gpubot: Gpubot, file: Path) -> None:
    sql.run(file, "UPDATE audit SET body = x'ff00' WHERE number = 2")
    ran = gpubot("audit", "export", "--store", f"sqlite:///{file}")
    assert ran.status == 1
    assert json.loads(ran.out.splitlines()[1])["unreadable"] == r"b'\xff\x00'"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        pytest.param(["verify"], 3, "There is no database", id="no database, which is not made then"),
        pytest.param(["verify", "--from", "/not/there"], 3, "/not/there cannot be read", id="no export"),
        pytest.param(["export", "--from", "x"], 3, "belong to `gpubot audit verify`", id="an export of an export"),
        pytest.param(["burn"], 3, "invalid choice", id="something else"),
        pytest.param(["verify", "--store", "oracle://x"], 3, "cannot be oracle", id="another database"),
    ],
)
def test_wrong_use(gpubot: Gpubot, arguments: list[str], status: int, said: str) -> None:
    ran = gpubot("audit", *arguments)
    assert (ran.status, said in ran.err) == (status, True), ran.err


def test_the_settings_name_the_database(gpubot: Gpubot, file: Path, tmp_path: Path) -> None:
    config = tmp_path / "gpubot.yaml"
    config.write_text(f"store: {{url: 'sqlite+aiosqlite:///{file}'}}\n")
    assert gpubot("audit", "verify", "--config", str(config)).status == 0
