"""Build etcd, the Kubernetes control plane and kwok from the Go module proxy into a cache folder.

    python -m tests.cluster.controlplane.build            # builds what is missing, prints the folder

Each folder beside this file holds one go.mod that pins a tool and all it is made of. The first build takes minutes,
each later one is a look into the cache, whose name is a hash of the pins: new pins, new folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
FOLDER_VARIABLE = "GPUBOT_CONTROLPLANE_BIN"
STAGES = "stages.yaml"

PACKAGES = {
    "etcd": ("etcd", "go.etcd.io/etcd/server/v3"),
    "kube-apiserver": ("kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    "kube-scheduler": ("kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler"),
    "kube-controller-manager": ("kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    "kwok": ("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
}
"""Tool -> (folder with its go.mod, Go package)."""

KWOK_STAGES = (
    "node/fast/node-initialize",
    "node/heartbeat-with-lease/node-heartbeat-with-lease",
    "pod/general/pod-create",
    "pod/general/pod-init-container-running",
    "pod/general/pod-init-container-completed",
    "pod/general/pod-ready",
    "pod/general/pod-complete",
    "pod/general/pod-delete",
    "pod/chaos/pod-container-running-failed",
)
"""What kwok plays; without stages it does nothing. Names are files of sigs.k8s.io/kwok:kustomize/stage."""


class CannotBuildError(Exception):
    """The control plane can not be built here; the message says why in one sentence."""


def cache_folder() -> Path:
    """Where the binaries are or will be: $GPUBOT_CONTROLPLANE_BIN, or a cache folder named by the pins."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen).resolve()
    pins = hashlib.sha256()
    for module in sorted({folder for folder, _ in PACKAGES.values()}):
        pins.update((HERE / module / "go.mod").read_bytes())
        pins.update((HERE / module / "go.sum").read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "gpubot-controlplane" / pins.hexdigest()[:16]


def missing(folder: Path) -> list[str]:
    """What `folder` still lacks, in the order in which it is built."""
    return [name for name in (*PACKAGES, STAGES) if not (folder / name).is_file()]


def why_not() -> str | None:
    """One sentence when there are no binaries and no way to make them, else None."""
    if missing(cache_folder()) and shutil.which("go") is None:
        return (
            f"the control plane is not built and there is no Go to build it: install Go 1.26 or newer, "
            f"or point {FOLDER_VARIABLE} at a folder that holds {', '.join(PACKAGES)} and {STAGES}"
        )
    if shutil.which("openssl") is None:
        return "the control plane needs openssl for its certificates: install it"
    return None


def build(report: Callable[[str], None] = print) -> Path:
    """Build what is missing and return the folder; `report` gets a line with the seconds of each tool.

    Raises CannotBuildError. Two processes at once are fine: the second waits and finds all done.
    """
    if reason := why_not():
        raise CannotBuildError(reason)
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder):
        for name in missing(folder):
            started = time.monotonic()
            _make(name, folder)
            report(f"built {name} in {time.monotonic() - started:.0f} s")
    return folder


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(name: str, folder: Path) -> None:
    """Write beside the final name and rename, so that a build that was cut off leaves nothing that looks ready."""
    partial = folder / f"{name}.partial"
    if name == STAGES:
        partial.write_text(_stages(), encoding="utf-8")
    else:
        module, package = PACKAGES[name]
        _go(module, "build", "-ldflags", _link_flags(module), "-o", str(partial), package)
    partial.rename(folder / name)


def _link_flags(module: str) -> str:
    """No debug tables; Kubernetes also gets its version, which `kubectl version` and user agents then show."""
    if module != "kubernetes":
        return "-s -w"
    version = _go(module, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").strip()
    major, minor, _ = version.removeprefix("v").split(".", 2)
    stamp = "k8s.io/component-base/version"
    return f"-s -w -X {stamp}.gitVersion={version} -X {stamp}.gitMajor={major} -X {stamp}.gitMinor={minor}"


def _stages() -> str:
    """kwok's own stages, from the very module that the binary was built of."""
    _go("kwok", "mod", "download", "sigs.k8s.io/kwok")
    module = Path(_go("kwok", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok").strip())
    return "\n---\n".join((module / "kustomize/stage" / f"{stage}.yaml").read_text("utf-8") for stage in KWOK_STAGES)


def _go(module: str, *arguments: str) -> str:
    done = subprocess.run(
        ["go", *arguments], cwd=HERE / module, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise CannotBuildError(f"`go {arguments[0]}` failed for {arguments[-1]}: {lines[-1]}")
    return done.stdout


def main() -> int:
    try:
        print(build(lambda line: print(line, flush=True)))
    except CannotBuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
