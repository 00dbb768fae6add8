"""Patterns are compiled when they are first used, and are then what `re` makes of them."""

import gc
import importlib
import pkgutil
import re

import pytest

from bot.domain.pattern import Pattern


def test_it_does_what_re_does() -> None:
    lazy, eager = Pattern(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE)
    text = "Ab-1 cd-2"
    assert lazy.search(text, 3)["word"] == "cd"  # type: ignore[index]
    assert lazy.match("-1") is None
    assert lazy.fullmatch("ab-1") is not None
    assert [one[2] for one in lazy.finditer(text)] == ["1", "2"]
    assert lazy.findall(text) == eager.findall(text)
    assert lazy.sub("x", text, 1) == "x cd-2"
    assert lazy.split("aXb-1Xc") == eager.split("aXb-1Xc")
    assert lazy.groupindex == dict(eager.groupindex)
    assert (lazy.pattern, lazy.flags) == (eager.pattern, int(re.IGNORECASE))


def test_making_one_compiles_nothing() -> None:
    wrong = Pattern("(")
    with pytest.raises(re.error):
        wrong.search("a")


def test_what_it_has_not_got_it_says() -> None:
    with pytest.raises(AttributeError):
        Pattern("a").scanner  # noqa: B018


def test_every_pattern_of_the_bot_compiles() -> None:
    for name in ("why", "serving", "gpu", "scheduling", "checks"):
        package = importlib.import_module(f"bot.{name}")
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(one.name)
    gc.unfreeze()  # what another test froze is not listed
    found = [one for one in gc.get_objects() if type(one) is Pattern and one.pattern != "("]
    assert len(found) > 250
    for one in found:
        re.compile(one.pattern, one.flags)
