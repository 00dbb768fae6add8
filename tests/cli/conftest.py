"""The terminal as people use it: an argument list in, two streams and an exit status out."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from bot.cli.entry import run


@dataclass(frozen=True)
class Ran:
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str


@pytest.fixture
def gpubot(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: str) -> Ran:
        status = run(arguments)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return call


@pytest.fixture(autouse=True)
def no_cluster_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """A kubeconfig of the person who runs the tests must not be found."""
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/none")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GPUBOT_CONFIG", raising=False)
