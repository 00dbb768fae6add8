"""How `/gpu node` looks, for every kind of node it is asked of; each answer fits one message."""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import pytest

from bot.checks.check import AnyCheck, Check, Reads
from bot.checks.collect import checks as all_checks
from bot.checks.finding import Finding, Severity, State
from bot.checks.look import scenes
from bot.checks.scene import Scene
from bot.command import Cluster, Reply
from bot.dialogue import all_commands, decide, request_of, understand
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.evidence import LogRef, MetricsRef, NodeRef, Ref
from bot.domain.node import Condition, Node
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.views import blocks, gpu_node
from bot.views.gpu_node_findings import judged
from bot.views.shortened import TEXT_MAX
from bot.views.text import render
from tests.factories import NOW, POLICY, READY, a_cpu_node, a_node, a_pod, a_taint, owned_by
from tests.views.golden_files import matches
from tests.why.builders_stack import (
    a_daemonset,
    a_runtime_class,
    a_silent_node,
    a_stack_pod,
    a_stack_view,
    crashing,
    evidence,
    kernel,
    told,
)

KNOWN = all_commands()
DRIVER = {"nvidia.com/cuda.driver-version.full": "580.95.05"}
PLUGIN = a_stack_pod("nvidia-device-plugin-x", node="gpu-9")
EXPORTER = a_stack_pod("nvidia-dcgm-exporter-x", node="gpu-9", image="nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3")
SET = a_daemonset("nvidia-device-plugin", desired=1)
GLM = a_pod("glm-0", node="gpu-9", gpus=8, labels={"team": "llm"}, owner=owned_by("StatefulSet", "glm"))
HEALTH = {"type": "Ready", "status": "True", "since": "2026-11-01T12:00:00Z"}
AGENT, KERNEL, METRICS = NodeRef("agent", "gpu-9"), NodeRef("kernel", "gpu-9"), MetricsRef("gpu", EXPORTER.name)
QUIET = kernel("Linux version 6.8.0-88-generic", minutes=600)


def node(**changed: Any) -> Node:
    """gpu-9 with its versions."""
    told_by_kubelet = {
        "kubelet_version": "v1.36.3",
        "kernel_version": "6.8.0-88-generic",
        "runtime_version": "containerd://2.1.5",
        "os_image": "Ubuntu 24.04.3 LTS",
        "created": "2026-10-20T12:00:00Z",
        "conditions": (Condition(**HEALTH),),
        "more_labels": DRIVER | changed.pop("more_labels", {}),
    }
    return a_node("gpu-9", **(told_by_kubelet | changed))


def gpu(index: int, **changed: Any) -> dict[str, Any]:
    """One GPU as the agent tells it."""
    return {
        "index": index,
        "uuid": f"GPU-{index:08}",
        "name": "NVIDIA H200",
        "pciInfo": {"busId": f"00000000:{index + 16:X}:00.0"},
        "memoryInfo": {"total": 150 << 30, "used": 132 << 30},
        "utilizationRates": {"gpu": 97, "memory": 60},
        "temperature": 71,
        "powerUsage": 640_000,
        "enforcedPowerLimit": 700_000,
        "driverVersion": "580.95.05",
        "cudaDriverVersion": 13000,
    } | changed


def reading(gpus: Iterable[dict[str, Any]], **changed: Any) -> str:
    return json.dumps({"takenAt": "2026-11-30T11:59:48Z", "agentVersion": "1", "gpus": list(gpus)} | changed)


def scene(view: View, name: str = "gpu-9", **texts: str) -> Scene:
    """What was looked up: `agent`, `kernel`, `metrics`, `log` of the plugin."""
    refs: dict[str, Ref] = {
        "agent": AGENT,
        "kernel": KERNEL,
        "metrics": METRICS,
        "log": LogRef("gpu", PLUGIN.name, "main"),
    }
    found = {refs[which]: text for which, text in texts.items()}
    missing = {ref: "no answer within 0.7 s" for which, ref in refs.items() if which not in texts}
    given = replace(evidence(), texts=found, missing=missing)
    [only] = scenes(view, POLICY, given, NOW, nodes=[view.nodes[name]])
    return only


