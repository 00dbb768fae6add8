"""Every line of what was published or worked out elsewhere of which model fits where, against the arithmetic here."""

import pytest

from bot.deploying.budgets import downloading
from bot.deploying.chips import chip
from bot.deploying.sizing import GIB, kv_bytes, kv_dtype, size
from bot.domain.version import Version
from bot.serving.catalogue import catalogue, find
from bot.serving.model import Model, Support, Variant

VERSION = Version(0, 28)
PRODUCTS = {
    "H200": "NVIDIA-H200",
    "H20-3e": "NVIDIA-H20-3e",
    "H20": "NVIDIA-H20",
    "H100": "NVIDIA-H100-80GB-HBM3",
    "B200": "NVIDIA-B200",
    "B300": "NVIDIA-B300-SXM6-AC",
    "GB300": "NVIDIA-GB300",
    "A100": "NVIDIA-A100-SXM4-80GB",
    "L40S": "NVIDIA-L40S",
}


def known(name: str, engine: str = "vllm") -> tuple[Model, Variant, Support]:
    model, variant = find(catalogue(), name)
    chosen = variant or model.variants[0]
    support = chosen.support(engine)
    assert support is not None
    return model, chosen, support


def sized(name: str, product: str, ranks: int, dtype: str = "", *, mtp: bool = False):  # type: ignore[no-untyped-def]
    model, variant, support = known(name)
    card = chip(PRODUCTS[product])
    assert card is not None
    return size(model, variant, support, VERSION, card, tensor_parallel=ranks, dtype=dtype, mtp=mtp)


# ---- measured: within 3 % --------------------------------------------------------------------------------------------

MEASURED = [
    pytest.param("weights_gib", 94.46, id="weights on each of eight H200"),
    pytest.param("kv_gib", 25.94, id="what they leave for the cache"),
    pytest.param("kv_tokens", 516_367, id="tokens of it in FP8"),
    pytest.param("kv_bytes_per_token", 53_940, id="bytes of one of them"),
]


@pytest.mark.parametrize("name", ["glm-5.3", "glm-5.2-fp8"])
@pytest.mark.parametrize(("what", "figure"), MEASURED)
def test_what_was_measured_on_eight_h200(name: str, what: str, figure: float) -> None:
    assert getattr(sized(name, "H200", 8, "fp8"), what) == pytest.approx(figure, rel=0.03)


@pytest.mark.parametrize(
    ("name", "mtp", "version", "told", "tokens"),
    [
        pytest.param("glm-5.2", False, Version(0, 28), 59_763_793_920 / 8, 138_496, id="one pool of eight ranks"),
        pytest.param("glm-5.2", False, Version(0, 28), 19_111_157_760 / 8, 44_288, id="a second"),
        pytest.param("glm-5.2", False, Version(0, 26, 1), 1_104_691_200 / 8, 2_560, id="a third, with an older engine"),
        pytest.param("glm-5", True, Version(0, 21), 16.22 * GIB, 279_808, id="4,372 blocks with guessing ahead"),
    ],
)
def test_pools_that_others_saw_hold_the_tokens_that_come_of_the_bytes(
    name: str, mtp: bool, version: Version, told: float, tokens: int
) -> None:
    model, _, support = known(name)
    card = chip(PRODUCTS["H200"])
    assert card is not None
    each = kv_bytes(model, support, version, card, "fp8", mtp=mtp, tensor_parallel=8)
    assert told / each == pytest.approx(tokens, rel=0.001)
    assert tokens % 64 == 0


# ---- one request of the full length: GiB on each GPU -----------------------------------------------------------------

LENGTHS = {
    53_940: {131_072: 6.58, 202_752: 10.19, 262_144: 13.17, 524_288: 26.34, 1_048_576: 52.68},
    54_728: {131_072: 6.68, 202_752: 10.33, 262_144: 13.36, 524_288: 26.72, 1_048_576: 53.45},
    62_252: {131_072: 7.60, 202_752: 11.75, 262_144: 15.20, 524_288: 30.40, 1_048_576: 60.79},
    92_628: {131_072: 11.31, 202_752: 17.49, 262_144: 22.61, 524_288: 45.23, 1_048_576: 90.46},
    47_700: {131_072: 5.82, 202_752: 9.01, 262_144: 11.65, 524_288: 23.29, 1_048_576: 46.58},
}
SETUPS = {53_940: ("H200", "fp8", 0), 54_728: ("H200", "fp8", 1), 92_628: ("H200", "auto", 0), 47_700: ("B200", "", 0)}


