"""Whole clusters, captured: what is broken is one incident for each root, and healthy ones with look-alikes none."""

import argparse
import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.cli import source
from bot.domain.evidence import NO_EVIDENCE
from bot.domain.incident import Book
from bot.gpu.inventory import Inventory
from bot.gpu.policy import USUAL
from bot.incidents.looking import look_of
from bot.sweep.sweep import KINDS, sweep, wanted
from tests.alerts.building import RULES
from tests.cases.packed import unpack
from tests.incidents.building import decide

CAUSES = {
    "OK1": [],
    "OK2": [],
    "OK3": [],
    "D21": ["admission.webhook-unreachable"],
    "D25": ["fabric.manager"],
    "D35": ["driver.hangs"],
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cases")
    unpack(place, CAUSES)
    return place


@pytest.mark.parametrize("case", CAUSES)
def test_incidents_of_a_captured_cluster(folders: Path, case: str) -> None:
    parser = argparse.ArgumentParser()
    source.arguments(parser)
    opened = source.open_source(parser.parse_args(["--from", str(folders / case)]), KINDS)
    inventory = Inventory(opened.view, USUAL)
    asked = wanted(opened.view, inventory, opened.now)
    evidence = asyncio.run(opened.looker.look(asked, 20)) if opened.looker and asked else NO_EVIDENCE
    found = sweep(opened.view, inventory, evidence, opened.now, asked=asked)
    look = look_of(found, opened.view, USUAL, asked, evidence, opened.now)
    book = Book(cluster="prod")
    for step in range(6):
        book = decide(look, RULES, opened.now + timedelta(seconds=30 * step))(book)
    assert [one.content.cause for one in book.incidents.values()] == CAUSES[case]