def well() -> Scene:
    view = a_stack_view(
        node(taints=(a_taint("nvidia.com/gpu:NoSchedule"),)), PLUGIN, EXPORTER, SET, GLM, a_runtime_class()
    )
    return scene(view, agent=reading(gpu(index) for index in range(8)), kernel=QUIET)


def lost() -> Scene:
    bad = node(healthy=7)
    xid = kernel(
        "Linux version 6.8.0-88-generic",
        "NVRM: Xid (PCI:0000:13:00): 94, pid=77, name=python, Contained: SM (0x1). RST: No, D-RST: No",
        minutes=14,
    )
    log = "I1130 11:46:02.000000 1 health.go:159] XidCriticalError: Xid=94 on Device=GPU-00000003; marking device as unhealthy."
    view = a_stack_view(
        bad, PLUGIN, EXPORTER, SET, GLM, told(bad, "XIDError", "NVRM: Xid (PCI:0000:13:00): 94", minutes=14)
    )
    return scene(view, agent=reading(gpu(index) for index in range(8)), kernel=xid, log=log)


def by_exporter() -> Scene:
    line = 'DCGM_FI_DEV_GPU_UTIL{{gpu="{0}",UUID="GPU-{0}",pod="{1}",namespace="llm"}} 5 1796039990000\n'
    pods = [a_pod(f"embed-{index}", node="gpu-9", gpus=4) for index in range(2)]
    metrics = "".join(line.format(index, "embed-0" if index < 4 else "embed-1") for index in range(8))
    return scene(a_stack_view(node(), PLUGIN, EXPORTER, SET, *pods), metrics=metrics)


def unread() -> Scene:
    pods = [
        a_pod(f"nb-{index}", node="gpu-9", owner=owned_by("Job", "nb"), labels={"team": "dev"}) for index in range(3)
    ]
    return scene(a_stack_view(node(), PLUGIN, SET, *pods, unread=("runtimeclasses",)))


def cut() -> Scene:
    slices = {"nvidia.com/mig-3g.40gb": 1, "nvidia.com/mig-1g.10gb": 4, "pods": 110}
    devices = [
        {"uuid": "MIG-1", "name": "NVIDIA H100 MIG 3g.40gb", "memoryInfo": {"total": 40 << 30, "used": 30 << 30}, "pod": "llm/small-0"},
        *({"uuid": f"MIG-{at}", "name": "NVIDIA H100 MIG 1g.10gb", "memoryInfo": {"total": 10 << 30, "used": 0}} for at in range(2, 6)),
    ]  # fmt: skip
    card = gpu(0, migMode={"currentMode": 1, "pendingMode": 1}, utilizationRates=None, migDevices=devices)
    small = a_pod("small-0", node="gpu-9", requests={"nvidia.com/mig-3g.40gb": 1})
    labels = {"nvidia.com/mig.config": "mixed", "nvidia.com/mig.config.state": "success"}
    view = a_stack_view(
        node(product="NVIDIA-H100", gpus=1, capacity=slices, allocatable=slices, more_labels=labels), PLUGIN, SET, small
    )
    return scene(view, agent=reading([card]), kernel=QUIET)


