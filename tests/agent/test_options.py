"""Flags of the agent."""

import argparse

import pytest

from bot.agent.options import arguments, command_line, options
from bot.domain.errors import ConfigError, UsageError
from tests.agent.agents import chosen


def test_flags_come_back_as_they_were_given() -> None:
    parser = argparse.ArgumentParser()
    arguments(parser)
    given = ["--node", "gpu-a", "--listen", "[::1]:9410", "--period", "5"]
    assert command_line(parser.parse_args(given)) == given
    assert (options(parser.parse_args(given)).host, options(parser.parse_args(given)).period_seconds) == ("::1", 5)


@pytest.mark.parametrize(
    ("flags", "error", "words"),
    [
        pytest.param(["--listen", "9410"], UsageError, "HOST:PORT", id="a port without a host"),
        pytest.param(["--period", "soon"], UsageError, "wants a number", id="no number"),
        pytest.param(["--period", "0"], UsageError, "must lie between", id="without a pause"),
        pytest.param(["--token-file", "/nowhere"], ConfigError, "no file", id="a file that is not there"),
    ],
)
def test_wrong_flags_are_told(flags: list[str], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        chosen(*flags)
