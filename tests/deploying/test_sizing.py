"""The arithmetic of memory against figures that others published, and against each other."""

import pytest

from bot.deploying.chips import Chip, chip, generation, plain
from bot.deploying.parallel import fault, sizes, smallest_beside
from bot.deploying.sizing import kv_bytes, kv_dtype, size
from bot.domain.version import Version
from bot.serving.catalogue import catalogue, find
from bot.serving.model import Model, Variant

NEW, OLD = Version(0, 28), Version(0, 23)
H200, B200, H100 = "NVIDIA-H200", "NVIDIA-B200", "NVIDIA-H100-80GB-HBM3"


def of(name: str) -> tuple[Model, Variant]:
    model, variant = find(catalogue(), name)
    return model, variant or model.variants[0]


def card(product: str) -> Chip:
    found = chip(product)
    assert found is not None
    return found


# name, product, version, cache, guessing ahead, ranks → bytes of a token on one GPU
BYTES = [
    ("glm-5.2-fp8", H200, NEW, "fp8", False, 8, 53_940),
    ("glm-5.2-fp8", H200, NEW, "fp8", True, 8, 54_728),
    ("glm-5.2-fp8", H200, OLD, "fp8", False, 8, 61_464),
    ("glm-5.2-fp8", H200, OLD, "fp8", True, 8, 62_252),
    ("glm-5.2-fp8", H200, NEW, "auto", False, 8, 92_628),
    ("glm-5.2-fp8", H200, NEW, "auto", True, 8, 93_912),
    ("glm-5.2-fp8", H200, OLD, "auto", False, 8, 100_152),
    ("glm-5.2-fp8", B200, NEW, "fp8_e4m3", False, 8, 47_700),
    ("glm-5.2-fp8", B200, NEW, "fp8_e4m3", True, 8, 48_408),
    ("glm-5.1-fp8", H200, NEW, "fp8", True, 8, 62_252),
    ("glm-5.1-fp8", H200, OLD, "fp8", True, 8, 62_252),
    ("glm-5.1-fp8", B200, NEW, "fp8_e4m3", True, 8, 55_932),
    ("glm-5-fp8", H200, NEW, "auto", True, 8, 101_436),
    ("glm-4.7-fp8", H200, NEW, "auto", False, 4, 94_208),
    ("glm-4.7-fp8", H200, NEW, "auto", False, 8, 47_104),
    ("glm-4.7-fp8", H200, NEW, "fp8", False, 4, 47_104),
    ("air", H100, NEW, "auto", False, 2, 94_208),
    ("air", H100, NEW, "auto", False, 16, 23_552),
    ("flash", H100, NEW, "auto", False, 1, 54_144),
    ("flash", H100, NEW, "auto", True, 4, 55_296),
]


@pytest.mark.parametrize(("name", "product", "version", "dtype", "mtp", "ranks", "wanted"), BYTES)
def test_bytes_of_a_token(
    name: str, product: str, version: Version, dtype: str, mtp: bool, ranks: int, wanted: int
) -> None:
    model, variant = of(name)
    support = variant.support("vllm")
    assert support is not None
    assert kv_bytes(model, support, version, card(product), dtype, mtp=mtp, tensor_parallel=ranks) == wanted


def sized(name: str, product: str, ranks: int, dtype: str = "", stages: int = 1, mtp: bool = False):  # type: ignore[no-untyped-def]
    model, variant = of(name)
    support = variant.support("vllm")
    assert support is not None
    return size(
        model,
        variant,
        support,
        NEW,
        card(product),
        tensor_parallel=ranks,
        pipeline_parallel=stages,
        dtype=dtype,
        mtp=mtp,
    )


def test_the_measured_point_within_three_percent() -> None:
    """Eight H200, FP8 cache: 94.46 GiB of weights a rank, 25.94 GiB left, 516,367 tokens."""
    found = sized("glm-5.2-fp8", H200, 8, "fp8")
    assert found.weights_gib == pytest.approx(94.46, rel=0.01)
    assert found.kv_gib == pytest.approx(25.94, rel=0.03)
    assert found.kv_tokens == pytest.approx(516_367, rel=0.03)
    assert found.kv_tokens / 131_072 == pytest.approx(3.94, rel=0.03)
    assert found.kv_tokens > 262_144
    assert found.kv_tokens < 1_048_576


@pytest.mark.parametrize(
    ("tokens", "per_token", "ranks", "told"),
    [(138_496, 53_940, 8, 59_763_793_920), (44_288, 53_940, 8, 19_111_157_760), (2_560, 53_940, 8, 1_104_691_200)],
)
def test_other_measured_pools_are_whole_blocks_of_the_same_bytes(
    tokens: int, per_token: int, ranks: int, told: int
) -> None:
    model, variant = of("glm-5.2-fp8")
    support = variant.support("vllm")
    assert support is not None
    found = kv_bytes(model, support, NEW, card(H200), "fp8", mtp=False, tensor_parallel=ranks)
    assert found == per_token
    assert found * tokens * ranks == told
    assert tokens % 64 == 0


