"""When the judge is asked: only if somebody wants it. Ask with `make judge`, `pytest -m judge`, or GPUBOT_JUDGE=1."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.judge.building import binary, build, why_not

HERE = Path(__file__).parent
NOT_ASKED = "the judge was not asked for: `make judge`, or GPUBOT_JUDGE=1"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked = "judge" in str(config.getoption("markexpr")) or os.environ.get("GPUBOT_JUDGE") == "1"
    reason = why_not() if asked else NOT_ASKED
    for item in items:
        if reason and HERE in item.path.parents and item.get_closest_marker("judge"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def tell(pytestconfig: pytest.Config) -> Callable[[str], None]:
    """Say something at once, and also where all is well."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def say(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n{line}", flush=True)

    return say


@pytest.fixture(scope="session")
def judge(tell: Callable[[str], None]) -> Path:
    """The program, built first where it is missing."""
    if not binary().is_file():
        tell("building the judge")
    return build()
