"""What the engine is told beyond its command line: memory share, cache, parsers, guessing ahead, draining.

Its name has the digest of what it says: an update brings its own, and the revision before still finds the old one.
"""

import hashlib
from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest
from bot.deploying.yaml_text import dump

FILE = "engine.yaml"
CONFIG_PATH = "/etc/engine"


def text(ground: Ground) -> str:
    return dump([ground.engine.settings(ground.start)])


def called(ground: Ground) -> str:
    return f"{ground.name}-{hashlib.sha256(text(ground).encode()).hexdigest()[:8]}"


def render(ground: Ground) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": ground.metadata(called(ground)),
        "immutable": True,
        "data": {FILE: text(ground)},
    }


MANIFEST = Manifest(10, "ConfigMap", render, page=__doc__ or "")
