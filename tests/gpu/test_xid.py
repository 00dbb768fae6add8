"""Each Xid means one thing, and only some point at the GPU."""

import pytest

from bot.domain import data_file
from bot.domain.errors import ConfigError
from bot.gpu import xid
from bot.gpu.xid import Blame, Clears, Urgency
from bot.gpu.xid_table import catalogue, read


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


# ---- the catalogue as a file ---------------------------------------------------------------------------------------

ENTRY = "    name: a\n    meaning: b\n    blame: gpu\n    clears: reset\n    urgency: now\n    source: s\n"
HEAD = "as_of: 2026-11-30\nunused: 1\nignored_by_plugin: 13\nsources:\n  s: https://example.com\nxids:\n"


def test_every_number_has_its_source_and_most_have_nvidias_bucket() -> None:
    entries = catalogue().entries
    assert len(entries) > 110
    assert all(one.source and one.name and one.meaning for one in entries.values())
    assert [entries[code].buckets for code in (48, 79, 94)] == [
        "WORKFLOW_XID_48",
        "RESTART_BM, then CONTACT_SUPPORT",
        "RESTART_APP, then IGNORE",
    ]
    without = {code for code, one in entries.items() if not one.buckets}
    assert without == {*range(122, 126), *range(162, 174), 185}


def test_no_number_is_both_known_and_unused() -> None:
    assert not catalogue().unused & set(catalogue().entries)
    assert set(range(1, 54)) <= catalogue().unused | set(catalogue().entries)
    assert xid.of(12).meaning == "marked as unused in the catalogue"


def test_what_a_person_edits_is_what_holds() -> None:
    text = (data_file.FOLDER / "xid.yaml").read_text()
    edited = text.replace("meaning: the GPU has fallen off the bus", "meaning: it is gone")
    assert read(data_file.read(edited, "f"), "f").entries[79].meaning == "it is gone"


@pytest.mark.parametrize(
    ("xids", "says"),
    [
        pytest.param("  7:\n" + ENTRY.replace("gpu", "moon"), "f: `7`: `blame` cannot be `moon`; it is one of program", id="a word"),
        pytest.param("  7:\n" + ENTRY.replace("source: s", "source: t"), "f: `7`: `source` cannot be `t`", id="a source"),
        pytest.param("  7:\n" + ENTRY.replace("    name: a\n", ""), "f: `7`: `name` is missing", id="something left out"),
        pytest.param("  7:\n" + ENTRY + "    color: red\n", "f: `7`: `color` is not known", id="something that is none"),
        pytest.param("  seven:\n" + ENTRY, "f: `seven` is neither a number nor several", id="no number"),
        pytest.param("  7:\n" + ENTRY + "  6-8:\n" + ENTRY, "f: 7 is there twice", id="a number twice"),
        pytest.param("  7: x\n", "f: `7` has to be a mapping", id="no facts"),
    ],
)  # fmt: skip
def test_a_wrong_edit_is_told_with_its_entry(xids: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read(data_file.read(HEAD + xids, "f"), "f")
    assert str(refused.value).startswith(says)
