"""What explains what over looks: one incident for a node, its pods and its models; several where causes differ."""

from bot.domain.alert_rules import AlertRules
from bot.domain.alert_state import Kind
from tests.alerts.building import RULES, WARNING, Fleet, a_bundle, an_alert, crashing, down, lost, reasons


def test_a_node_that_is_down_is_one_incident_with_its_pods() -> None:
    fleet = Fleet()
    fleet.look(down("gpu-9", *(f"llm/m{number}" for number in range(14))), times=3)
    assert fleet.open == [1]
    assert len(fleet.firing()) == 15
    assert len(reasons(fleet.all, Kind.INHIBITED)) == 14


def test_pods_that_show_it_first_are_the_same_incident_when_their_node_turns_out_to_be_down() -> None:
    fleet = Fleet()
    fleet.look(crashing("llm/glm", node="gpu-9"), times=2)
    fleet.look(crashing("llm/glm", node="gpu-9"), down("gpu-9"), times=2)
    assert fleet.open == [1]
    assert fleet.state.groups[1].content.cause == "node.not_ready"
    assert "the cause is node.not_ready now, it was crash.oom" in reasons(fleet.all, Kind.CHANGED)[-1]


def test_what_a_node_says_after_it_went_down_belongs_to_it() -> None:
    fleet = Fleet()
    fleet.look(down("gpu-9"), times=2)
    later = a_bundle(an_alert("heat.margin", node="gpu-9", severity=WARNING))
    fleet.look(down("gpu-9"), later, crashing("dev/nb", node="gpu-9"), times=8)
    assert fleet.open == [1]
    assert "gpu-9 is down already" in reasons(fleet.all, Kind.JOINED)


def test_a_replacement_that_finds_no_place_belongs_to_what_hit_its_owner() -> None:
    fleet = Fleet()
    fleet.look(down("gpu-9", "llm/glm"), times=2)
    pending = a_bundle(an_alert("fit.gpu", owner="llm/glm"), since=fleet.now)
    fleet.look(down("gpu-9", "llm/glm"), pending, times=3)
    assert fleet.open == [1]
    assert "llm/glm was hit already" in reasons(fleet.all, Kind.JOINED)


def test_two_incidents_with_one_root_are_merged_into_the_older() -> None:
    fleet = Fleet()
    fleet.look(crashing("llm/a"), crashing("llm/b"), times=2)
    assert fleet.open == [1, 2]
    both = a_bundle(
        an_alert("admission.webhook"), an_alert("crash.oom", owner="llm/a"), an_alert("crash.oom", owner="llm/b")
    )
    fleet.look(both, times=2)
    assert fleet.open == [1]
    assert [(one.number, one.other) for one in fleet.all if one.kind is Kind.MERGED] == [(1, 2)]
    assert {one.incident for one in fleet.firing()} == {1}


def test_what_turns_out_to_have_two_roots_becomes_two_incidents() -> None:
    fleet = Fleet()
    joined = a_bundle(an_alert("admission.webhook"), an_alert("crash.oom", owner="llm/a"))
    fleet.look(joined, times=2)
    apart = (a_bundle(an_alert("admission.webhook")), crashing("llm/a"))
    fleet.look(*apart, times=3)
    assert fleet.open == [1]
    fleet.look(*apart)
    assert fleet.open == [1, 2]
    assert [(one.number, one.other) for one in fleet.all if one.kind is Kind.SPLIT] == [(1, 2)]
    fleet.look(*apart, times=50)
    assert fleet.open == [1, 2]


def test_what_a_node_that_is_down_explains_is_never_split_off() -> None:
    fleet = Fleet()
    fleet.look(down("gpu-9", "llm/glm"), times=2)
    fleet.look(down("gpu-9"), crashing("llm/glm", node="gpu-9"), times=50)
    assert fleet.open == [1]


def test_unlike_faults_of_unlike_nodes_are_incidents_of_their_own() -> None:
    fleet = Fleet()
    fleet.look(lost("gpu-1"), lost("gpu-2"), crashing("llm/a", node="gpu-3"), times=30)
    assert fleet.open == [1, 2, 3]


def test_many_new_incidents_at_once_are_one_digest_and_each_is_kept() -> None:
    fleet = Fleet()
    many = [crashing(f"llm/m{number}", node=f"cpu-{number}") for number in range(12)]
    fleet.look(*many, times=2)
    assert fleet.open == list(range(1, 13))
    assert [one.quiet for _, one in sorted(fleet.state.groups.items())] == [""] * 5 + ["storm"] * 7
    assert fleet.state.storm is not None
    assert (fleet.state.storm.number, fleet.state.storm.members) == (6, tuple(range(6, 13)))
    fleet.look(*many, times=40)
    assert fleet.kinds(Kind.STORM) == [Kind.STORM, Kind.STORM]
    assert fleet.state.storm.ended_at is not None
    fleet.look(times=3)
    assert fleet.open == []
    assert len(fleet.kinds(Kind.RESOLVED)) == 12


def test_a_storm_of_750_nodes_is_one_incident_per_cause() -> None:
    fleet = Fleet(AlertRules(routes=RULES.routes))
    names = [f"n{number}" for number in range(750)]
    for step in range(1, 11):
        failed = [an_alert("node.not_ready", node=name) for name in names[: step * 75]]
        fleet.look(a_bundle(*failed), nodes=frozenset(names))
    fleet.look(a_bundle(*failed), nodes=frozenset(names), times=20)
    assert fleet.open == [1]
    assert len(fleet.firing()) == 750
    assert len(fleet.kinds(Kind.CHANGED)) <= 8
    for step in range(10):
        left = [an_alert("node.not_ready", node=name) for name in names[(step + 1) * 75 :]]
        fleet.look(*([a_bundle(*left)] if left else []), nodes=frozenset(names))
    fleet.look(nodes=frozenset(names), times=3)
    assert fleet.open == []
    assert fleet.kinds(Kind.RESOLVED) == [Kind.RESOLVED]
