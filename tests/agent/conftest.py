"""A stubbed driver for whoever asks for `stub`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agent.stub import NO_COMPILER, Stub, build, compiler


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not compiler():
        pytest.skip(NO_COMPILER)
    return build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def stubs(library: Path, tmp_path: Path) -> Callable[[str], Stub]:
    """Another node of that name."""
    return lambda name: Stub(library, tmp_path / f"{name}.script")


@pytest.fixture
def stub(stubs: Callable[[str], Stub]) -> Stub:
    return stubs("gpu-a")
