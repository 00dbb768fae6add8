"""Filters that count pods elsewhere: topology spread and affinity between pods."""

from typing import Any

import msgspec
import pytest

from bot.domain.pod_spec import PodTerm, SpreadConstraint, Toleration
from bot.domain.selectors import EVERYTHING, NOTHING, Selector, selector
from bot.domain.workload import Namespace
from bot.scheduling.framework import Code
from tests.factories import a_taint
from tests.scheduling.placing import a_place, failing, failure, has, placed, verdict, waiting

WEB = {"app": "web"}
SPREAD = SpreadConstraint("zone", selector=has("app", "web"))


def zones(**more: Any) -> list[Any]:
    return [a_place("n1", labels={"zone": "a"}), a_place("n2", labels={"zone": "b"}, **more)]


def spread(*there: Any, pod: dict[str, Any] | None = None, **changed: Any) -> list[str]:
    """Names of nodes where the spread is too uneven."""
    constraint = msgspec.structs.replace(SPREAD, **changed)
    waits = waiting(spread=(constraint,), **({"labels": WEB} | (pod or {})))
    return [node for node, plugins in failing(waits, *there).items() if "PodTopologySpread" in plugins]


def test_the_fuller_zone_is_closed() -> None:
    assert spread(*zones(), placed("n1", labels=WEB)) == ["n1"]


@pytest.mark.parametrize(
    ("there", "changed", "closed"),
    [
        pytest.param({}, {"max_skew": 2}, [], id="within maxSkew"),
        pytest.param({}, {"hard": False}, [], id="ScheduleAnyway never closes a node"),
        pytest.param({"labels": {"app": "db"}}, {}, [], id="pods that do not match are not counted"),
        pytest.param({"namespace": "other"}, {}, [], id="nor pods of another namespace"),
        pytest.param({"deleted": "2026-11-30T12:00:00Z"}, {}, [], id="nor pods that are leaving"),
        pytest.param({"phase": "Failed"}, {}, [], id="nor finished pods"),
        pytest.param({}, {"selector": EVERYTHING}, [], id="an empty selector counts nobody"),
        pytest.param({}, {"selector": NOTHING}, [], id="no selector counts nobody"),
        pytest.param({}, {"match_label_keys": ("app",)}, ["n1"], id="matchLabelKeys adds the pod's own value"),
    ],
)
def test_what_a_spread_counts(there: dict[str, Any], changed: dict[str, Any], closed: list[str]) -> None:
    assert spread(*zones(), placed("n1", **({"labels": WEB} | there)), **changed) == closed


def test_with_fewer_zones_than_wanted_the_minimum_counts_as_zero() -> None:
    even = (*zones(), placed("n1", "one", labels=WEB), placed("n2", "two", labels=WEB))
    assert spread(*even, min_domains=2) == []
    assert spread(*even, min_domains=3) == ["n1", "n2"]


def test_an_empty_zone_that_the_pod_may_not_use_holds_the_minimum_down_unless_told_otherwise() -> None:
    tainted = zones(taints=(a_taint("gpu:NoSchedule"),))
    there = placed("n1", labels=WEB)
    assert spread(*tainted, there) == ["n1"]
    assert spread(*tainted, there, honors_taints=True) == []
    assert spread(*tainted, there, honors_taints=True, pod={"tolerations": (Toleration("gpu", "Exists"),)}) == ["n1"]


def test_zones_that_node_affinity_rules_out_do_not_count() -> None:
    there = placed("n1", labels=WEB)
    assert spread(*zones(), there, pod={"node_selector": {"zone": "a"}}) == []
    assert spread(*zones(), there, pod={"node_selector": {"zone": "a"}}, honors_affinity=False) == ["n1"]


def test_a_node_without_the_key_is_told_apart() -> None:
    found = failure("PodTopologySpread", waiting(spread=(SPREAD,)), a_place(labels={}))
    assert found is not None
    assert (found.code, found.detail) == (Code.UNRESOLVABLE, "zone")
    assert found.reasons == ("node(s) didn't match pod topology spread constraints (missing required label)",)


