"""Lines out of a stream that is cut anywhere."""

import pytest

from bot.adapters.cluster.lines import Lines

STREAM = b'{"a":1}\n{"b":"\xc3\xbc"}\n\n{"c":3}\n{"d"'
WHOLE = [b'{"a":1}', b'{"b":"\xc3\xbc"}', b'{"c":3}']


@pytest.mark.parametrize("size", range(1, len(STREAM) + 1))
def test_chunks_of_any_size_give_the_same_lines(size: int) -> None:
    lines = Lines()
    got = [line for start in range(0, len(STREAM), size) for line in lines.feed(STREAM[start : start + size])]
    assert got == WHOLE
    assert lines.unfinished


def test_a_stream_that_ends_with_a_line_is_finished() -> None:
    lines = Lines()
    lines.feed(STREAM + b":4}\n")
    assert not lines.unfinished
