"""What gpubot renders for an engine, the engine takes: each golden manifest with its configuration file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.local.engine.arguments import is_engine, of_container

GOLDEN = sorted((Path(__file__).parents[2] / "deploying" / "golden").glob("*.yaml"))


def containers(told: Any) -> Iterator[dict[str, Any]]:
    if isinstance(told, dict):
        yield from told.get("containers") or ()
        for value in told.values():
            yield from containers(value)
    elif isinstance(told, list):
        for value in told:
            yield from containers(value)


def settings(objects: list[dict[str, Any]]) -> dict[str, Any]:
    files = (one.get("data") or {} for one in objects if one["kind"] == "ConfigMap")
    return {k: v for data in files for name, text in data.items() if name.endswith(".yaml") for k, v in _read(text)}


def _read(text: str) -> Iterator[tuple[str, Any]]:
    found = yaml.safe_load(text)
    yield from found.items() if isinstance(found, dict) else ()


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in GOLDEN])
def test_a_rendered_engine_starts(path: Path) -> None:
    objects = [one for one in yaml.safe_load_all(path.read_text()) if isinstance(one, dict)]
    found = [of_container(one, settings(objects)) for one in containers(objects) if is_engine(one)]
    assert found
    assert [one.error for one in found] == [""] * len(found)
    assert {(one.engine, one.port) for one in found} <= {("vllm", 8000), ("sglang", 30_000)}
    assert all(one.tool_parser and one.shows_metrics for one in found)
