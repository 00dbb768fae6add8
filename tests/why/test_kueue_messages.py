"""Kueue's refusals of all releases, taken apart."""

import pytest

from bot.why.kueue_messages import LONGEST, Why, parse

HEAD = "couldn't assign flavors to pod set main: "


@pytest.mark.parametrize(
    ("text", "why", "fields"),
    [
        pytest.param(
            "insufficient unused quota for nvidia.com/gpu in flavor a, 3 more needed",
            Why.USED,
            {"resource": "nvidia.com/gpu", "flavor": "a", "missing": "3"},
            id="quota in use",
        ),
        pytest.param(
            "insufficient unused quota in cohort for cpu in flavor a, 500m more needed",
            Why.USED,
            {"resource": "cpu", "missing": "500m"},
            id="quota of the cohort in use, release 0.8",
        ),
        pytest.param(
            "insufficient quota for nvidia.com/gpu in flavor a, request > maximum capacity (16 > 8)",
            Why.TOO_BIG,
            {"asked": "16", "most": "8"},
            id="too big, releases 0.10 to 0.14",
        ),
        pytest.param(
            "insufficient quota for nvidia.com/gpu in flavor a, previously considered podsets requests (8) + current podset "
            "request (16) > maximum capacity (12)",
            Why.TOO_BIG,
            {"asked": "16", "most": "12"},
            id="too big, releases from 0.15 on",
        ),
        pytest.param(
            "untolerated taint {spot true NoSchedule <nil>} in flavor a",
            Why.TAINT,
            {"detail": "{spot true NoSchedule <nil>}", "flavor": "a"},
            id="a taint",
        ),
        pytest.param("flavor a not found", Why.NO_FLAVOR, {"flavor": "a"}, id="no such flavor"),
        pytest.param("flavor a doesn't match node affinity", Why.AFFINITY, {"flavor": "a"}, id="other labels"),
        pytest.param(
            "flavor a does not provide resource cpu",
            Why.NOT_COVERED,
            {"flavor": "a", "resource": "cpu"},
            id="not provided",
        ),
        pytest.param(
            'Flavor "a" does not support TopologyAwareScheduling', Why.TOPOLOGY, {"flavor": "a"}, id="no topology"
        ),
        pytest.param("what nobody has seen yet", Why.OTHER, {"text": "what nobody has seen yet"}, id="unknown words"),
    ],
)
def test_one_reason(text: str, why: Why, fields: dict[str, str]) -> None:
    (only,) = parse(HEAD + text).reasons
    assert only.why is why
    assert only.podset == "main"
    assert {key: getattr(only, key) for key in fields} == fields


def test_several_pod_sets_keep_their_names_and_preemption_is_counted() -> None:
    refusal = parse(
        f"{HEAD}flavor a not found; couldn't assign flavors to pod set w: flavor b not found, untolerated "
        "taint x in flavor c. Pending the preemption of 3 workload(s)"
    )
    assert [(one.podset, one.flavor) for one in refusal.reasons] == [("main", "a"), ("w", "b"), ("w", "c")]
    assert refusal.preempting == 3


@pytest.mark.parametrize("text", ["", "x" * 10 * LONGEST, "untolerated taint {" * 300, "in flavor " * 1000])
def test_hostile_texts_end(text: str) -> None:
    assert len(parse(text).text) <= LONGEST


def test_words_of_the_first_releases() -> None:
    told = "couldn't assign flavors to pod set main: "
    (big,) = parse(f"{told}insufficient quota for cpu in flavor a in ClusterQueue").reasons
    assert (big.why, big.resource, big.flavor) == (Why.TOO_BIG, "cpu", "a")
    (lent,) = parse(f"{told}borrowing limit for cpu in flavor a exceeded").reasons
    assert (lent.why, lent.resource, lent.flavor) == (Why.USED, "cpu", "a")
    (used,) = parse(f"{told}insufficient unused quota in cohort for cpu flavor a, 4 more needed").reasons
    assert (used.why, used.flavor, used.missing) == (Why.USED, "a", "4")