@pytest.mark.parametrize(("each", "tokens"), [(each, tokens) for each, row in LENGTHS.items() for tokens in row])
def test_gib_of_one_request(each: int, tokens: int) -> None:
    product, dtype, mtp = SETUPS.get(each, ("H200", "fp8", 1))
    found = sized("glm-5.2" if each in SETUPS else "glm-5.1", product, 8, dtype, mtp=bool(mtp))
    assert found.kv_bytes_per_token == each
    assert found.kv_bytes_per_token * tokens / GIB == pytest.approx(LENGTHS[each][tokens], abs=0.011)


@pytest.mark.parametrize(
    ("product", "tokens", "times"),
    [("H200", 131_072, 3.94), ("H200", 262_144, 1.97), ("H200", 524_288, 0.98), ("B200", 1_048_576, 1.33)],
)
def test_how_many_requests_of_a_length_go_at_once(product: str, tokens: int, times: float) -> None:
    assert sized("glm-5.2", product, 8).kv_tokens / tokens == pytest.approx(times, rel=0.03)


# ---- what fits: weights and cache in GiB of each GPU, and tokens; 0 is that it does not ------------------------------

TABLE = [
    ("glm-5.2-fp8", 8, "H200", "fp8", 94.5, 25.9, 516_000),
    ("glm-5.2-fp8", 8, "H200", "auto", 94.5, 25.9, 300_000),
    ("glm-5.2-fp8", 8, "H20-3e", "", 94.5, 26, 300_000),
    ("glm-5.2-fp8", 8, "B200", "", 94.5, 62, 1_390_000),
    ("glm-5.2-fp8", 8, "B300", "", 94.5, 144, 3_200_000),
    ("glm-5.2-fp8", 4, "B300", "", 189, 50, 1_100_000),
    ("glm-5.2-fp8", 4, "B200", "", 189, 0, 0),
    ("glm-5.2-fp8", 4, "H200", "", 189, 0, 0),
    ("glm-5.2-fp8", 8, "H100", "", 94.5, 0, 0),
    ("glm-5.2-fp8", 16, "H100", "", 47, 17, 340_000),
    ("glm-5.2-fp8", 8, "H20", "", 94.5, 0, 0),
    ("glm-5.2-fp8", 16, "H20", "", 47, 32, 370_000),
    ("glm-5.2-nvfp4", 4, "B200", "", 114, 43, 960_000),
    ("glm-5.2-nvfp4", 8, "B200", "", 57, 99, 2_200_000),
    ("glm-5.2-bf16", 8, "B300", "", 184, 55, 1_200_000),
    ("glm-5.2-bf16", 16, "H200", "fp8", 92, 29, 570_000),
    ("glm-5.1-fp8", 8, "H200", "", 94.5, 26, 453_000),
    ("glm-5-fp8", 8, "H200", "", 94.5, 26, 453_000),
    ("glm-4.7-fp8", 4, "H200", "", 84, 40, 450_000),
    ("glm-4.6-fp8", 4, "H200", "", 84, 40, 450_000),
    ("glm-4.7-fp8", 8, "H200", "", 42, 82, 1_800_000),
    ("glm-4.7-fp8", 8, "H100", "", 42, 26, 590_000),
    ("glm-4.7-fp8", 4, "H100", "", 84, 0, 0),
    ("glm-4.7-bf16", 8, "H200", "", 83.5, 40, 900_000),
    ("glm-4.5-air-fp8", 2, "H100", "", 53, 15, 170_000),
    ("glm-4.5-air-fp8", 2, "A100", "", 53, 15, 170_000),
    ("glm-4.5-air-bf16", 4, "H100", "", 51.5, 16.5, 370_000),
    ("glm-4.7-flash", 1, "H100", "", 58.1, 11, 218_000),
    ("glm-4.7-flash", 2, "H100", "", 29, 40, 800_000),
    ("glm-4.7-flash", 2, "A100", "", 29, 40, 800_000),
    ("glm-4.7-flash", 4, "L40S", "", 14.5, 23, 450_000),
    ("glm-4.7-flash", 1, "H200", "", 58.1, 67, 1_300_000),
]


