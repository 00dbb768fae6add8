"""Models of other makers, by their own configuration; and that everything of the catalogue has some place to run."""

import pytest

from bot.deploying.chips import chip, generation
from bot.serving.catalogue import catalogue
from bot.serving.model import GENERATIONS
from tests.deploying.test_sizing_published import PRODUCTS, sized

OTHERS = [
    pytest.param("qwen3-8b", 1, 2 * 36 * 8 * 128 * 2, id="keys and values of 36 layers"),
    pytest.param("qwen3-32b", 8, 2 * 64 * 128 * 2, id="one head of eight on each rank"),
    pytest.param("qwen3-30b-a3b", 8, 2 * 48 * 128 * 2, id="more ranks than heads: one head on each"),
    pytest.param("llama-3.3-70b", 4, 2 * 80 * 2 * 128 * 2, id="two heads on each rank"),
    pytest.param("gpt-oss-120b", 1, 2 * 18 * 8 * 64 * 2, id="only layers that look at everything"),
    pytest.param("deepseek-v3.1", 8, 61 * 1152, id="a latent, the same on every rank"),
    pytest.param("deepseek-v3.2", 8, 61 * (1152 + 132), id="a latent and index keys in every layer"),
]


@pytest.mark.parametrize(("name", "ranks", "wanted"), OTHERS)
def test_bytes_of_a_token_of_other_models(name: str, ranks: int, wanted: int) -> None:
    assert sized(name, "H200", ranks, "auto").kv_bytes_per_token == wanted


def test_every_variant_fits_on_some_gpus_that_exist() -> None:
    ways = [(product, ranks) for product in ("H200", "B200", "B300") for ranks in (1, 2, 4, 8)]
    for model in catalogue().models:
        for variant in model.variants:
            name = f"{model.id}-{variant.id}"
            if variant.support("vllm") is not None:
                assert any(sized(name, product, ranks).fits for product, ranks in ways), name


@pytest.mark.parametrize("product", [*PRODUCTS.values(), "Tesla-T4", "NVIDIA-GB10", "NVIDIA-GeForce-RTX-5090"])
def test_every_gpu_is_of_a_generation_that_the_catalogue_can_name(product: str) -> None:
    card = chip(product)
    assert card is not None
    assert generation(card) in GENERATIONS
