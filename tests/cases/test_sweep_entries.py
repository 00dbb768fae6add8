"""What a sweep says of each of the real clusters, in full: the root of the trouble and nothing wrong beside it.

`sweep_entries.txt` was read line by line against the reports. Where a cluster has two entries, both are true and need
something done: D09 (the node without its GPU, and Karpenter's claim that waits for it without a limit), D13 (the job
that Kueue admitted and no node can hold, and those that its quota keeps waiting). With UPDATE_GOLDEN=1 it is written
anew.
"""

import os
from datetime import UTC, datetime
from pathlib import Path

from bot.adapters import files
from bot.gpu.inventory import Inventory
from bot.sweep.sweep import sweep, wanted
from config.settings import Settings
from tests.cases.packed import unpack

GOLDEN = Path(__file__).with_name("sweep_entries.txt")


def entries(folder: Path) -> list[str]:
    """`severity id` of each entry's root, the worst first."""
    loaded = files.read(folder, now=datetime.now(UTC))
    inventory = Inventory(loaded.view, Settings().gpu.policy())
    asked = wanted(loaded.view, inventory, loaded.now)
    found = sweep(loaded.view, inventory, files.FileLooker(loaded).now(asked), loaded.now, asked=asked)
    return [f"{one.severity} {one.root.id}" for one in found.entries]


def test_no_cluster_yields_a_wrong_extra_entry(tmp_path: Path) -> None:
    unpack(tmp_path)
    folders = sorted(file.parent for file in tmp_path.rglob("case.yaml"))
    told = "".join(f"{one.name}: {', '.join(entries(one)) or 'nothing'}\n" for one in folders)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(told, encoding="utf-8")
    assert told == GOLDEN.read_text(encoding="utf-8")
    assert len(folders) == 53
