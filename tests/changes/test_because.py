import pytest

from bot.changes.because import needs_because, split_because
from bot.domain.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "words", "because"),
    [
        pytest.param("gpu-1 because Xid 79", ("gpu-1",), "Xid 79", id="what follows the word is the reason"),
        pytest.param("gpu-1 Because: it is hot", ("gpu-1",), "it is hot", id="a colon and a capital do not matter"),
        pytest.param("gpu-1", ("gpu-1",), "", id="there may be none"),
        pytest.param("gpu-1 because", ("gpu-1",), "", id="the word alone is no reason"),
        pytest.param("x because y because z", ("x",), "y because z", id="the first one counts"),
        pytest.param("x because <!channel> down", ("x",), "‹!channel> down", id="a reason pings nobody"),
    ],
)
def test_the_reason(typed: str, words: tuple[str, ...], because: str) -> None:
    assert split_because(typed.split()) == (words, because)


def test_a_missing_reason_says_what_to_type() -> None:
    with pytest.raises(UsageError, match="`/gpu node cordon gpu-1 because hot`"):
        needs_because("", "/gpu node cordon gpu-1 because hot")