def shared() -> Scene:
    slots = {"nvidia.com/gpu": 4, "pods": 110}
    labels = {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"}
    pods = [a_pod(f"nb-{index}", node="gpu-9", namespace="dev") for index in range(2)]
    view = a_stack_view(
        node(product="NVIDIA-L4-SHARED", gpus=1, capacity=slots, allocatable=slots, more_labels=labels),
        PLUGIN,
        SET,
        *pods,
    )
    return scene(view, agent=reading([gpu(0, pods=["dev/nb-0", "dev/nb-1"])]), kernel=QUIET)


def upgraded() -> Scene:
    labels = {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}
    taints = (a_taint("node.kubernetes.io/unschedulable:NoSchedule"),)
    view = a_stack_view(node(unschedulable=True, taints=taints, more_labels=labels), PLUGIN, SET)
    return scene(view, agent=reading([]), kernel=QUIET)


def silent() -> Scene:
    gone = Condition(
        "Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", "2026-11-30T11:40:00Z"
    )
    return scene(a_stack_view(node(conditions=(gone,)), PLUGIN, SET, GLM))


def broken() -> Scene:
    stuck = a_stack_pod("nvidia-device-plugin-x", node="gpu-9", state=crashing())
    sick = a_silent_node("gpu-9", {"nvidia.com/gpu.present": "true"}, kubelet_version="v1.36.3")
    log = "E1130 11:50:00.000000 1 main.go:173] error starting plugins: Failed to initialize NVML: Driver Not Loaded"
    return scene(a_stack_view(sick, stuck, SET), log=log)


def leaving() -> Scene:
    return scene(a_stack_view(node(taints=(a_taint("karpenter.sh/disrupted:NoSchedule"),)), PLUGIN, SET, GLM))


def no_gpus() -> Scene:
    return scene(a_stack_view(a_cpu_node("cpu-1", kubelet_version="v1.36.3")), "cpu-1")


SCENES = [well, lost, by_exporter, unread, cut, shared, upgraded, silent, broken, leaving, no_gpus]


def show(of: Scene, checks: Iterable[AnyCheck] = ()) -> Reply:
    return gpu_node.show(of, judged(of, checks))


def text(of: Scene, checks: Iterable[AnyCheck] = ()) -> str:
    return render(show(of, checks).document)


@pytest.mark.parametrize("build", SCENES, ids=lambda build: build.__name__)
def test_looks_as_kept_and_fits_one_message(build: Any) -> None:
    shown = text(build())
    matches(f"gpu_node_{build.__name__}", shown)
    assert len(shown) <= TEXT_MAX


def test_blocks_look_as_kept() -> None:
    message = blocks.render(show(lost()).document)
    matches("gpu_node_lost_blocks", asdict(message))


@pytest.mark.parametrize(
    ("build", "cause"),
    [
        pytest.param(well, "node.well", id="a node that was read and has nothing wrong is well"),
        pytest.param(unread, "node.well_as_told", id="where nobody asked its GPUs, only Kubernetes sees nothing wrong"),
        pytest.param(lost, "stack.unhealthy", id="the deepest fault of its GPU stack is the cause"),
        pytest.param(upgraded, "stack.driver_upgrade_runs", id="an upgrade that goes on is told, and is no fault"),
        pytest.param(silent, "node.silent", id="a node that is silent is that before anything else"),
        pytest.param(leaving, "node.leaving", id="a node that goes away needs no repair"),
        pytest.param(no_gpus, "node.no_gpus", id="a node without GPUs is told as such"),
    ],
)
def test_the_first_line_tells_the_cause(build: Any, cause: str) -> None:
    assert show(build()).answer.cause.id == cause


def a_check(severity: Severity, sentence: str, index: int | None = 2) -> Check:
    def judge(of: Scene) -> Iterable[Finding]:
        card = next((one for one in of.gpus if one.index == index), None)
        yield Finding(state=State.FIRING, severity=severity, subject=of.subject(card), sentence=sentence)

    return Check(id="heat.test", title="it is hot", severity=severity, source="us", judge=judge)


def test_what_a_check_finds_of_a_gpu_stands_in_the_first_line_and_at_that_gpu() -> None:
    reply = show(well(), [a_check(Severity.CRITICAL, "gpu-9's GPU 2 is slowed down by heat (0x40)")])
    assert reply.answer.cause.id == "heat.test"
    assert reply.answer.cause.sentence == "gpu-9's GPU 2 is slowed down by heat (0x40)."
    health = {one["index"]: one["health"] for one in reply.answer.numbers["gpus"]}
    assert [index for index, how in health.items() if how == "fault"] == [2]
    assert "GPU 2 · FAULT: is slowed down by heat · llm/glm-0" in render(reply.document)


def test_what_is_only_worth_knowing_does_not_make_a_node_ill() -> None:
    shown = text(well(), [a_check(Severity.INFO, "gpu-9's GPU 2 repaired 1 row")])
    assert shown.startswith("Nothing is wrong with gpu-9: 8 H200, 8 used.")
    assert "Worth knowing\n  gpu-9's GPU 2 repaired 1 row" in shown


def test_a_fault_that_a_check_tells_too_is_told_once() -> None:
    again = lost().faults[0].sentence
    found = judged(lost(), [a_check(Severity.CRITICAL, again, None)])
    assert [one.sentence for one in found.firing].count(again) == 1
    assert found.firing[0].check == "heat.test"


def test_a_check_without_anything_to_read_is_counted_and_not_well() -> None:
    blind = Check(
        id="memory.test", title="rows are gone", severity=Severity.WARNING, source="us",
        reads=frozenset({Reads.AGENT}), judge=lambda of: (),
    )  # fmt: skip
    assert "1 check had nothing to read (memory)" in text(unread(), [blind])
    assert "nothing to read" not in text(well(), [blind])


def test_numbers_of_each_gpu_are_for_scripts_and_null_is_not_told() -> None:
    first = show(well()).answer.numbers["gpus"][0]
    assert (first["pods"], first["utilization_percent"], first["power_watts"]) == (["llm/glm-0"], 97, 640)
    assert (first["memory_used_mib"], first["temperature_celsius"], first["last_xid"]) == (132 << 10, 71, None)
    exported = show(by_exporter()).answer.numbers
    assert exported["read_by"] == "DCGM exporter"
    assert (exported["gpus"][0]["power_watts"], exported["gpus"][7]["pods"]) == (None, ["llm/embed-1"])
    third = show(lost()).answer.numbers["gpus"][3]
    assert (third["health"], third["last_xid"]) == ("unhealthy", 94)


def test_hostile_texts_are_shown_and_never_obeyed() -> None:
    name = "x`<!channel>" * 40
    bad = gpu(0, uuid=name, name=name, pods=[f"llm/{name}"], migDevices=[{"uuid": "m", "name": name, "pod": name}])
    evil = node(gpus=1, more_labels={"nvidia.com/gpu.clique": name}, os_image=name, kernel_version="\u202eevil\n\n")
    shown = text(scene(a_stack_view(evil, told(evil, name, name)), agent=reading([bad]), kernel=name))
    assert "<!" not in shown
    assert "\u202e" not in shown
    assert len(shown) <= TEXT_MAX


# ---- which node is meant -------------------------------------------------------------------------------------------


def ask(line: str, *nodes: Node, known: bool = True) -> Reply:
    view = a_stack_view(*nodes)
    if not known:
        view.sources["nodes"] = Source("nodes", Reading.FORBIDDEN, None, "needs `list nodes`")
    cluster = Cluster("test", view, Inventory(view, POLICY))
    asked = understand(line, KNOWN)
    return decide(asked, request_of(asked, {"test": cluster}, "test", lambda: NOW, KNOWN))


@pytest.mark.parametrize("typed", ["gpu-9", "node/gpu-9", "GPU-9", "`gpu-9`", "gpu-9 @test"])
def test_a_node_is_found_as_people_name_it(typed: str) -> None:
    assert ask(f"gpu node {typed}", a_node("gpu-9"), a_node("gpu-90")).answer.numbers["node"] == "gpu-9"


def test_a_name_without_its_domain_is_enough() -> None:
    assert ask("gpu node gpu-9", a_node("gpu-9.example.com")).answer.numbers["node"] == "gpu-9.example.com"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param("gpu node", "Which node? For example `/gpu node gpu-9`.", id="without a name: an example that is there"),
        pytest.param("gpu node gpu-9 gpu-8", "One node at a time: for example `/gpu node gpu-9`.", id="two names"),
        pytest.param("gpu node gpu9", "No node is called “gpu9”; did you mean `/gpu node gpu-9`?", id="mistyped: the nearest"),
        pytest.param("gpu node zebra", "No node is called “zebra”; there are: cpu-1 and gpu-9.", id="like none: those there are"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_name_is_one_sentence(line: str, says: str) -> None:
    with pytest.raises((UsageError, NotFoundError)) as raised:
        ask(line, a_cpu_node("cpu-1"), a_node("gpu-9"))
    assert str(raised.value) == says


def test_a_node_that_has_gone_is_not_taken_for_another_whose_name_begins_like_it() -> None:
    with pytest.raises(NotFoundError, match="did you mean `/gpu node gpu-10`"):
        ask("gpu node gpu-1", a_node("gpu-10"))


def test_where_nodes_may_not_be_read_that_is_said_and_no_name_is_called_wrong() -> None:
    with pytest.raises(NotFoundError, match=r"Nodes could not be read .needs `list nodes`."):
        ask("gpu node gpu-9", known=False)


def test_readings_logs_and_metrics_are_looked_up_of_that_node_only() -> None:
    other = a_stack_pod("nvidia-device-plugin-y", node="gpu-8")
    view = a_stack_view(node(), a_node("gpu-8"), PLUGIN, EXPORTER, other, SET)
    cluster = Cluster("test", view, Inventory(view, POLICY))
    asked = understand("gpu node gpu-9", KNOWN)
    assert asked.command.wants is not None
    refs = asked.command.wants(request_of(asked, {"test": cluster}, "test", lambda: NOW, KNOWN)).refs
    assert {AGENT, KERNEL, METRICS, LogRef("gpu", PLUGIN.name, "main")} <= set(refs)
    assert not [ref for ref in refs if "gpu-8" in str(ref) or other.name in str(ref)]


def test_every_check_of_the_registry_is_asked_and_the_answer_fits() -> None:
    reply = ask("gpu node gpu-9", node(conditions=(READY,)))
    assert len(reply.answer.text) <= TEXT_MAX
    assert "checks had nothing to read" in reply.answer.text


@pytest.mark.parametrize(
    "odd",
    [
        "its agent is of version 2.0.0, gpubot of 0.1.0: some of it may not be understood",
        "its clock is 1 h ahead: the time is reckoned anew",
    ],
)
def test_what_is_odd_about_a_reading_that_came_is_told(odd: str) -> None:
    of = well()
    of = Scene(of.view, of.node, of.policy, of.now, replace(of.evidence, missing={NodeRef("agent", of.name): odd}))
    assert f"node agent of gpu-9: {odd}" in text(of)
    assert text(of).startswith("Nothing is wrong with gpu-9"), "it counts all the same"


@pytest.mark.parametrize(
    "why", ["the answer is longer than 10 MiB", "its reading is no JSON that an agent would write"]
)
def test_an_agent_that_answers_rubbish_is_told_with_why(why: str) -> None:
    of = unread()
    of = Scene(of.view, of.node, of.policy, of.now, replace(of.evidence, missing={NodeRef("agent", of.name): why}))
    assert f"node agent of gpu-9 ({why})" in text(of)


def test_an_xid_that_a_reset_cleared_is_told_at_its_gpu_and_is_no_fault() -> None:
    of = lost()
    over = {
        "code": 94,
        "busId": "0000:13:00",
        "uuid": "GPU-00000003",
        "at": "2026-11-30T11:46:00Z",
        "clearedAt": "2026-11-30T11:55:00Z",
        "clearedBy": "the GPU answers again",
    }
    told = reading((gpu(index) for index in range(8)), clearedXids=[over])
    view = a_stack_view(node(), PLUGIN, EXPORTER, SET, GLM)
    again = scene(view, agent=told, kernel=of.evidence.kernel("gpu-9"))
    assert text(again, all_checks()).startswith("Nothing is wrong with gpu-9")
    assert "Xid 94 at 11:46, cleared at 11:55 (the GPU answers again)" in text(again)
    assert [one["cleared_xid"] for one in show(again).answer.numbers["gpus"]].count(94) == 1
