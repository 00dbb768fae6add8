"""The random clusters: the same seed draws the same one, and what is known to differ is drawn only where it is asked for."""

import pytest

from tests.judge.clusters import cluster
from tests.judge.making.open import QUESTIONS
from tests.judge.making.world import Object

SEEDS = range(80)


def test_a_seed_draws_the_same_cluster_again() -> None:
    assert [cluster(seed) for seed in SEEDS[:5]] == [cluster(seed) for seed in SEEDS[:5]]
    assert cluster(1) != cluster(2)


def test_no_name_is_given_twice() -> None:
    for seed in SEEDS:
        names = [(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in cluster(seed)]
        assert len(names) == len(set(names)), f"seed {seed}"


@pytest.mark.parametrize(
    "kind",
    ["CSINode", "DeviceClass", "PodDisruptionBudget", "PersistentVolume", "ResourceClaim", "ResourceSlice", "VolumeAttachment"],
)  # fmt: skip
def test_some_clusters_have(kind: str) -> None:
    assert any(one["kind"] == kind for seed in SEEDS for one in cluster(seed))


OPEN = {
    "wide search for devices": lambda one: "gpu-1-quarter" in str(one["spec"].get("devices")),
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_open_is_drawn_only_where_it_is_asked_for(question: str) -> None:
    shown = OPEN[question]
    assert not [one for seed in SEEDS for one in _described(seed, frozenset()) if shown(one)]
    assert [one for seed in SEEDS for one in _described(seed, frozenset({question})) if shown(one)]


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(ValueError, match="no such question"):
        cluster(1, frozenset({"whatever"}))


def _described(seed: int, asked: frozenset[str]) -> list[Object]:
    return [one for one in cluster(seed, asked) if "spec" in one]