# checkpoint, product, ranks, stages, cache → tokens, about; 0: it does not fit
FITS = [
    ("glm-5.2-fp8", H200, 8, 1, "auto", 300_000),
    ("glm-5.2-fp8", "NVIDIA-H20-3e", 8, 1, "", 300_000),
    ("glm-5.2-fp8", B200, 8, 1, "", 1_390_000),
    ("glm-5.2-fp8", "NVIDIA-B300-SXM6-AC", 8, 1, "", 3_200_000),
    ("glm-5.2-fp8", "NVIDIA-B300-SXM6-AC", 4, 1, "", 1_100_000),
    ("glm-5.2-fp8", B200, 4, 1, "", 0),
    ("glm-5.2-fp8", H200, 4, 1, "", 0),
    ("glm-5.2-fp8", H100, 8, 1, "", 0),
    ("glm-5.2-fp8", H100, 16, 1, "", 340_000),
    ("glm-5.2-fp8", "NVIDIA-H20", 8, 1, "", 0),
    ("glm-5.2-nvfp4", B200, 4, 1, "", 960_000),
    ("glm-5.2-nvfp4", B200, 8, 1, "", 2_200_000),
    ("zai-org/GLM-5.2", "NVIDIA-B300-SXM6-AC", 8, 1, "", 1_200_000),
    ("glm-5.1-fp8", H200, 8, 1, "", 453_000),
    ("glm-4.7-fp8", H200, 4, 1, "", 430_000),
    ("glm-4.7-fp8", H200, 8, 1, "", 1_800_000),
    ("glm-4.7-fp8", H100, 8, 1, "", 590_000),
    ("glm-4.7-fp8", H100, 4, 1, "", 0),
    ("glm-4.7-bf16", H200, 8, 1, "", 900_000),
    ("glm-4.5-air-fp8", H100, 2, 1, "", 165_000),
    ("glm-4.5-air-bf16", H100, 4, 1, "", 370_000),
    ("flash", H100, 1, 1, "", 218_000),
    ("flash", H100, 2, 1, "", 800_000),
    ("flash", "NVIDIA-L40S", 4, 1, "", 450_000),
    ("flash", H200, 1, 1, "", 1_300_000),
]


@pytest.mark.parametrize(("name", "product", "ranks", "stages", "dtype", "tokens"), FITS)
def test_what_fits_where(name: str, product: str, ranks: int, stages: int, dtype: str, tokens: int) -> None:
    found = sized(name, product, ranks, dtype, stages)
    assert found.fits is bool(tokens)
    assert found.kv_tokens == pytest.approx(tokens, rel=0.1)
    if not tokens:
        assert "GiB" in found.why_not


def test_a_million_tokens_need_eight_b200() -> None:
    assert sized("glm-5.2-fp8", B200, 8).kv_tokens > 1_048_576


def test_stages_divide_weights_and_cache() -> None:
    one, two = sized("glm-4.7-fp8", H100, 8), sized("glm-4.7-fp8", H100, 8, stages=2)
    assert two.weights_gib == pytest.approx(one.weights_gib / 2)
    assert two.kv_bytes_per_token == one.kv_bytes_per_token // 2


@pytest.mark.parametrize(
    ("name", "product", "dtype"),
    [
        pytest.param("glm", H200, "fp8", id="Hopper"),
        pytest.param("glm", "NVIDIA-H20-3e", "auto", id="H20: FP8 is advised against"),
        pytest.param("glm", B200, "fp8_e4m3", id="Blackwell"),
        pytest.param("glm-4.7", H200, "auto", id="a model that says nothing"),
    ],
)
def test_what_the_cache_is_kept_in(name: str, product: str, dtype: str) -> None:
    _, variant = of(name)
    support = variant.support("vllm")
    assert support is not None
    assert kv_dtype(support, card(product)) == dtype


# ---- into how many ranks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "product", "good", "bad"),
    [
        pytest.param("glm-5.2-fp8", H200, (1, 2, 4, 8, 16), (3, 5, 6, 12, 32), id="64 heads, blocks of 128 rows"),
        pytest.param("zai-org/GLM-5.2", H200, (8, 16, 32), (6,), id="without quantised weights no blocks"),
        pytest.param("glm-4.7", H200, (1, 2, 4, 8, 16), (3, 6, 12), id="96 heads over 8 of keys"),
        pytest.param("flash", H200, (1, 2, 4, 5, 10, 20), (8, 16), id="20 heads"),
        pytest.param("air", "NVIDIA-A100-SXM4-80GB", (2,), (4, 8), id="tiles where FP8 is not native"),
        pytest.param("air", H100, (2, 4, 8), (), id="no tiles where it is"),
    ],
)
def test_ranks(name: str, product: str, good: tuple[int, ...], bad: tuple[int, ...]) -> None:
    model, variant = of(name)
    for one in good:
        assert fault(model, variant, one, card(product)) == ""
    for one in bad:
        assert fault(model, variant, one, card(product)) != ""


def test_all_sizes_and_the_nearest_beside_a_wrong_one() -> None:
    assert sizes(*of("glm"), 8) == (1, 2, 4, 8)
    assert smallest_beside(*of("glm"), 6) == (4, 8)
    assert smallest_beside(*of("flash"), 8) == (5, 10)


# ---- GPUs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "name", "memory"),
    [
        ("NVIDIA-H200", "H200", 143_771),
        ("NVIDIA-H200-NVL", "H200-NVL", 143_771),
        ("NVIDIA-H200-SHARED", "H200", 143_771),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "H100-80GB-HBM3", 81_559),
        ("NVIDIA-B300-SXM6-AC", "B300-SXM6-AC", 275_040),
        ("Tesla-T4", "T4", 15_360),
        ("NVIDIA H20", "H20", 97_871),
        ("NVIDIA-H20-3e", "H20-3e", 143_771),
    ],
)
def test_a_product_by_the_label_of_its_node(label: str, name: str, memory: int) -> None:
    assert plain(label) == name
    assert card(label).memory_mib == memory


def test_what_the_node_tells_goes_before_the_table() -> None:
    assert chip("NVIDIA-H200", memory_mib=140_000) == Chip("H200", 140_000, (9, 0), True)
    assert chip("NVIDIA-X900") is None
    assert chip("NVIDIA-X900", 500_000, (11, 0)) == Chip("X900", 500_000, (11, 0), None)
    assert generation(card("NVIDIA-H20")) == "h20"
