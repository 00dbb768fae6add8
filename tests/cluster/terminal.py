"""The product as people start it: a process of its own, with nothing of the user's home."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec


class Outcome(NamedTuple):
    """What a process left behind."""

    status: int
    out: str
    errors: str

    @property
    def answer(self) -> dict[str, Any]:
        """Standard output as the JSON of one answer."""
        return dict(msgspec.json.decode(self.out))


async def gpubot(*arguments: str | Path, home: Path) -> Outcome:
    """`gpubot ARGUMENTS` to its end."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", *map(str, arguments), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    out, errors = await process.communicate()
    assert process.returncode is not None
    return Outcome(process.returncode, out.decode(), errors.decode())
