"""docs/models.md shows the catalogue as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.serving.catalogue import catalogue
from tests.serving import catalogue_page

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", [catalogue_page.models, catalogue_page.weights, catalogue_page.faults])
def test_its_tables_are_those_of_the_catalogue(part: Callable[[], str]) -> None:
    assert f"\n\n{part()}\n\n" in f"{PAGE}\n", "`python -m tests.serving.catalogue_page` prints them anew"


def test_every_source_of_a_figure_can_be_looked_up() -> None:
    for model in catalogue().models:
        told = [model.architecture.source, *(one.source for one in (*model.variants, *model.bugs))]
        told += [support.source for variant in model.variants for support in variant.engines]
        for source in told:
            assert "/" in source or source in ("parameters times bytes", "our own advice") or "config.json" in source
