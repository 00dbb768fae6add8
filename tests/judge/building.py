"""Build the judge from its folder and the Go module proxy, once for each state of its sources, into a cache folder."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parent / "judge"
BINARY_VARIABLE = "GPUBOT_JUDGE_BIN"


class CannotBuildError(Exception):
    """The judge can not be built here; the message says why in one sentence."""


def binary() -> Path:
    """Where the judge is or will be: $GPUBOT_JUDGE_BIN, or a cache folder that is named by a hash of the sources."""
    if chosen := os.environ.get(BINARY_VARIABLE):
        return Path(chosen).resolve()
    state = hashlib.sha256()
    for file in sorted(one for one in SOURCES.iterdir() if one.name in ("go.mod", "go.sum") or one.suffix == ".go"):
        state.update(file.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "gpubot-judge" / state.hexdigest()[:16] / "judge"


def why_not() -> str | None:
    """One sentence when there is no judge and no way to make it, else None."""
    if binary().is_file() or shutil.which("go") is not None:
        return None
    return (
        "the judge is not built and there is no Go to build it: install Go 1.26 or newer, "
        f"or point {BINARY_VARIABLE} at one that was built of tests/judge/{SOURCES.name}"
    )


def build() -> Path:
    """The judge, built if it is missing: minutes with an empty Go cache, else seconds. Raises CannotBuildError."""
    if reason := why_not():
        raise CannotBuildError(reason)
    made = binary()
    made.parent.mkdir(parents=True, exist_ok=True)
    with (made.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two at once the second finds it done
        if not made.is_file():
            partial = made.with_suffix(".partial")
            _go_build(partial)
            partial.rename(made)
    return made


def _go_build(output: Path) -> None:
    done = subprocess.run(
        ["go", "build", "-ldflags", "-s -w", "-o", str(output), "."],
        cwd=SOURCES, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise CannotBuildError(f"`go build` failed for the judge: {done.stderr.strip()[-2000:] or 'no message'}")
