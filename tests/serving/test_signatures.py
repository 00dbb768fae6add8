"""The table of known lines as a whole: complete, consistent, safe to run on anything."""

import re

import pytest

from bot.domain.text import inert
from bot.serving.signature import Blame, Rank, Sense, Signature
from bot.serving.signatures import FAMILIES, SIGNATURES
from bot.serving.template import holes
from tests.serving import (
    test_driver_lines,
    test_memory_lines,
    test_outside_lines,
    test_process_lines,
    test_server_lines,
    test_setup_lines,
)

SAID = (
    *test_driver_lines.TABLE,
    *test_memory_lines.TABLE,
    *test_outside_lines.TABLE,
    *test_process_lines.TABLE,
    *test_server_lines.TABLE,
    *test_setup_lines.TABLE,
)
EACH = [pytest.param(signature, id=signature.id) for signature in SIGNATURES]


def test_every_signature_is_shown_by_a_line() -> None:
    assert {said.signature for said in SAID} == {signature.id for signature in SIGNATURES}


def test_names_are_unique() -> None:
    for names in ([one.id for one in SIGNATURES], [family.name for family in FAMILIES]):
        assert len(names) == len(set(names))


@pytest.mark.parametrize("signature", EACH)
def test_sentences_are_short_and_whole(signature: Signature) -> None:
    texts = [signature.cause, *(remedy.action for remedy in signature.remedies), *filter(None, [signature.note])]
    assert signature.remedies
    for text in texts:
        assert len(text) <= 260, "an engineer reads this at night"
        assert text[0] in "[{`-/" or text[0].isupper(), text
        assert text.rstrip("]").endswith((".", "`.", ").")), text
        assert inert(text, 400) == text


@pytest.mark.parametrize("signature", EACH)
def test_holes_can_be_filled(signature: Signature) -> None:
    known = set(signature.pattern.groupindex) if signature.pattern else set()
    known |= {"phase"}
    texts = [signature.cause, *(text for remedy in signature.remedies for text in (remedy.action, remedy.command))]
    for text in texts:
        assert text.count("[") == text.count("]")
        if signature.derive is None:
            assert holes(text) <= known, text
        assert "phase" not in holes(text, required=True)


@pytest.mark.parametrize("signature", EACH)
def test_literals_tell_enough(signature: Signature) -> None:
    for literal in signature.says:
        assert len(literal) >= 6
        assert "\n" not in literal
        assert "  " not in literal


@pytest.mark.parametrize("signature", EACH)
def test_nothing_repeats_without_a_bound(signature: Signature) -> None:
    """Bounded repetition in a bounded window: no text can make a pattern slow."""
    if signature.pattern is not None:
        bare = re.sub(r"\[(?:\\.|[^\]\\])*\]", "x", signature.pattern.pattern)
        assert not re.search(r"(?<!\\)[*+]", bare), bare


@pytest.mark.parametrize(
    "signature", [one for one in SIGNATURES if Blame.HARDWARE in one.blames[:1]], ids=lambda one: one.id
)
def test_hardware_is_blamed_only_where_the_driver_says_so(signature: Signature) -> None:
    assert re.search(r"Xid|ECC|NVLink|fallen off|lost|device handle", " ".join(signature.says))


def test_wrappers_are_never_causes_and_blame_nobody() -> None:
    for signature in SIGNATURES:
        if signature.rank is Rank.WRAPPER:
            assert signature.sense in (Sense.SYMPTOM, Sense.NOTICE)
            assert not signature.blames


def test_a_cause_that_the_arguments_have_is_not_cured_by_a_restart() -> None:
    wrong = [
        one.id for one in SIGNATURES if one.blames == (Blame.ARGUMENTS,) and one.rank is Rank.ROOT and one.restart_helps
    ]
    assert wrong == ["gpu-memory-batch"]
