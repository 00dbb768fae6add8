"""Start, disturb and stop a real control plane on loopback."""

from __future__ import annotations

import atexit
import json
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.cluster.controlplane import parts
from tests.cluster.controlplane.access import Access
from tests.cluster.controlplane.calls import CallError, call
from tests.cluster.controlplane.credentials import Credentials
from tests.cluster.controlplane.process import Children

START_SECONDS = 60
POLL_SECONDS = 0.05

PARTS: dict[str, Callable[[parts.Layout], list[str]]] = {
    "etcd": parts.etcd,
    "apiserver": parts.apiserver,
    "scheduler": parts.scheduler,
    "controllers": parts.controllers,
    "controllers-with-node-lifecycle": parts.controllers_with_node_lifecycle,
    "kwok": parts.kwok,
}
DEFAULT_PARTS = ("etcd", "apiserver", "scheduler", "controllers")
FIRST_PARTS = ("etcd", "apiserver")
"""The API server waits for etcd by itself; all others end when they find no API server."""


class ControlPlane:
    """etcd, API server, scheduler and controllers, and kwok where asked for.

    Everything lives in a temporary folder and on free ports, and ends with this process even when that is killed.
    All methods block for as long as they need; from a coroutine call them with `asyncio.to_thread`.

    `server` is the API server's URL, `kubeconfig` the administrator's file, `access` makes more of them.
    """

    def __init__(self, binaries: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gpubot-controlplane-"))
        self.layout = parts.Layout(binaries, self.folder, Credentials(self.folder / "credentials"), *_free_ports(5))
        self.server = self.layout.server
        self.kubeconfig = self.layout.admin
        self.access = Access(self.server, self.layout.credentials, self.layout.credentials.folder, self.request)
        self.children = Children(self.folder)

    def start(self, names: Iterable[str] = DEFAULT_PARTS) -> None:
        """Start the parts and wait until each is ready. Raises RuntimeError with the log of one that is not."""
        atexit.register(self.stop)
        self.layout.credentials.make()
        self.access.with_token("admin", trust="skip").rename(self.layout.admin)
        self.access.with_token("scheduler").rename(self.layout.scheduler)
        wanted = list(names)
        self.add(*(name for name in wanted if name in FIRST_PARTS))
        self.add(*(name for name in wanted if name not in FIRST_PARTS))

    def add(self, *names: str) -> None:
        """Start more parts, all at once, and wait until each is ready."""
        for name in names:
            self.children.start(name, PARTS[name](self.layout))
        for name in names:
            self._wait_ready(name)

    def stop(self) -> None:
        """End all processes and remove the folder. May be called twice."""
        self.children.kill_all()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.stop)

    def kill_apiserver(self) -> None:
        """As if its machine lost power: connections break, nothing is closed in order."""
        self.children.end("apiserver", how=signal.SIGKILL)

    def start_apiserver(self) -> None:
        self.add("apiserver")

    def restart_apiserver(self) -> None:
        """As in an upgrade: it drains, ends its watches in order, and comes back with the same data."""
        self.children.end("apiserver")
        self.start_apiserver()

    def compact(self) -> int:
        """Forget all revisions but etcd's newest, which is returned: a read of etcd at an older one gets 410."""
        revision = int(self._etcd("/v3/maintenance/status", {})["header"]["revision"])
        self._etcd("/v3/kv/compaction", {"revision": str(revision), "physical": True})
        return revision

    def forget_history(self) -> None:
        """Make every watch that resumes get 410, as after a night without connection. Restarts the API server.

        Compaction alone does not: the API server still answers from the events that it remembers. It forgets them
        when it restarts, and then knows nothing older than the newest revision, which a write of ours moves on first.
        """
        annotations = {"touched": str(time.time_ns())}
        self.request("PATCH", "/api/v1/namespaces/default", {"metadata": {"annotations": annotations}})
        self.compact()
        self.restart_apiserver()

    def _etcd(self, path: str, body: dict[str, Any]) -> Any:
        return json.loads(call(self.layout.etcd_url + path, method="POST", body=body))

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """One call as the administrator; raises calls.CallError."""
        return json.loads(call(self.server + path, method=method, body=body, token="admin"))

    def resident_mib(self) -> dict[str, int]:
        """Memory of each running part, in MiB (Linux)."""
        return {name: _resident_mib(self.children.pid(name)) for name in self.children.names()}

    def _wait_ready(self, name: str) -> None:
        url = self.layout.health_urls().get(name)
        deadline = time.monotonic() + START_SECONDS
        while url and not _answers(url):
            self.children.check(name)
            if time.monotonic() > deadline:
                raise RuntimeError(f"{name} is not ready after {START_SECONDS} s: {self.children.log_tail(name)}")
            time.sleep(POLL_SECONDS)
        self.children.check(name)


def _answers(url: str) -> bool:
    try:
        call(url, token="admin")
    except (CallError, OSError):
        return False
    return True


def _free_ports(count: int) -> list[int]:
    """Ports that were free at one moment: all are held until all are known, so no two are the same."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def _resident_mib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0
