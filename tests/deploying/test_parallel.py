"""Into how many ranks each kind of model can be cut: every rule with what goes, what does not, and what is said."""

import pytest

from bot.deploying.chips import Chip, chip
from bot.deploying.parallel import SIZES, fault, sizes, smallest_beside
from bot.serving.catalogue import catalogue, find
from bot.serving.model import Model, Variant

AMPERE, HOPPER = "NVIDIA-A100-SXM4-80GB", "NVIDIA-H100-80GB-HBM3"


def of(name: str) -> tuple[Model, Variant]:
    model, variant = find(catalogue(), name)
    return model, variant or model.variants[0]


def card(product: str) -> Chip:
    found = chip(product)
    assert found is not None
    return found


REASONS = [
    pytest.param("glm-5.2", 6, "64 attention heads cannot be divided by 6", id="heads"),
    pytest.param("glm-5.2", 3, "64 attention heads cannot be divided by 3", id="heads by an odd number"),
    pytest.param("flash", 8, "20 attention heads cannot be divided by 8", id="the twenty heads of the small one"),
    pytest.param("glm-4.7", 3, "8 key-value heads cannot be divided by 3", id="96 heads go by 3, their 8 of keys not"),
    pytest.param("glm-4.7", 6, "8 key-value heads cannot be divided by 6", id="nor by 6"),
    pytest.param("glm-4.7", 12, "8 key-value heads cannot be divided by 12", id="nor by 12"),
    pytest.param("glm-5.2-fp8", 32, "2048 rows over 32 ranks do not end between blocks of 128", id="blocks of weights"),
    pytest.param("qwen3-235b-fp8", 8, "1536 rows over 8 ranks do not end between blocks", id="of another maker"),
    pytest.param("qwen3-14b", 16, "40 attention heads", id="forty heads"),
]


@pytest.mark.parametrize(("name", "ranks", "told"), REASONS)
def test_why_not(name: str, ranks: int, told: str) -> None:
    assert told in fault(*of(name), ranks)


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        pytest.param("glm-5.2-fp8", 16, id="the last cut that ends between blocks"),
        pytest.param("glm-5.2-bf16", 32, id="weights without blocks"),
        pytest.param("glm-4.7-fp8", 16, id="twice as many ranks as heads of keys"),
        pytest.param("glm-4.7-fp8", 32, id="four times as many"),
        pytest.param("flash", 4, id="five heads on each"),
        pytest.param("flash", 20, id="one head on each"),
        pytest.param("qwen3-235b-fp8", 4, id="what its makers cap it at"),
        pytest.param("qwen3-235b-bf16", 8, id="the same one without blocks"),
        pytest.param("deepseek-v3.1", 16, id="128 heads"),
        pytest.param("gpt-oss", 8, id="as many ranks as heads of keys"),
    ],
)
def test_what_goes(name: str, ranks: int) -> None:
    assert fault(*of(name), ranks) == ""


@pytest.mark.parametrize(
    ("name", "product", "ranks", "told"),
    [
        pytest.param("air-fp8", AMPERE, 2, "", id="10,944 rows are 171 tiles"),
        pytest.param("air-fp8", AMPERE, 4, "5472 rows", id="5,472 rows are 85 and a half"),
        pytest.param("air-fp8", AMPERE, 8, "2736 rows", id="2,736 rows are not whole either"),
        pytest.param("air-fp8", HOPPER, 8, "", id="Hopper has FP8 of its own and no tiles"),
        pytest.param("air-fp8", "NVIDIA-L40S", 8, "", id="so has Ada"),
        pytest.param("air-bf16", AMPERE, 8, "", id="weights in BF16 are not cut into tiles"),
    ],
)
def test_tiles_of_gpus_without_fp8(name: str, product: str, ranks: int, told: str) -> None:
    reason = fault(*of(name), ranks, card(product))
    assert told in reason
    assert bool(reason) is bool(told)


@pytest.mark.parametrize(
    ("name", "most", "wanted"),
    [
        ("glm-5.2-fp8", 16, (1, 2, 4, 8, 16)),
        ("glm-5.2-bf16", 32, (1, 2, 4, 8, 16, 32)),
        ("glm-4.7", 32, (1, 2, 4, 8, 16, 32)),
        ("air", 8, (1, 2, 4, 8)),
        ("flash", 32, (1, 2, 4, 5, 10, 20)),
        ("qwen3-235b-fp8", 8, (1, 2, 4)),
    ],
)
def test_all_sizes_up_to_a_node(name: str, most: int, wanted: tuple[int, ...]) -> None:
    assert sizes(*of(name), most) == wanted


@pytest.mark.parametrize(
    ("name", "wanted", "beside"),
    [("glm", 6, (4, 8)), ("glm", 32, (16,)), ("flash", 8, (5, 10)), ("glm-4.7", 12, (8, 16)), ("air", 3, (2, 4))],
)
def test_what_to_type_instead(name: str, wanted: int, beside: tuple[int, ...]) -> None:
    found = smallest_beside(*of(name), wanted)
    assert found == beside
    assert all(fault(*of(name), one) == "" for one in found)


def test_no_model_has_a_size_that_its_own_rule_refuses() -> None:
    for model in catalogue().models:
        for variant in model.variants:
            found = sizes(model, variant, SIZES[-1])
            assert found[0] == 1
            assert all(model.architecture.heads % size == 0 for size in found)
