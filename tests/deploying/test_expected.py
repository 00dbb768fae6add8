"""How long a start is expected to take: sizes against the speeds of networks and disks."""

import pytest

from bot.deploying.budgets import downloading, reading, startup_seconds, until_ready
from bot.serving.catalogue import catalogue, find

# name → minutes of the download with 10 and with 1 Gbit/s, of the reading with 4 and with 0.5 GB/s
MINUTES = [
    ("glm-5.2-fp8", 14, 144, 3.1, 25),
    ("glm-5.2-nvfp4", 9, 89, 1.9, 15.5),
    ("glm-4.7-fp8", 7, 69, 1.5, 12),
    ("air-fp8", 2.2, 22, 0.5, 10),
    ("flash", 1.2, 12, 0.3, 10),  # ten minutes are allowed for anything
]


def weights(name: str) -> int:
    model, variant = find(catalogue(), name)
    return (variant or model.variants[0]).weights_bytes


@pytest.mark.parametrize(("name", "fast", "slow", "read", "read_slow"), MINUTES)
def test_downloads_and_reads(name: str, fast: float, slow: float, read: float, read_slow: float) -> None:
    size = weights(name)
    assert downloading(size).usual / 60 == pytest.approx(fast, rel=0.05, abs=0.06)
    assert downloading(size).late / 60 == pytest.approx(slow, rel=0.03)
    assert reading(size).usual / 60 == pytest.approx(read, rel=0.05, abs=0.06)
    assert reading(size).late / 60 == pytest.approx(read_slow, rel=0.03)


def test_a_large_model_takes_from_a_quarter_to_two_hours() -> None:
    soon, late = until_ready(weights("glm-5.2-fp8"), downloads=True, adds_node=False)
    assert 15 * 60 < soon < 30 * 60
    assert 60 * 60 < late <= 150 * 60


@pytest.mark.parametrize(("downloads", "adds_node"), [(True, False), (False, True), (True, True)])
def test_a_download_and_a_new_node_take_longer(downloads: bool, adds_node: bool) -> None:
    size = weights("glm-5.2-fp8")
    plain = until_ready(size, downloads=False, adds_node=False)
    more = until_ready(size, downloads=downloads, adds_node=adds_node)
    assert more[0] > plain[0]
    assert more[1] > plain[1]


@pytest.mark.parametrize("name", [one[0] for one in MINUTES])
def test_a_probe_allows_for_the_slow_end_of_reading_and_compiling(name: str) -> None:
    size = weights(name)
    assert 20 * 60 <= startup_seconds(size) <= 120 * 60
    assert startup_seconds(size) > reading(size).late + 20 * 60
