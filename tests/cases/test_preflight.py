"""The gate over real trouble reports: a broken node chain ends it with 1, healthy clusters full of odd things with 0.

A card whose memory cannot be repaired, one that hangs and one that is throttled by its power supply are among the broken.
"""

from pathlib import Path

import pytest

from bot.cli.entry import run
from tests.cases.packed import unpack

BROKEN = {
    "D01": "plugin",
    "D02": "resource",
    "D04": "resource",
    "D05": "resource",
    "D09": "resource",
    "D19": "runtime",
    "D22": "driver",
    "D24": "driver",
    "D25": "driver",
    "D26": "cuda",
    "D35": "driver",
    "D36": "driver",
    "D37": "driver",
    "D40": "driver",
}
HEALTHY = ("OK1", "OK2", "OK3")
# Trouble of pods, queues and volumes: the nodes themselves are ready.
NOT_OF_NODES = ("D13", "D18", "D27", "D30", "D41", "D49")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("preflight")
    unpack(target, {*BROKEN, *HEALTHY, *NOT_OF_NODES})
    return target


@pytest.mark.parametrize(("case", "point"), BROKEN.items(), ids=BROKEN)
def test_a_broken_node_chain_closes_the_gate(
    folder: Path, capsys: pytest.CaptureFixture[str], case: str, point: str
) -> None:
    assert run(["preflight", "--from", str(folder / case)]) == 1
    assert f" ({point})" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("case", [*HEALTHY, *NOT_OF_NODES])
def test_what_is_no_fault_of_a_node_leaves_it_open(folder: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    assert run(["preflight", "--from", str(folder / case)]) == 0
    assert "Not OK" not in capsys.readouterr().out
