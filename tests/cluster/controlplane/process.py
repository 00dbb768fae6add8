"""Programs of the control plane as child processes: started, awaited, ended; none outlives the test run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GUARD = Path(__file__).with_name("guard.py")
STOP_SECONDS = 15
LOG_LINES = 5


class Children:
    """The running programs by name, each with its log file in `folder`.

    All are started from one thread that lives as long as this object: the kernel's death signal belongs to the
    starting thread, and a test's own worker threads end with its event loop.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="controlplane-starter")

    def start(self, name: str, command: list[str]) -> None:
        if name in self._running:
            raise RuntimeError(f"{name} is running already")
        self._running[name] = self._starter.submit(self._spawn, name, command).result()

    def _spawn(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        with self.log_file(name).open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), str(os.getpid()), *command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt typed at the terminal is for pytest, which then stops us
            )

    def names(self) -> list[str]:
        return list(self._running)

    def pid(self, name: str) -> int:
        return self._running[name].pid

    def check(self, name: str) -> None:
        """Raise RuntimeError with the end of its log when the program has ended by itself."""
        code = self._running[name].poll()
        if code is not None:
            raise RuntimeError(f"{name} ended with {code}: {self.log_tail(name)}")

    def end(self, name: str, *, how: signal.Signals = signal.SIGTERM) -> None:
        """End one program and wait for it; one that does not heed SIGTERM in time is killed."""
        process = self._running.pop(name)
        process.send_signal(how)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill_all(self) -> None:
        """The data is thrown away, so nothing needs a graceful end. Last started, first killed."""
        for name in reversed(self.names()):
            self.end(name, how=signal.SIGKILL)

    def log_tail(self, name: str) -> str:
        return "\n".join(self.log_file(name).read_text("utf-8", "replace").splitlines()[-LOG_LINES:])

    def log_file(self, name: str) -> Path:
        return self.folder / f"{name}.log"