NEAR = PodTerm("zone", has("app", "web"))


def far(term: PodTerm, **changed: Any) -> Any:
    return waiting(anti_affinity=(term,), **changed)


def near(term: PodTerm, **changed: Any) -> Any:
    return waiting(affinity=(term,), **changed)


@pytest.mark.parametrize(
    ("pod", "there", "closed"),
    [
        pytest.param(near(NEAR), {}, ["n2"], id="affinity: only the zone of the others"),
        pytest.param(near(NEAR), {"labels": {"app": "db"}}, ["n1", "n2"], id="affinity: nobody to join"),
        pytest.param(near(NEAR, labels=WEB), {"labels": {"app": "db"}}, [], id="affinity: the first of its kind"),
        pytest.param(near(NEAR, labels=WEB), {}, ["n2"], id="affinity: the second of its kind has to join the first"),
        pytest.param(near(NEAR), {"namespace": "b"}, ["n1", "n2"], id="affinity: not in another namespace"),
        pytest.param(far(NEAR), {}, ["n1"], id="anti-affinity: not in the zone of the others"),
        pytest.param(far(NEAR), {"namespace": "b"}, [], id="anti-affinity: those of another namespace do not matter"),
        pytest.param(
            far(PodTerm("zone", has("app", "web"), frozenset({"b"}))), {"namespace": "b"}, ["n1"], id="a listed namespace"
        ),
        pytest.param(
            far(PodTerm("zone", has("app", "web"), frozenset(), EVERYTHING)), {"namespace": "b"}, ["n1"],
            id="an empty namespaceSelector means all namespaces",
        ),
        pytest.param(
            far(PodTerm("zone", has("app", "web"), frozenset(), has("team", "x"))), {"namespace": "b"}, ["n1"],
            id="a namespaceSelector looks at the namespace's labels",
        ),
        pytest.param(
            far(PodTerm("zone", has("app", "web"), frozenset(), has("team", "y"))), {"namespace": "b"}, [],
            id="and leaves the others out",
        ),
        pytest.param(far(NEAR), {"deleted": "2026-11-30T12:00:00Z"}, ["n1"], id="leaving pods still count"),
        pytest.param(far(NEAR), {"phase": "Succeeded"}, [], id="finished pods do not"),
        pytest.param(far(PodTerm("rack", has("app", "web"))), {}, [], id="anti-affinity: a node without the key passes"),
        pytest.param(near(PodTerm("rack", has("app", "web"))), {}, ["n1", "n2"], id="affinity: it does not"),
        pytest.param(
            waiting(labels=WEB), {"anti_affinity": (NEAR,)}, ["n1"], id="those that are there may not want the pod"
        ),
        pytest.param(waiting(labels={"app": "db"}), {"anti_affinity": (NEAR,)}, [], id="but mean others"),
        pytest.param(
            waiting(labels=WEB), {"anti_affinity": (NEAR,), "namespace": "b"}, [], id="of their own namespace"
        ),
    ],
)  # fmt: skip
def test_affinity_between_pods(pod: Any, there: dict[str, Any], closed: list[str]) -> None:
    others = [placed("n1", **({"labels": WEB} | there)), Namespace(name="b", labels={"team": "x"})]
    found = failing(pod, *zones(), *others)
    assert [node for node, plugins in found.items() if "InterPodAffinity" in plugins] == closed


def test_a_selector_that_does_not_parse_ends_the_cycle() -> None:
    broken = selector({}, (has("app").requirements[0],))
    assert broken.nothing
    told = verdict(waiting(affinity=(PodTerm("zone", broken),)), *zones())
    assert told.prefilter is not None
    assert told.prefilter.failure.reasons == ("parsing pod: needs at least one value for In and NotIn",)


def test_an_existing_pods_selector_that_does_not_parse_keeps_nobody_away() -> None:
    there = placed("n1", labels=WEB, anti_affinity=(PodTerm("zone", Selector(nothing=True, invalid="odd")),))
    assert failing(waiting(labels=WEB), *zones(), there) == {"n1": [], "n2": []}
