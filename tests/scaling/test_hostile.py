"""Whatever stands in a cluster's objects, `/scale` answers or says in one sentence why it cannot; it obeys nothing."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.errors import BotError
from tests.why.mangling import STEPS, TEXTS, Known, ask, cluster_of, known, mangled
from tests.why.test_hostile import check

OWN = Path(__file__).parents[1] / "cases" / "own"
CHANGES = st.tuples(st.integers(0, 1_000_000), st.sampled_from(STEPS))
WORDS = st.tuples(st.integers(0, 1_000_000), st.sampled_from(TEXTS))
OF_TABLES = ("deployments", "statefulsets", "leaderworkersets", "inferenceservices", "replicasets")


@cache
def cases() -> tuple[Known, ...]:
    """Those of scaling."""
    known()  # reads its folder before anything is written there
    return tuple(_read(folder) for folder in sorted(OWN.glob("scale-*")))


def _read(folder: Path) -> Known:
    objects = tuple(yaml.load_all((folder / "objects.yaml").read_text("utf-8"), yaml.CSafeLoader))
    asked = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    places = tuple(_places(objects, ()))
    texts = tuple(path for path, value in places if isinstance(value, str))
    questions = tuple(one["ask"] for one in asked["questions"])
    return Known(folder.name, folder, asked["now"], objects, questions, tuple(path for path, _ in places), texts)


def _places(value: Any, path: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], Any]]:
    """Every value under each object, the objects themselves left out."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    inner = [place for key, one in pairs for place in _places(one, (*path, key))]
    return [(path, value), *inner] if len(path) > 1 else inner


def _asked(case: Known, objects: list[dict[str, Any]]) -> int:
    """How many questions were answered: the case's own, and two about whatever can be scaled there."""
    try:
        cluster, now = cluster_of(case, objects)
    except BotError:
        return 0
    keys = [key for table in OF_TABLES for key in sorted(cluster.view.tables[table])[:1]]
    more = [f"scale {key} {number}" for key in keys for number in ("+2", "0")]
    answered = 0
    for question in (*case.questions, *(one for one in more if len(one) < 1_000)):
        try:
            check(ask(cluster, now, question))
        except BotError:
            continue
        answered += 1
    return answered


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1_000), st.lists(CHANGES, min_size=1, max_size=12))
def test_mangled_objects_are_previewed_or_refused(number: int, changes: list[tuple[int, str | int]]) -> None:
    case = cases()[number % len(cases())]
    _asked(case, mangled(case, changes))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1_000), st.lists(WORDS, min_size=1, max_size=60))
def test_hostile_words_are_shown_and_never_obeyed(number: int, changes: list[tuple[int, str | int]]) -> None:
    case = cases()[number % len(cases())]
    _asked(case, mangled(case, changes, texts=True))


def test_what_was_not_changed_is_answered() -> None:
    """The sieve above lets errors of ours through: here there must be none."""
    for case in cases():
        assert _asked(case, mangled(case, [])) >= len(case.questions), case.name


def test_the_cases_of_explanations_are_previewed_too() -> None:
    for case in known()[::9]:
        assert _asked(Known(case.name, case.folder, case.now, case.objects, (), (), ()), mangled(case, [])) >= 0
