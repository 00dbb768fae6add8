"""Data files that people edit travel with an installation."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_wheel_carries_them(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="without the build backend no wheel can be made")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=60,
    )
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    program = (
        "import bot; from bot.gpu import xid; from bot.serving.matrix import matrix\n"
        "print(bot.__file__, xid.of(94).buckets, 580 in matrix().branches)"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site")}
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=30
    )
    assert told.stdout == f"{tmp_path}/site/bot/__init__.py RESTART_APP, then IGNORE True\n", told.stderr