@pytest.mark.parametrize(
    ("name", "gpus", "product", "dtype", "weights", "cache", "tokens"),
    [pytest.param(*row, id=f"{row[0]} on {row[1]} {row[2]} {row[3]}".strip()) for row in TABLE],
)
def test_the_planning_table(
    name: str, gpus: int, product: str, dtype: str, weights: float, cache: float, tokens: int
) -> None:
    found = sized(name, product, gpus, dtype)
    assert found.weights_gib == pytest.approx(weights, rel=0.03)
    assert found.fits is bool(tokens)
    assert found.kv_gib == pytest.approx(cache, rel=0.08)
    assert found.kv_tokens == pytest.approx(tokens, rel=0.08)


def test_guessing_ahead_takes_a_little_of_the_cache() -> None:
    assert sized("glm-5.2", "H200", 8, "fp8", mtp=True).kv_tokens == pytest.approx(509_000, rel=0.03)
    assert sized("glm-5.1", "H200", 8, "fp8", mtp=True).kv_tokens == pytest.approx(447_000, rel=0.03)


REFUSED = [
    pytest.param("glm-5.2-fp8", "A100", id="no sparse attention on Ampere"),
    pytest.param("glm-5.2-fp8", "L40S", id="nor on Ada"),
    pytest.param("glm-5.2-fp8", "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", id="nor on Blackwell of workstations"),
    pytest.param("glm-5.1-fp8", "NVIDIA-A10", id="nor for the release before"),
    pytest.param("glm-5.2-nvfp4", "H200", id="no NVFP4 on Hopper"),
    pytest.param("glm-4.7-nvfp4", "H100", id="nor of a model without sparse attention"),
    pytest.param("glm-5.3-flash", "A100", id="nor for its small sibling"),
    pytest.param("deepseek-v3.2", "A100", id="nor for another maker's model"),
]


@pytest.mark.parametrize(("name", "product"), REFUSED)
def test_gpus_without_the_kernels_are_told_by_their_compute_capability(name: str, product: str) -> None:
    _, variant, _ = known(name)
    card = chip(PRODUCTS.get(product, product))
    assert card is not None
    assert card.capability not in variant.only
    assert variant.only
    assert variant.because


# ---- numbers worked out by hand --------------------------------------------------------------------------------------


def test_weights_that_are_more_than_all_memory_are_refused_before_the_cache() -> None:
    found = sized("glm-5.2", "H100", 8)
    assert 8 * found.total_gib == pytest.approx(637, abs=1)
    assert known("glm-5.2")[1].weights_bytes / GIB == pytest.approx(703.74, abs=0.01)
    assert found.kv_tokens == 0
    assert "its weights take 94.5 GiB of each GPU with 8" in found.why_not


def test_h20_of_two_sizes() -> None:
    small, large = sized("glm-5.2", "H20", 8), sized("glm-5.2", "H20-3e", 8)
    assert small.requested_gib == pytest.approx(87.9, abs=0.1)
    assert not small.fits
    assert large.kv_tokens > 200_000
    card = chip(PRODUCTS["H20-3e"])
    assert card is not None
    assert kv_dtype(known("glm-5.2")[2], card) == "auto"


def test_four_b200_hold_nvfp4_and_not_fp8() -> None:
    assert sized("glm-5.2-fp8", "B200", 4).requested_gib == pytest.approx(164.7, abs=0.1)
    assert not sized("glm-5.2-fp8", "B200", 4).fits
    assert sized("glm-5.2-nvfp4", "B200", 4).fits
    assert sized("glm-5.2-fp8", "GB300", 4).fits


@pytest.mark.parametrize(
    ("name", "minutes", "slow"),
    [
        ("glm-5.2-fp8", 14.4, 144),
        ("glm-5.2-bf16", 28.7, 287),
        ("glm-5.2-nvfp4", 8.9, 89),
        ("glm-5.3-flash", 5.8, 58),
        ("glm-4.7-fp8", 6.9, 69),
        ("glm-4.5-air-fp8", 2.2, 22),
        ("glm-4.7-flash", 1.2, 12),
    ],
)
def test_minutes_of_a_download_at_ten_and_at_one_gigabit(name: str, minutes: float, slow: float) -> None:
    found = downloading(known(name)[1].weights_bytes)
    assert found.usual / 60 == pytest.approx(minutes, abs=0.1)
    assert found.late / 60 == pytest.approx(slow, abs=1)
