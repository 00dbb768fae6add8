"""A document that is too long loses what matters least, line by line, and says what it lost."""

import json

import pytest

from bot.domain.document import Bullets, Document, Part, Table, paragraph, table
from bot.views import text
from bot.views.blocks import BUDGET, render
from bot.views.shortened import TEXT_MAX, fits, shortened


def bullets(title: str, lines: int, width: int = 200) -> Bullets:
    return Bullets(title, tuple((f"{number:03} {'x' * width}",) for number in range(lines)))


def spans(title: str, lines: int) -> Bullets:
    """Few words, much Block Kit."""
    return Bullets(title, tuple(("a",) * 40 for _ in range(lines)))


SHORT = Document(("v",), (bullets("Proof", 3), paragraph(("p",))), ("footer",))
LONG: list[tuple[tuple[Part, ...], tuple[int, ...], str, str]] = [
    ((bullets("Help", 5), bullets("Notes", 30)), (10, 1), "Notes.", "a long part of little worth"),
    ((bullets("Notes", 30), bullets("Help", 5)), (1, 10), "Notes.", "wherever it stands"),
    ((bullets("Help", 15), bullets("Notes", 15), bullets("Also", 15)), (10, 1, 2), "Also and Notes.", "two parts"),
    ((bullets("Help", 15), bullets("Notes", 15)), (), "Notes.", "the last where no worth is told"),
    ((bullets("Help", 15), spans("Notes", 30)), (10, 1), "Notes.", "much Block Kit for few words"),
    ((bullets("Help", 15), table(("a", "b"), [("x" * 60, "y" * 60)] * 40)), (10, 1), "the table.", "a long table"),
    ((bullets("Help", 15), paragraph(*((f"{'z' * 900}",) for _ in range(5)))), (10, 1), "a remark.", "a long paragraph"),
    ((bullets("", 40),), (), "the list.", "a list without a title"),
]  # fmt: skip


def test_what_fits_is_left_alone() -> None:
    assert shortened(SHORT) is SHORT


@pytest.mark.parametrize(("parts", "worth", "lost"), [pytest.param(*row[:3], id=row[3]) for row in LONG])
def test_what_does_not_fit_is_shortened_and_that_is_said(
    parts: tuple[Part, ...], worth: tuple[int, ...], lost: str
) -> None:
    document = shortened(Document(("v",), parts, ("footer",)), worth)
    told = text.render(document)
    assert len(told) <= TEXT_MAX
    assert len(json.dumps(render(document).blocks)) <= BUDGET
    assert told.splitlines()[-3] == f"Left out or cut short, to fit one message: {lost}"
    assert not any("did not fit" in str(block) for block in render(document).blocks)


def test_what_matters_most_is_whole() -> None:
    help_ = bullets("Help", 5)
    assert help_ in shortened(Document(("v",), (bullets("Notes", 40), help_)), (1, 10)).parts


def test_a_table_that_is_cut_says_so() -> None:
    cut = next(
        one for one in shortened(Document(("v",), (table(("a",), [("x" * 60,)] * 90),))).parts if isinstance(one, Table)
    )
    assert cut.more == "and more"
    assert 0 < len(cut.rows) < 90


def test_a_verdict_alone_always_fits() -> None:
    assert fits(Document(("x" * 900,), (), ("y" * 240,) * 4))
