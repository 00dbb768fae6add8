"""Kubernetes quantities in whole numbers, as the scheduler counts them."""

from fractions import Fraction

import pytest

from bot.domain.quantity import QuantityError, amount, amounts, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("0", Fraction(0), id="nothing"),
        pytest.param("2", Fraction(2), id="a whole number"),
        pytest.param("1.5", Fraction(3, 2), id="a decimal number"),
        pytest.param(".5", Fraction(1, 2), id="no digit before the point"),
        pytest.param("5.", Fraction(5), id="no digit after the point"),
        pytest.param("-1", Fraction(-1), id="a negative number"),
        pytest.param("+1", Fraction(1), id="a plus sign"),
        pytest.param("100m", Fraction(1, 10), id="thousandths"),
        pytest.param("250u", Fraction(250, 10**6), id="millionths"),
        pytest.param("1n", Fraction(1, 10**9), id="billionths"),
        pytest.param("3k", Fraction(3000), id="thousands have a small k"),
        pytest.param("2M", Fraction(2 * 10**6), id="millions"),
        pytest.param("1Ki", Fraction(1024), id="binary thousands have a large K"),
        pytest.param("1.5Gi", Fraction(3 * 2**29), id="a decimal number of a binary unit"),
        pytest.param("1Ei", Fraction(2**60), id="the largest binary unit"),
        pytest.param("1E", Fraction(10**18), id="E alone is a unit"),
        pytest.param("1e3", Fraction(1000), id="an exponent"),
        pytest.param("1E3", Fraction(1000), id="a large E with digits is an exponent"),
        pytest.param("12e-3", Fraction(12, 1000), id="a negative exponent"),
    ],
)
def test_the_value_of(text: str, value: Fraction) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("many", id="a word"),
        pytest.param("1K", id="a large K alone"),
        pytest.param("1ki", id="a small k with i"),
        pytest.param("1 Gi", id="a space"),
        pytest.param("1Gi ", id="a space behind"),
        pytest.param("1\n", id="a line end"),
        pytest.param("1e9999", id="an exponent without end"),
        pytest.param("0x10", id="hexadecimal"),
        pytest.param("١", id="digits of another script"),
        pytest.param("1" * 65, id="a number without end"),
        pytest.param("nan", id="not a number"),
    ],
)
def test_is_no_quantity(text: str) -> None:
    with pytest.raises(QuantityError, match="is not a Kubernetes quantity"):
        parse(text)


@pytest.mark.parametrize(
    ("resource", "text", "counted"),
    [
        pytest.param("cpu", "2", 2000, id="CPU is counted in millicores"),
        pytest.param("cpu", "100m", 100, id="millicores as they are"),
        pytest.param("cpu", "0.0001", 1, id="less than a millicore counts as one"),
        pytest.param("memory", "64Gi", 64 * 2**30, id="memory in bytes"),
        pytest.param("memory", "1500m", 2, id="a part of a byte is rounded up"),
        pytest.param("nvidia.com/gpu", "8", 8, id="devices are pieces"),
        pytest.param("cpu-like.example/cpu", "1", 1, id="only cpu itself is CPU"),
    ],
)
def test_the_scheduler_counts(resource: str, text: str, counted: int) -> None:
    assert amount(resource, text) == counted


def test_a_map_may_hold_bare_numbers() -> None:
    assert amounts({"cpu": 1.5, "nvidia.com/gpu": 4, "memory": "1Ki"}) == {
        "cpu": 1500,
        "nvidia.com/gpu": 4,
        "memory": 1024,
    }


def test_a_map_that_cannot_be_read_names_its_resources() -> None:
    with pytest.raises(QuantityError, match=r"'lots' is not .* \(in cpu, memory\)"):
        amounts({"memory": "1Gi", "cpu": "lots"})
