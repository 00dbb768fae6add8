"""What the engine is told beyond its command line: memory share, cache, parsers, guessing ahead, draining.

A pod does not start again when a ConfigMap changes, so its template carries the digest of what it was made with.
"""

import hashlib
from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest
from bot.deploying.yaml_text import dump

FILE = "engine.yaml"
CONFIG_PATH = "/etc/engine"


def text(ground: Ground) -> str:
    return dump([ground.engine.settings(ground.start)])


def digest(ground: Ground) -> str:
    return hashlib.sha256(text(ground).encode()).hexdigest()[:16]


def render(ground: Ground) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": ground.metadata(f"{ground.name}-arguments"),
        "data": {FILE: text(ground)},
    }


MANIFEST = Manifest(10, "ConfigMap", render, page=__doc__ or "")
