"""Real trouble reports, told as clusters: each question's answer must say what is true and must not say what is not.

`cases.tar.xz` holds one folder a case, and so does `own`; its `case.yaml` holds the questions with patterns. Questions of
commands that do not exist (scaling) are passed over until those do. The question `sweep` is the verb of that name: it
may be twice as long, and has an exit status.
"""

import asyncio
import re
import shutil
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters import files
from bot.cli.sweep import status
from bot.command import Cluster
from bot.dialogue import all_commands, answer, understand
from bot.gpu.inventory import Inventory
from bot.sweep.sweep import sweep, wanted
from bot.views.sweep import show
from bot.views.text import render
from config.settings import Settings
from tests.cases.packed import PACKED, unpack

OWN = Path(__file__).with_name("own")
LONGEST = 4_000
SWEEP = "sweep"
COMMANDS = all_commands()
KNOWN = {command.words[0] for command in COMMANDS} | {SWEEP}


@cache
def questions() -> tuple[tuple[str, dict[str, Any]], ...]:
    """(case, question) of all cases, for commands that exist."""
    with tarfile.open(PACKED) as packed:
        cases = [
            (member.name.split("/")[-2], yaml.safe_load(file))
            for member in packed
            if member.name.endswith("/case.yaml") and (file := packed.extractfile(member))
        ]
    cases += [(file.parent.name, yaml.safe_load(file.read_text())) for file in OWN.glob("*/case.yaml")]
    return tuple(
        (name, question)
        for name, case in sorted(cases, key=lambda one: one[0])
        for question in case["questions"]
        if question["ask"].split()[0] in KNOWN
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("cases")
    unpack(target)
    shutil.copytree(OWN, target, dirs_exist_ok=True)
    return target


def ask(folder: Path, question: str) -> str:
    loaded = files.read(folder, now=datetime.now(UTC))
    inventory = Inventory(loaded.view, Settings().gpu.policy())
    clusters = {"case": Cluster("case", loaded.view, inventory, looker=files.FileLooker(loaded))}
    asked = understand(question, COMMANDS)
    return asyncio.run(answer(asked, clusters, "case", lambda: loaded.now, COMMANDS)).answer.text


def sweep_of(folder: Path) -> tuple[str, int]:
    """Text and exit status."""
    loaded = files.read(folder, now=datetime.now(UTC))
    inventory = Inventory(loaded.view, Settings().gpu.policy())
    asked = wanted(loaded.view, inventory, loaded.now)
    swept = sweep(loaded.view, inventory, files.FileLooker(loaded).now(asked), loaded.now, asked=asked)
    return render(show(swept, loaded.view, loaded.now).document), status(swept)


def faults(question: dict[str, Any], text: str) -> Iterator[str]:
    folded = " ".join(text.split())
    longest = LONGEST * (2 if question["ask"] == SWEEP else 1)
    if len(folded) > longest:
        yield f"{len(folded)} characters are more than {longest}"
    for entry in question.get("must") or ():
        if not any(re.search(pattern, folded) for pattern in entry["any"]):
            yield f"must say: {entry['say']}"
    for entry in question.get("must_not") or ():
        for pattern in entry["any"]:
            if found := re.search(pattern, folded):
                yield f"must not say: {entry['say']} (“{found[0]}”)"


@pytest.mark.parametrize(
    ("name", "question"), [pytest.param(name, one, id=f"{name}: {one['ask']}") for name, one in questions()]
)
def test_the_answer_is_right(folder: Path, name: str, question: dict[str, Any]) -> None:
    if question["ask"] == SWEEP:
        text, ended = sweep_of(folder / name)
        assert ended == question.get("exit", ended), text
    else:
        text = ask(folder / name, question["ask"])
    assert list(faults(question, text)) == [], text
