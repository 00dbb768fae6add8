"""Asking checks: order, what is filled in, and a check that fails."""

from collections.abc import Iterable

from bot.checks.check import Check, FleetCheck, Reads
from bot.checks.collect import checks
from bot.checks.finding import Finding, Severity, State
from bot.checks.look import fleet_scene, gpu_nodes, scenes, wanted
from bot.checks.run import run
from bot.checks.scene import Scene
from bot.domain.evidence import Evidence, LogRef, MetricsRef, NodeRef
from tests.checks.building import EXPORTER, a_scene, an_engine, gpu, kernel, known, xid
from tests.factories import NOW, POLICY, a_cpu_node, a_node, a_view


def check(judge: object, reads: frozenset[Reads] = frozenset({Reads.API})) -> Check:
    return Check(id="a.b", title="it is bad", severity=Severity.WARNING, source="here", reads=reads, judge=judge)  # type: ignore[arg-type]


def nothing(scene: Scene) -> Iterable[Finding]:
    return ()


def broken(scene: Scene) -> Iterable[Finding]:
    raise ValueError("two")


def test_a_check_that_fails_is_unknown_and_the_others_go_on() -> None:
    found = run(a_scene(gpu(0)), [check(broken), *checks()])
    assert [one.missing for one in found if one.check == "a.b"] == [("the check itself failed: ValueError: two",)]
    assert {one.check for one in found} >= {one.id for one in checks() if isinstance(one, Check)}


def test_where_nobody_who_can_tell_did_the_answer_is_unknown() -> None:
    (found,) = run(a_scene(gpu(0)), [check(nothing, frozenset({Reads.KERNEL}))])
    assert (found.state, found.missing) == (State.UNKNOWN, ("kernel messages of gpu-1",))
    assert found.sentence == "gpu-1: not known whether it is bad (not told: kernel messages of gpu-1)"


def test_one_who_can_tell_is_enough() -> None:
    (found,) = run(a_scene(gpu(0)), [check(nothing, frozenset({Reads.KERNEL, Reads.AGENT}))])
    assert (found.state, found.sentence) == (State.OK, "gpu-1: no sign that it is bad")


def test_a_kind_that_was_not_read_is_named_with_its_reason() -> None:
    (found,) = run(a_scene(gpu(0), unread=("nodes",)), [check(nothing)])
    assert found.missing == ("nodes (forbidden)",)


def test_why_an_agent_did_not_tell_is_said() -> None:
    scene = a_scene()
    scene.evidence = Evidence(missing={NodeRef("agent", "gpu-1"): "connection refused"})
    (found,) = run(scene, [check(nothing, frozenset({Reads.AGENT}))])
    assert found.missing == ("node agent of gpu-1 (connection refused)",)


def test_the_drivers_own_verdict_comes_before_what_is_inferred() -> None:
    found = run(a_scene(gpu(0, gpuRecoveryAction=1), log=kernel(xid(95))), checks())
    assert [one.check for one in found if one.severity is Severity.CRITICAL] == [
        "gpu.recovery_action",
        "memory.uncontained",
    ]


def test_checks_of_the_fleet_are_not_asked_of_a_node_and_the_other_way_round() -> None:
    scene = a_scene(gpu(0))
    fleet = fleet_scene(scene.view, POLICY, now=NOW, seen=[scene])
    both = {one.check for one in run(scene, checks())}, {one.check for one in run(fleet, checks())}
    assert both[0].isdisjoint(both[1])
    assert both[1] == {one.id for one in checks() if isinstance(one, FleetCheck)}


def test_all_nodes_with_gpus_are_looked_at_and_no_other() -> None:
    machines = a_node("vm-1", more_labels={"nvidia.com/gpu.workload.config": "vm-passthrough"})
    view = known(a_view(a_node("gpu-10"), a_node("gpu-9"), a_cpu_node(), machines))
    assert [node.name for node in gpu_nodes(view, POLICY)] == ["gpu-9", "gpu-10"]
    assert [scene.name for scene in scenes(view, POLICY, Evidence(), NOW)] == ["gpu-9", "gpu-10"]


def test_readings_of_all_nodes_are_wanted_before_any_log() -> None:
    view = known(a_view(a_node("gpu-1"), a_node("gpu-2"), EXPORTER, an_engine(node="gpu-2")))
    refs = wanted(view, POLICY, NOW).refs
    assert refs[:5] == (
        NodeRef("agent", "gpu-1"),
        NodeRef("kernel", "gpu-1"),
        MetricsRef("gpu-operator", "dcgm-exporter-1"),
        NodeRef("agent", "gpu-2"),
        NodeRef("kernel", "gpu-2"),
    )
    assert LogRef("llm", "glm-0", "vllm") in refs[5:]


def test_only_the_named_nodes_are_wanted() -> None:
    view = known(a_view(a_node("gpu-1"), a_node("gpu-2")))
    assert {str(ref) for ref in wanted(view, POLICY, NOW, [view.nodes["gpu-2"]]).refs} == {
        "GPU readings of gpu-2",
        "kernel messages of gpu-2",
    }
