import pytest

from bot.local.cluster.controllers.quantity import amount


@pytest.mark.parametrize(
    ("resource", "text", "expected"),
    [
        pytest.param("cpu", "2", 2000, id="cores become millicores"),
        pytest.param("cpu", "150m", 150, id="millicores stay"),
        pytest.param("cpu", "0.0001", 1, id="less than a millicore rounds up"),
        pytest.param("memory", "2Ki", 2048, id="binary suffix"),
        pytest.param("memory", "1k", 1000, id="decimal suffix"),
        pytest.param("memory", "1.5Gi", 1610612736, id="a fraction of a suffix"),
        pytest.param("memory", "1e3", 1000, id="exponent"),
        pytest.param("memory", "2E", 2 * 10**18, id="exa is a suffix, not an exponent"),
        pytest.param("nvidia.com/gpu", "8", 8, id="devices"),
    ],
)
def test_amounts(resource, text, expected):
    assert amount(resource, text) == expected


@pytest.mark.parametrize("text", ["", "many", "1Gib", "1 Gi"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError, match="not a quantity"):
        amount("memory", text)
