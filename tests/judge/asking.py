"""The judge as a process: a cluster a line goes in, an answer a line comes out, both sides at work at once."""

import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

Draw = Callable[[int], list[dict[str, Any]]]
NICENESS = 10


class JudgeError(Exception):
    """The judge ended, with what it said last. Mostly: an object that an API server would refuse."""


def answers(judge: Path, first_seed: int, draw: Draw) -> Iterator[bytes]:
    """The judge's answers on the clusters of `first_seed`, the next one, and so on until the caller stops. JudgeError."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            ["nice", "-n", str(NICENESS), str(judge)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
        )
        asker = threading.Thread(target=_ask, args=(process, first_seed, draw), daemon=True)
        asker.start()
        try:
            assert process.stdout is not None
            yield from process.stdout
            said.seek(0)
            raise JudgeError(f"the judge ended: {said.read().decode(errors='replace').strip()[-3000:]}")
        finally:
            process.kill()
            process.wait()
            asker.join()
            process.stdout.close()


def _ask(process: subprocess.Popen[bytes], first_seed: int, draw: Draw) -> None:
    """Never far ahead: a pipe holds a few clusters."""
    assert process.stdin is not None
    seed = first_seed
    try:
        with process.stdin as questions:
            while True:
                questions.write(msgspec.json.encode({"seed": seed, "objects": draw(seed)}) + b"\n")
                seed += 1
    except BrokenPipeError:
        return  # the judge has ended, by itself or because nobody asks any more
