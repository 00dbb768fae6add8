"""Each Xid means one thing, and only some point at the GPU."""

import pytest

from bot.gpu import xid
from bot.gpu.xid import Blame, Clears, Urgency


@pytest.mark.parametrize(
    ("code", "word", "blame", "clears"),
    [
        pytest.param(13, "kernel failed", Blame.PROGRAM, Clears.PROGRAM, id="13 is the program's"),
        pytest.param(31, "memory that is not its own", Blame.PROGRAM, Clears.PROGRAM, id="31 is the program's"),
        pytest.param(43, "stopped", Blame.PROGRAM, Clears.PROGRAM, id="43 is the program's"),
        pytest.param(45, "cleaned up", Blame.NOTHING, Clears.NOTHING_NEEDED, id="45 only tells of a cleanup"),
        pytest.param(48, "could not be corrected", Blame.GPU, Clears.RESET, id="48 is cleared by a reset"),
        pytest.param(63, "put aside", Blame.GPU, Clears.NOTHING_NEEDED, id="63 needs nothing now"),
        pytest.param(74, "NVLink", Blame.LINK, Clears.LINKS, id="74 is a link, and the board is reset"),
        pytest.param(79, "off the bus", Blame.GPU, Clears.POWER, id="79 needs the machine powered off and on"),
        pytest.param(94, "confined", Blame.GPU, Clears.RESET, id="94 is confined, and a reset clears it"),
        pytest.param(119, "GSP", Blame.GPU, Clears.REBOOT, id="119 is the firmware, and needs a reboot"),
        pytest.param(147, "NVLink unit", Blame.LINK, Clears.SEE_154, id="the NVLink units are one range"),
        pytest.param(9999, "not in the catalogue", Blame.EITHER, Clears.VENDOR, id="an unknown number says so"),
    ],
)
def test_what_it_means(code: int, word: str, blame: Blame, clears: Clears) -> None:
    entry = xid.of(code)
    assert word in entry.meaning
    assert (entry.blame, entry.clears) == (blame, clears)


@pytest.mark.parametrize("code", [13, 31, 43, 45, 63, 69, 154])
def test_these_are_no_reason_to_touch_a_node(code: int) -> None:
    assert not xid.of(code).of_gpu


@pytest.mark.parametrize("code", [46, 48, 62, 64, 74, 79, 94, 95, 119, 120, 140])
def test_these_point_at_the_gpu(code: int) -> None:
    assert xid.of(code).of_gpu


def test_what_must_be_looked_at_now_is_never_the_programs() -> None:
    assert all(xid.of(code).of_gpu for code in range(1, 200) if xid.of(code).urgency is Urgency.NOW)


def test_it_is_told_with_its_number() -> None:
    assert xid.of(79).told == "Xid 79 (the GPU has fallen off the bus)"
