"""The kubeconfig that leads any client to the local cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]


def kubeconfig(url: str, token: str | None, name: str = "local") -> Json:
    """Return a kubeconfig with one context."""
    user = {"token": token} if token else {}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
        "clusters": [{"name": name, "cluster": {"server": url}}],
        "users": [{"name": name, "user": user}],
    }


def write(path: Path, config: Json) -> None:
    """Write a kubeconfig that only its owner can read."""
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config, sort_keys=False))
