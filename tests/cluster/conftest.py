"""Fixtures for tests against the real control plane, and when these tests run: only when asked for.

Ask with `make cluster`, `pytest -m cluster`, or GPUBOT_CLUSTER=1.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.controlplane.build import build, why_not
from tests.cluster.controlplane.launch import DEFAULT_PARTS, ControlPlane
from tests.cluster.sandbox import Sandbox, sandbox

HERE = Path(__file__).parent
NOT_ASKED = "the real control plane was not asked for: `make cluster`, or GPUBOT_CLUSTER=1"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; first of all hooks, so that `-m cluster` finds the marks."""
    ours = [item for item in items if HERE in item.path.parents]
    reason = _reason_to_skip(config)
    for item in ours:
        item.add_marker(pytest.mark.cluster)
        item.add_marker(pytest.mark.timeout(300))  # a real scheduler has waits of its own
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


def _reason_to_skip(config: pytest.Config) -> str | None:
    asked = "cluster" in str(config.getoption("markexpr")) or os.environ.get("GPUBOT_CLUSTER") == "1"
    return why_not() if asked else NOT_ASKED


@pytest.fixture(scope="session")
def binaries(pytestconfig: pytest.Config) -> Path:
    """The folder with the programs, built first where they are missing; that takes minutes, so it is told."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        return build(lambda line: print(f"\n{line}", end="", flush=True))


@pytest.fixture(scope="session")
def control_plane(binaries: Path) -> Iterator[ControlPlane]:
    """etcd, API server, scheduler and controllers, shared by all tests of the run."""
    running = ControlPlane(binaries)
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def new_control_plane(binaries: Path) -> Iterator[Callable[..., ControlPlane]]:
    """Start one of the test's own, with parts as it likes: `new_control_plane("etcd", "apiserver", "kwok")`."""
    running: list[ControlPlane] = []

    def start(*parts: str) -> ControlPlane:
        running.append(ControlPlane(binaries))
        running[-1].start(parts or DEFAULT_PARTS)
        return running[-1]

    try:
        yield start
    finally:
        for each in running:
            each.stop()


@pytest.fixture
async def api(control_plane: ControlPlane) -> AsyncIterator[Api]:
    """The shared control plane's API as its administrator."""
    async with Api(control_plane.server, "admin") as client:
        yield client


@pytest.fixture
async def cluster(api: Api) -> AsyncIterator[Sandbox]:
    """A namespace of the test's own with helpers to fill it; its nodes and pods are gone afterwards."""
    async with sandbox(api, f"test-{uuid.uuid4().hex[:8]}") as made:
        yield made


@pytest.fixture
def namespace(cluster: Sandbox) -> str:
    return cluster.namespace
