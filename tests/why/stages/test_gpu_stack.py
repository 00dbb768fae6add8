"""The first broken link between a node's GPUs and pods, and when nothing is told."""

import json
from typing import Any

import pytest

from bot.domain.evidence import Evidence, LogRef
from bot.domain.node import Condition
from bot.domain.pod import ContainerState, Pod
from bot.domain.pod_spec import PodSpec, Toleration
from bot.domain.view import View
from bot.why.finding import Finding, Level
from bot.why.stages.driver_upgrade import STAGE as UPGRADE
from bot.why.stages.gpu_stack import STAGE
from tests.factories import READY, a_node, a_pod, a_taint, owned_by
from tests.why.builders_stack import (
    GPU,
    NFD_LABEL,
    a_claim_of,
    a_daemonset,
    a_runtime_class,
    a_silent_node,
    a_stack_pod,
    a_stack_view,
    asked,
    at,
    crashing,
    evidence,
    kernel,
    told,
)

WAITS = a_pod(node="", gpus=1)
PLUGIN = "nvidia-device-plugin-x"
PRESENT = {"nvidia.com/gpu.present": "true"}
MIG = {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/mig.config": "all-1g.10gb",
    "nvidia.com/mig.config.state": "pending",
    "nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change",
}
MANAGER = a_stack_pod("nvidia-mig-manager-x", image="k8s-mig-manager:v0.12")
MANAGER_LOG = "gpu/nvidia-mig-manager-x/main"
WAITS_FOR_LABEL = "level=info msg=\"Waiting for change to 'nvidia.com/mig.config' label\""
DRIVER_LOG = "gpu/nvidia-driver-daemonset-x/main"
XID_94 = "health.go:159] XidCriticalError: Xid=94 on Device=GPU-3; marking device as unhealthy."


def found(view: View, word: str = "glm-0", given: Evidence | None = None) -> list[Finding]:
    case = asked(view, word, given)
    return [*STAGE.judge(case), *UPGRADE.judge(case)]


def only(view: View, word: str = "glm-0", given: Evidence | None = None) -> Finding:
    findings = found(view, word, given)
    assert len(findings) == 1, [one.id for one in findings]
    return findings[0]


def commands(finding: Finding) -> str:
    return " ; ".join(f"{one.action} {one.command}" for one in finding.remedies)


def starting(name: str = "glm-0", **changed: Any) -> Pod:
    return a_pod(
        name,
        phase="Pending",
        runtime_class="nvidia",
        states=(ContainerState("main", waiting="ContainerCreating"),),
        **changed,
    )


def test_nfd_does_not_tolerate_the_taint_so_nobody_sets_the_label() -> None:
    node = a_silent_node(taints=(a_taint(f"{GPU}=true:NoSchedule"),))
    waits = a_pod(node="", gpus=1, spec=tolerating())
    wants = [{"key": NFD_LABEL, "operator": "In", "values": ["true"]}]
    worker = a_daemonset(
        "nfd-worker",
        "nfd/node-feature-discovery:v0.17",
        tolerations=[{"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}],
    )
    finding = only(a_stack_view(node, waits, a_daemonset("nvidia-device-plugin", terms=wants), worker))
    assert (finding.id, finding.level) == ("gpu_stack.unplaced", Level.ROOT)
    assert NFD_LABEL in finding.sentence
    assert "gpu/nfd-worker does not tolerate the taint" in finding.sentence
    assert "desired 0" in finding.evidence[0]
    assert "patch daemonset nfd-worker" in finding.remedies[0].command
    assert all(one.verified is None for one in finding.remedies)  # that the pods come is computed, not tried


def tolerating() -> PodSpec:
    return PodSpec(tolerations=(Toleration(GPU, "Exists"),))


@pytest.mark.parametrize(
    ("daemonsets", "labels", "taints", "words"),
    [
        pytest.param(
            [a_daemonset("nvidia-device-plugin", tolerations=[])],
            PRESENT,
            (f"{GPU}=x:NoSchedule",),
            "does not tolerate the taint",
            id="the plugin itself does not tolerate the taint",
        ),
        pytest.param(
            [a_daemonset("nvidia-device-plugin", node_selector={"gpu": "yes"})],
            PRESENT,
            (),
            "which nobody has set",
            id="a label of people's own",
        ),
        pytest.param(
            [a_daemonset("nvidia-device-plugin", node_selector={NFD_LABEL: "true"})],
            PRESENT,
            (),
            "node feature discovery (NFD) sets, and none is installed",
            id="NFD is not installed",
        ),
        pytest.param(
            [a_daemonset("nvidia-device-plugin", node_selector={"nvidia.com/gpu.present": "no"})],
            PRESENT,
            (),
            "and the node has `nvidia.com/gpu.present=true`",
            id="the label has another value",
        ),
        pytest.param(
            [a_daemonset("nvidia-gpu-device-plugin", node_selector={"cloud.google.com/gke-accelerator": "l4"})],
            PRESENT,
            (),
            "which its provider should have set",
            id="a label of the provider",
        ),
    ],
)
def test_the_plugins_daemonset_does_not_come(
    daemonsets: list[Any], labels: Any, taints: tuple[str, ...], words: str
) -> None:
    node = a_silent_node(labels=labels, taints=tuple(map(a_taint, taints)))
    finding = only(a_stack_view(node, a_pod(node="", gpus=1, spec=tolerating()), *daemonsets))
    assert finding.id == "gpu_stack.unplaced"
    assert words in finding.sentence


def test_no_node_speaks_of_gpus_and_the_plugin_comes_nowhere() -> None:
    plugin = a_daemonset("nvidia-device-plugin", node_selector={NFD_LABEL: "true"})
    finding = found(a_stack_view(a_silent_node("a"), a_silent_node("b"), WAITS, plugin))[0]
    assert finding.id == "gpu_stack.unplaced"
    assert "the same on b" in finding.sentence


def test_installation_is_switched_off() -> None:
    node = a_silent_node(
        labels={"cloud.google.com/gke-accelerator": "nvidia-l4", "cloud.google.com/gke-nodepool": "gpus"}
    )
    installs = ContainerState("nvidia-driver-installer")
    plugin = a_stack_pod("nvidia-gpu-device-plugin-x", state=installs)
    given = evidence(
        {"gpu/nvidia-gpu-device-plugin-x/nvidia-driver-installer": "GPU driver auto installation is disabled."}
    )
    finding = only(a_stack_view(node, WAITS, plugin), given=given)
    assert finding.id == "gpu_stack.driver_not_installed"
    assert "cloud.google.com/gke-accelerator=nvidia-l4" in finding.sentence
    assert "“GPU driver auto installation is disabled.”" in finding.evidence[0]
    assert "kubectl apply -f" in commands(finding)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("Key was rejected by service", "Secure Boot", id="secure boot"),
        pytest.param("Unable to locate package linux-headers-6.8", "headers are missing", id="no headers"),
        pytest.param("nouveau is loaded", "nouveau", id="nouveau"),
        pytest.param("something else", "crashes (12 restarts)", id="an unknown reason"),
    ],
)
def test_the_drivers_pod_crashes(line: str, words: str) -> None:
    driver = a_stack_pod("nvidia-driver-daemonset-x", image="nvcr.io/nvidia/driver:580", state=crashing())
    waiting = a_stack_pod(PLUGIN, state=ContainerState("main", waiting="PodInitializing"))
    finding = only(
        a_stack_view(a_silent_node(labels=PRESENT), WAITS, driver, waiting), given=evidence({DRIVER_LOG: line})
    )
    assert finding.id == "gpu_stack.driver"
    assert words in finding.sentence
    assert line in " ".join(finding.evidence)


def test_a_host_driver_that_is_not_loaded_is_told_by_the_plugin() -> None:
    plugin = a_stack_pod(PLUGIN, state=crashing())
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, plugin)
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": "nvml error: driver not loaded"}))
    assert finding.id == "gpu_stack.driver_not_loaded"


@pytest.mark.parametrize("word", ["gpu-1", PLUGIN])
def test_library_and_module_differ(word: str) -> None:
    plugin = a_stack_pod(PLUGIN, state=crashing(restarts=269))
    old = a_pod("old-0")
    mismatch = (
        "unattended-upgrade[29]: Packages that will be upgraded: libnvidia-compute-580",
        "NVRM: API mismatch: the client has the version 580.105.08, but",
        "NVRM: this kernel module has the version 580.95.05.  Please",
    )
    view = a_stack_view(a_silent_node(labels=PRESENT), plugin, old)
    given = evidence({f"gpu/{PLUGIN}/main": "NVML: Driver/library version mismatch"}, {"gpu-1": kernel(*mismatch)})
    finding = only(view, word, given)
    assert finding.id == "gpu_stack.driver_mismatch"
    assert finding.level is (Level.CAUSE if word == "gpu-1" else Level.ROOT)
    assert "580.105.08" in finding.sentence
    assert "module 580.95.05" in finding.sentence
    assert "kubectl cordon gpu-1" in finding.remedies[0].command
    assert "reboot" in commands(finding)
    assert "apt-mark hold" in commands(finding)
    assert "restarted 269 times" in finding.useless[0]
    assert "llm/old-0" in " ".join(finding.evidence)


def test_a_mismatch_that_only_the_log_tells_has_no_versions() -> None:
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, a_stack_pod(PLUGIN, state=crashing()))
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": "NVML: Driver/library version mismatch"}))
    assert finding.id == "gpu_stack.driver_mismatch"
    assert "kernel messages" in finding.unknown[0]


def test_the_driver_hangs_after_its_exporter_was_killed() -> None:
    exporter = a_stack_pod("dcgm-exporter-x", image="dcgm-exporter:2.3", namespace="monitoring")
    lines = (
        "Memory cgroup out of memory: Killed process 2881734 (dcgm-exporter) total-vm:3kB",
        "NVRM: Xid (PCI:0000:3b:00): 120, pid='<unknown>', name=<unknown>, GSP Error: Task 1 raised error code 0x5",
        "NVRM: Xid (PCI:0000:3b:00): 119, pid='<unknown>', name=<unknown>, Timeout waiting for RPC from GSP!",
        "INFO: task nvidia-smi:312 blocked for more than 241 seconds.",
    )
    view = a_stack_view(a_node(), exporter, starting("new-0"))
    finding = only(view, "new-0", evidence(kernels={"gpu-1": kernel(*lines)}))
    assert (finding.id, finding.level) == ("gpu_stack.driver_hangs", Level.ROOT)
    assert "Xid 120 and 119 on GPU 0000:3b:00" in finding.sentence
    assert "dcgm-exporter was killed for its memory" in finding.sentence
    assert "`nvidia-smi` is blocked for more than 241 s" in " ".join(finding.evidence)
    assert "kubectl cordon gpu-1" in commands(finding)
    assert "systemctl reboot" in commands(finding)
    assert "set resources daemonset/dcgm-exporter" in commands(finding)


def test_the_kill_is_known_from_the_exporters_status_too() -> None:
    exporter = a_stack_pod(
        "dcgm-exporter-x", image="dcgm-exporter:2.3", state=ContainerState("main", ready=True, restarts=3)
    )
    ended = {"reason": "OOMKilled", "exitCode": 137, "finishedAt": at(minutes=30)}
    whole = {"status": {"containerStatuses": [{"name": "main", "lastState": {"terminated": ended}}]}}
    lines = kernel("NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=x, Timeout", minutes=29.9)
    view = a_stack_view(a_node(), exporter, starting("new-0"))
    finding = only(view, "new-0", evidence(kernels={"gpu-1": lines}, objects={"gpu/dcgm-exporter-x": whole}))
    assert "dcgm-exporter was killed" in finding.sentence


def test_a_hang_long_after_a_kill_is_not_laid_on_it() -> None:
    early = kernel("Killed process 1 (dcgm-exporter) total-vm:3kB", minutes=300)
    late = kernel("NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=x, Timeout", minutes=20)
    view = a_stack_view(a_node(), starting("new-0"))
    assert "killed" not in only(view, "new-0", evidence(kernels={"gpu-1": f"{early}\n{late}"})).sentence


REFUSED = 'failed to get sandbox runtime: no runtime for "nvidia" is configured'


def test_the_handler_is_missing_although_class_and_toolkit_are_there() -> None:
    pod, node = starting(), a_node()
    toolkit = a_stack_pod("nvidia-container-toolkit-daemonset-x", image="k8s/container-toolkit:v1")
    view = a_stack_view(
        node,
        pod,
        toolkit,
        a_runtime_class(),
        told(pod, "FailedCreatePodSandBox", f"Failed to create pod sandbox: {REFUSED}", count=93),
        told(node, "Rebooted", "Node gpu-1 has been rebooted", minutes=25),
    )
    finding = only(view)
    assert (finding.id, finding.level) == ("gpu_stack.handler", Level.ROOT)
    assert "lacks the handler `nvidia`" in finding.sentence
    assert "the RuntimeClass exists" in finding.sentence
    assert "toolkit's pod nvidia-container-toolkit-daemonset-x runs" in finding.sentence
    assert "has been rebooted" in " ".join(finding.evidence)
    assert finding.remedies[0].command == "kubectl -n gpu delete pod nvidia-container-toolkit-daemonset-x"


def test_without_a_toolkit_pod_the_host_writes_the_handler() -> None:
    pod = starting()
    view = a_stack_view(a_node(), pod, a_runtime_class(), told(pod, "FailedCreatePodSandBox", REFUSED))
    assert "nvidia-ctk runtime configure" in commands(only(view))


@pytest.mark.parametrize(
    ("message", "minutes"),
    [
        pytest.param('no runtime for "kata" is configured', 5, id="another handler"),
        pytest.param("failed to setup network for sandbox", 5, id="another fault"),
        pytest.param(REFUSED, 300, id="hours ago"),
    ],
)
def test_other_sandbox_faults_are_not_the_handler(message: str, minutes: float) -> None:
    pod = starting()
    assert found(a_stack_view(a_node(), pod, told(pod, "FailedCreatePodSandBox", message, minutes=minutes))) == []


CRASHED = a_pod(states=(crashing("vllm", 8),), conditions=(Condition("Ready", "False", since=at(hours=1)),))
E802 = "RuntimeError: Error 802: system not yet initialized"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param(
            evidence(kernels={"gpu-1": kernel("systemd[1]: Failed to start nvidia-fabricmanager.service - x.")}),
            "does not run",
            id="systemd could not start it",
        ),
        pytest.param(evidence({"llm/glm-0/vllm": E802}), "probably does not run", id="the pod's own log says 802"),
        pytest.param(
            evidence(agents={"gpu-1": json.dumps([{"gpuFabricInfo": {"state": 2}}])}),
            "does not run",
            id="NVML: in progress",
        ),
    ],
)
def test_fabric_manager(given: Evidence, words: str) -> None:
    node = a_node(more_labels={"nvidia.com/cuda.driver-version.full": "570.172.08"})
    finding = only(a_stack_view(node, CRASHED), given=given)
    assert finding.id == "gpu_stack.fabric_manager"
    assert f"its fabric manager {words}" in finding.sentence
    assert "same version as the driver (570.172.08)" in finding.sentence
    assert "802" in finding.sentence
    assert "kubectl -n llm delete pod glm-0" in commands(finding)


@pytest.mark.parametrize(
    "agent", ['[{"gpuFabricInfo": {"state": 3}}]', "{}", "[1]", "no json", '[{"gpuFabricInfo": []}]']
)
def test_a_fabric_that_is_up_or_not_told_is_no_fault(agent: str) -> None:
    assert found(a_stack_view(a_node(), CRASHED), given=evidence(agents={"gpu-1": agent})) == []


def test_a_mig_change_was_given_up() -> None:
    view = a_stack_view(a_silent_node(labels=MIG), WAITS, MANAGER)
    finding = only(
        view, given=evidence({MANAGER_LOG: f"Timed out waiting for GPU clients to shutdown\n{WAITS_FOR_LABEL}"})
    )
    assert (finding.id, finding.level) == ("gpu_stack.mig_stuck", Level.ROOT)
    assert "is `pending`; device-plugin stay `paused-for-mig-change`" in finding.sentence
    assert "it will not recover by itself" in finding.sentence
    assert "nvidia.com/gpu.deploy.device-plugin=true" in commands(finding)
    assert "nvidia.com/mig.config=all-disabled && sleep" in commands(finding)
    assert "Timed out" in " ".join(finding.evidence)


def test_a_mig_change_without_a_manager_is_stuck() -> None:
    assert "does not run there" in only(a_stack_view(a_silent_node(labels=MIG), WAITS)).sentence


def test_a_mig_change_that_the_manager_works_at_passes() -> None:
    view = a_stack_view(a_silent_node(labels=MIG), WAITS, MANAGER)
    finding = only(view, given=evidence({MANAGER_LOG: "Applying MIG device configuration"}))
    assert finding.id == "gpu_stack.mig_changes"
    assert "success" in finding.until


def test_a_mig_layout_that_could_not_be_applied() -> None:
    labels = MIG | {"nvidia.com/mig.config.state": "failed"}
    assert only(a_stack_view(a_silent_node(labels=labels), WAITS, MANAGER)).id == "gpu_stack.mig_failed"


def test_a_pause_without_a_change_is_a_leftover() -> None:
    labels = PRESENT | {"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"}
    plugin = a_daemonset("nvidia-device-plugin", node_selector={"nvidia.com/gpu.deploy.device-plugin": "true"})
    finding = only(a_stack_view(a_silent_node(labels=labels), WAITS, plugin))
    assert finding.id == "gpu_stack.paused"
    assert "device-plugin=paused-for-driver-upgrade" in finding.sentence
    assert "nvidia.com/gpu.deploy.device-plugin=true" in commands(finding)


def test_the_plugin_crashes() -> None:
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, a_stack_pod(PLUGIN, state=crashing()))
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": "error: GPU is lost"}))
    assert finding.id == "gpu_stack.plugin"
    assert "crashes again and again (12 restarts): a GPU is lost" in finding.sentence


def test_the_plugin_runs_and_finds_nothing() -> None:
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, a_stack_pod(PLUGIN))
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": "No devices found. Waiting indefinitely."}))
    assert "it finds no GPU" in finding.sentence


def test_all_others_wait_behind_the_validators_earliest_stage() -> None:
    validator = a_stack_pod(
        "nvidia-operator-validator-x", image="gpu-operator:v26", state=crashing("cuda-validation", 9)
    )
    finding = only(a_stack_view(a_silent_node(labels=PRESENT), WAITS, validator))
    assert finding.id == "gpu_stack.operand"
    assert "CUDA does not work" in finding.sentence


def test_one_gpu_is_marked_unhealthy_and_the_pod_would_fit_with_it() -> None:
    view = a_stack_view(a_node(gpus=8, healthy=7), a_pod(node="", gpus=8), a_stack_pod(PLUGIN))
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": XID_94}))
    assert (finding.id, finding.level) == ("gpu_stack.unhealthy", Level.ROOT)
    assert "offers 7 of its 8 nvidia.com/gpu" in finding.sentence
    assert "GPU-3 unhealthy after Xid 94" in finding.sentence
    actions = [one.action for one in finding.remedies]
    assert actions[0].startswith("Look at the GPU first")
    assert actions[1].startswith("Reset it")
    assert actions[2].startswith("Only then restart the device plugin")


@pytest.mark.parametrize(
    ("wanted", "used"),
    [
        pytest.param(7, 0, id="the pod fits without it"),
        pytest.param(8, 1, id="the pod would not fit with it either"),
    ],
)
def test_a_lost_gpu_that_is_not_the_reason(wanted: int, used: int) -> None:
    others = [a_pod("other-0", gpus=used)] if used else []
    assert found(a_stack_view(a_node(gpus=8, healthy=7), a_pod(node="", gpus=wanted), *others)) == []


def test_a_harmless_xid_needs_no_repair() -> None:
    view = a_stack_view(a_node(gpus=8, healthy=7), a_pod(node="", gpus=8), a_stack_pod(PLUGIN))
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": XID_94.replace("94", "63")}))
    assert "No repair is needed" in finding.remedies[1].action


def test_fewer_gpus_came_up_than_the_label_promises() -> None:
    node = a_node(gpus=7, more_labels={"nvidia.com/gpu.count": "8"})
    finding = only(a_stack_view(node, a_pod(node="", gpus=8)))
    assert finding.id == "gpu_stack.missing"
    assert "offers 7 of 8" in finding.sentence


LOST = "Pod was rejected: Allocate failed due to device plugin GetPreferredAllocation rpc failed: GPU is lost, which is unexpected"


def rejected(number: int, minutes: float = 60, **changed: Any) -> list[Pod]:
    return [
        a_pod(
            f"emb-{place}",
            phase="Failed",
            reason="UnexpectedAdmissionError",
            created=at(minutes=minutes - place * minutes / max(1, number)),
            owner=owned_by("ReplicaSet", "emb"),
            **changed,
        )
        for place in range(number)
    ]


def test_a_node_that_rejects_every_gpu_pod() -> None:
    pods = rejected(40)
    given = evidence(objects={pods[-1].key: {"status": {"message": LOST}}})
    finding = only(a_stack_view(a_node(), *pods), "emb-0", given)
    assert (finding.id, finding.level) == ("gpu_stack.rejects", Level.ROOT)
    assert "rejects every GPU pod: 40 since" in finding.sentence
    assert "one GPU is lost" in finding.sentence
    assert finding.remedies[0].command == "kubectl cordon gpu-1"
    assert "--field-selector status.phase=Failed,spec.nodeName=gpu-1" in commands(finding)
    assert "cannot be used either" in " ".join(finding.useless)


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        pytest.param(rejected(2), LOST, id="two are no series"),
        pytest.param(
            rejected(9, states=(ContainerState("c", terminated="Completed", exit_code=0),)),
            LOST,
            id="their work was done",
        ),
        pytest.param(
            [*rejected(9, minutes=60), a_pod("new-0", created=at(minutes=5))],
            LOST,
            id="another pod has come to run since",
        ),
        pytest.param(
            rejected(9), "maximum request size for shared resources is 1; found 2", id="they asked for what cannot be"
        ),
    ],
)
def test_rejected_pods_that_are_not_the_nodes_fault(pods: list[Pod], message: str) -> None:
    given = evidence(objects={pod.key: {"status": {"message": message}} for pod in pods})
    assert found(a_stack_view(a_node(), *pods), "emb-0", given) == []


def test_a_claims_node_that_never_registered() -> None:
    view = a_stack_view(a_silent_node("gpu-x1"), WAITS, a_claim_of("gpu-x1", 1), unread=("daemonsets", "pods"))
    finding = only(view)
    assert finding.id == "gpu_stack.unregistered"
    assert "gpu-x1 should have 1 GPU and offers no nvidia.com/gpu" in finding.sentence
    assert any("DaemonSets were not read" in one for one in finding.unknown)


def test_a_new_node_is_given_time() -> None:
    finding = only(a_stack_view(a_silent_node(labels=PRESENT, created=at(minutes=3)), WAITS))
    assert finding.id == "gpu_stack.joining"
    assert finding.until


def test_a_node_is_asked_about_with_all_its_faults() -> None:
    node = a_node(gpus=8, healthy=7, conditions=(READY, Condition("XidCriticalError", "True", message="boot")))
    lines = kernel("NVRM: Xid (PCI:0000:3b:00): 48, pid=1, name=x, DBE")
    findings = found(a_stack_view(node, a_stack_pod(PLUGIN)), "gpu-1", evidence(kernels={"gpu-1": lines}))
    assert [(one.id, one.level) for one in findings] == [("gpu_stack.unhealthy", Level.CAUSE)]
    assert findings[0].sentence.startswith("it offers 7 of its 8")
    assert "Xid 48" in findings[0].sentence


@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param(79, "off and on", id="off the bus"),
        pytest.param(48, "--gpu-reset", id="a memory error"),
        pytest.param(74, "systemctl reboot", id="a link"),
    ],
)
def test_a_hardware_xid_of_the_kernel(code: int, words: str) -> None:
    lines = kernel(f"NVRM: Xid (PCI:0000:3b:00): {code}, pid=1, name=x, gone")
    finding = only(a_stack_view(a_node()), "gpu-1", evidence(kernels={"gpu-1": lines}))
    assert finding.id == "gpu_stack.xid"
    assert words in commands(finding)


@pytest.mark.parametrize("code", [13, 31, 43, 45, 63, 154])
def test_a_programs_xid_is_no_fault_of_the_node(code: int) -> None:
    lines = kernel(f"NVRM: Xid (PCI:0000:3b:00): {code}, pid=1, name=x, y")
    assert found(a_stack_view(a_node()), "gpu-1", evidence(kernels={"gpu-1": lines})) == []


def test_yesterdays_xid_is_over() -> None:
    lines = kernel("NVRM: Xid (PCI:0000:3b:00): 48, pid=1, name=x, y", minutes=3000)
    assert found(a_stack_view(a_node()), "gpu-1", evidence(kernels={"gpu-1": lines})) == []


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((a_node(), a_pod()), id="a pod that runs"),
        pytest.param((a_node(), a_pod("other-0", gpus=8), a_pod(node="", gpus=8)), id="all GPUs are in use"),
        pytest.param((a_silent_node(labels=PRESENT), a_pod(node="", gpus=0)), id="a pod that wants no GPU"),
        pytest.param((a_silent_node(labels=PRESENT, unschedulable=True), WAITS), id="the silent node is cordoned"),
        pytest.param(
            (a_silent_node(labels=PRESENT, taints=(a_taint("x=y:NoSchedule"),)), WAITS),
            id="a taint keeps it away anyway",
        ),
        pytest.param((a_silent_node(), WAITS), id="a CPU node"),
        pytest.param(
            (a_silent_node(labels=PRESENT | {"nvidia.com/gpu.workload.config": "vm-passthrough"}), WAITS),
            id="GPUs for machines",
        ),
        pytest.param(
            (
                a_node(
                    allocatable={GPU: 0, "nvidia.com/mig-1g.10gb": 7}, capacity={GPU: 0, "nvidia.com/mig-1g.10gb": 7}
                ),
                WAITS,
            ),
            id="it offers slices under another name",
        ),
        pytest.param((a_node(), starting(gpus=1)), id="a pod that is only starting"),
    ],
)
def test_nothing_to_say(records: tuple[Any, ...]) -> None:
    assert found(a_stack_view(*records)) == []


def test_many_nodes_with_one_fault_are_told_once() -> None:
    nodes = [a_silent_node(f"gpu-{number}", labels=PRESENT) for number in range(1, 13)]
    finding = only(a_stack_view(*nodes, WAITS))
    assert finding.weight == 12
    assert "the same on gpu-2, gpu-3 and 9 more" in finding.sentence


def test_in_a_fleet_all_are_counted_and_some_are_looked_at() -> None:
    nodes = [a_silent_node(f"gpu-{number}", labels=PRESENT) for number in range(1, 101)]
    assert "100 nodes in all offer too few GPUs, 40 were looked at" in only(a_stack_view(*nodes, WAITS)).sentence


def test_logs_of_three_nodes_at_most_are_wanted() -> None:
    nodes = [a_silent_node(f"gpu-{number}", labels=PRESENT) for number in range(1, 13)]
    pods = [a_stack_pod(f"nvidia-device-plugin-{node.name}", node=node.name, state=crashing()) for node in nodes]
    refs = STAGE.wants(asked(a_stack_view(*nodes, *pods, WAITS), "glm-0")).refs
    logs = [one for one in refs if isinstance(one, LogRef)]
    assert {one.pod for one in logs} == {f"nvidia-device-plugin-gpu-{number}" for number in (1, 2, 3)}
    assert len(logs) <= 8


def test_hostile_names_stay_inside_their_quotes() -> None:
    evil = "gpu-1; rm -rf /"
    view = a_stack_view(a_silent_node(evil, labels=PRESENT), WAITS)
    assert f"node/'{evil}'" in commands(only(view))


def test_the_plugin_runs_without_nvidias_runtime() -> None:
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, a_stack_pod(PLUGIN), a_runtime_class())
    log = "could not load NVML library: libnvidia-ml.so.1\nIf this is a GPU node, did you configure the NVIDIA Container Toolkit?"
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": log}))
    assert finding.id == "gpu_stack.plugin_runtime"
    assert "without the runtime class `nvidia`" in finding.sentence
    assert '"runtimeClassName":"nvidia"' in commands(finding)


def test_with_the_runtime_class_a_missing_library_is_the_drivers() -> None:
    plugin = a_stack_pod(PLUGIN, runtime_class="nvidia")
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, plugin, a_runtime_class())
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": "could not load NVML library: libnvidia-ml.so.1"}))
    assert finding.id == "gpu_stack.driver_not_loaded"


def test_nfds_worker_wants_a_label_of_its_own() -> None:
    worker = a_daemonset("nfd-worker", "nfd/node-feature-discovery:v0.17", node_selector={"nfd": "on"})
    plugin = a_daemonset("nvidia-device-plugin", node_selector={NFD_LABEL: "true"})
    finding = only(a_stack_view(a_silent_node(labels=PRESENT), WAITS, plugin, worker))
    assert "its worker gpu/nfd-worker wants `nfd=on` there" in finding.sentence


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            'unable to get OCI runtime for sandbox "ab": no runtime for "nvidia" is configured', id="containerd 2"
        ),
        pytest.param("failed to find runtime handler nvidia from runtime list map[runc:0xc00]", id="CRI-O"),
        pytest.param('RuntimeHandler "nvidia" not supported', id="cri-dockerd"),
    ],
)
def test_the_missing_handler_in_other_runtimes_words(message: str) -> None:
    pod = starting()
    assert only(a_stack_view(a_node(), pod, told(pod, "FailedCreatePodSandBox", message))).id == "gpu_stack.handler"


def test_a_cpu_node_that_is_asked_about_misses_no_plugin() -> None:
    plugin = a_daemonset("nvidia-device-plugin", node_selector={NFD_LABEL: "true"})
    twin = a_node(more_labels={"node.kubernetes.io/instance-type": "gpu.8x"})
    assert found(a_stack_view(a_silent_node("cpu-1"), twin, plugin), "cpu-1") == []


def test_a_pod_that_is_well_is_left_alone_on_a_broken_node() -> None:
    lines = kernel("NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=x, Timeout")
    view = a_stack_view(a_node(), a_pod())
    assert found(view, given=evidence(kernels={"gpu-1": lines})) == []
    assert STAGE.wants(asked(view, "glm-0")).refs == ()


def test_a_programs_xid_did_not_mark_the_gpu() -> None:
    view = a_stack_view(a_node(gpus=8, healthy=7), a_pod(node="", gpus=8), a_stack_pod(PLUGIN))
    log = "\n".join(XID_94.replace("94", code) for code in ("31", "48"))
    assert "after Xid 48" in only(view, given=evidence({f"gpu/{PLUGIN}/main": log})).sentence


def test_a_container_that_ends_well_again_and_again_is_held_up() -> None:
    ends = ContainerState("main", restarts=7, waiting="CrashLoopBackOff", terminated="Completed", exit_code=0)
    view = a_stack_view(a_silent_node(labels=PRESENT), WAITS, a_stack_pod(PLUGIN, state=ends))
    assert "crashes again and again (7 restarts)" in only(view).sentence


FAILED_MIG = MIG | {"nvidia.com/mig.config.state": "failed"}


def test_a_pod_that_waits_for_a_slice_hears_of_the_layout_that_failed() -> None:
    waits = a_pod(node="", gpus=0, requests={"nvidia.com/mig-4g.20gb": 1})
    view = a_stack_view(a_node(more_labels=FAILED_MIG), waits, MANAGER)
    log = "Error parsing configuration file: selected mig-config not present: all-1g.10gb"
    finding = only(view, given=evidence({MANAGER_LOG: log}))
    assert (finding.id, finding.level) == ("gpu_stack.mig_failed", Level.ROOT)
    assert "no configuration has a layout of that name" in finding.sentence
    assert "not present: all-1g.10gb" in finding.evidence[0]
    assert "get configmap default-mig-parted-config" in commands(finding)
    assert "GPU client" not in commands(finding)


def test_a_layout_that_failed_is_no_reason_for_who_wants_whole_gpus() -> None:
    view = a_stack_view(a_node(more_labels=FAILED_MIG), a_pod("x", gpus=8), WAITS, MANAGER)
    assert found(view) == []


def test_a_cordon_by_an_upgrade_names_whom_it_waits_for() -> None:
    state = {"nvidia.com/gpu-driver-upgrade-state": "wait-for-jobs-required"}
    node = a_node(
        unschedulable=True, more_labels=state, taints=(a_taint("node.kubernetes.io/unschedulable:NoSchedule"),)
    )
    event = told(node, "GPUDriverUpgrade", "Successfully updated node state label", minutes=300)
    finding = only(a_stack_view(node, a_pod("train-0", gpus=2), a_pod(node="", gpus=4), event))
    assert (finding.id, finding.level) == ("driver_upgrade.driver_upgrade_runs", Level.ALSO)
    assert "`wait-for-jobs-required` for 5 h): it waits for llm/train-0, which uses its GPUs" in finding.sentence


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"more_labels": {}, "healthy": 6}, id="somebody else cordoned it, perhaps for its sick GPUs"),
        pytest.param({"healthy": 1}, id="it has no room"),
        pytest.param({"taints": (a_taint("x=y:NoSchedule"),)}, id="a taint keeps the pod away as well"),
    ],
)
def test_an_upgrade_that_is_not_what_the_pod_waits_for(changed: dict[str, Any]) -> None:
    state = {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}
    node = a_node(**({"unschedulable": True, "more_labels": state} | changed))
    assert found(a_stack_view(node, a_pod(node="", gpus=4))) == []


AMD_NODE = a_silent_node(labels={"amd.com/gpu.device-id": "74a1"})
AMD_WAITS = a_pod(node="", gpus=0, requests={"amd.com/gpu": 1})
AMD_PLUGIN = a_stack_pod("amdgpu-device-plugin-x", image="rocm/k8s-device-plugin:1.31")
SIGNALS = "manager.go:66] Handling incoming signals"


def test_amds_plugin_that_finds_nothing_says_no_more() -> None:
    finding = only(
        a_stack_view(AMD_NODE, AMD_WAITS, AMD_PLUGIN), given=evidence({"gpu/amdgpu-device-plugin-x/main": SIGNALS})
    )
    assert finding.id == "gpu_stack.plugin"
    assert "/dev/kfd" in finding.sentence
    assert "amd-smi" in commands(finding)
    assert "nvidia" not in commands(finding).casefold()


def test_amds_plugin_that_went_on_has_found_some() -> None:
    log = f"{SIGNALS}\nmanager.go:71] Received new list of plugins: [gpu]"
    finding = only(
        a_stack_view(AMD_NODE, AMD_WAITS, AMD_PLUGIN), given=evidence({"gpu/amdgpu-device-plugin-x/main": log})
    )
    assert finding.id == "gpu_stack.unregistered"
    assert "kubectl -n gpu delete pod amdgpu-device-plugin-x" in commands(finding)


def test_another_vendors_plugin_is_not_the_one_that_is_missing() -> None:
    nvidia = a_daemonset("nvidia-device-plugin", tolerations=[{"operator": "Exists"}])  # it comes to every node
    amd = a_daemonset("amdgpu-device-plugin", "rocm/k8s-device-plugin:1.31", tolerations=[])
    node = a_silent_node(labels=dict(AMD_NODE.labels), taints=(a_taint("team=llm:NoSchedule"),))
    waits = a_pod(
        node="", gpus=0, requests={"amd.com/gpu": 1}, spec=PodSpec(tolerations=(Toleration("team", "Exists"),))
    )
    finding = only(a_stack_view(node, waits, nvidia, amd))
    assert finding.id == "gpu_stack.unplaced"
    assert "gpu/amdgpu-device-plugin puts no pod there: it does not tolerate the taint `team=llm" in finding.sentence


def test_intels_label_comes_from_a_rule_that_is_to_be_installed() -> None:
    node = a_silent_node(labels={"gpu.intel.com/device-id.0380-56c0.present": "true"})
    plugin = a_daemonset(
        "intel-gpu-plugin",
        "intel/intel-gpu-plugin:0.32.0",
        node_selector={"intel.feature.node.kubernetes.io/gpu": "true"},
    )
    worker = a_stack_pod("nfd-worker-x", image="nfd/node-feature-discovery:v0.17")
    waits = a_pod(node="", gpus=0, requests={"gpu.intel.com/i915": 1})
    finding = only(
        a_stack_view(node, waits, plugin, worker, a_daemonset("nfd-worker", "nfd/node-feature-discovery:v0.17"))
    )
    assert "NodeFeatureRule" in finding.sentence
    assert "nodeFeatureRule: true" in finding.remedies[0].action
    assert finding.remedies[1].action.startswith("Or set the label")


def test_a_configuration_that_does_not_exist() -> None:
    node = a_silent_node(labels=PRESENT | {"nvidia.com/device-plugin.config": "tesla-t4"})
    plugin = a_stack_pod(PLUGIN, state=crashing())
    log = "Failed to update config to 'tesla-t4': specified config tesla-t4 does not exist"
    finding = only(a_stack_view(node, WAITS, plugin), given=evidence({f"gpu/{PLUGIN}/main": log}))
    assert "the configuration that the node's label names does not exist" in finding.sentence
    assert "kubectl label node gpu-1 --overwrite nvidia.com/device-plugin.config-" in commands(finding)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        pytest.param({"kubernetes.azure.com/accelerator": "nvidia"}, "--gpu-driver none", id="AKS"),
        pytest.param({"eks.amazonaws.com/nodegroup": "g", "nvidia.com/gpu.present": "true"}, "AL2023_x86_64", id="EKS"),
        pytest.param({"cloud.google.com/gke-accelerator": "nvidia-l4"}, "gpu-driver-version", id="GKE"),
    ],
)
def test_the_provider_brings_the_driver(labels: dict[str, str], words: str) -> None:
    view = a_stack_view(a_silent_node(labels=labels), WAITS, a_stack_pod(PLUGIN))
    finding = only(view, given=evidence({f"gpu/{PLUGIN}/main": "No devices found. Waiting indefinitely."}))
    assert words in commands(finding)


def test_in_a_rack_the_fabric_is_not_the_nodes() -> None:
    node = a_node(product="NVIDIA-GB200", more_labels={"nvidia.com/cuda.driver-version.full": "570.172.08"})
    finding = only(a_stack_view(node, CRASHED), given=evidence({"llm/glm-0/vllm": E802}))
    assert "IMEX" in finding.sentence
    assert "nvidia-fabricmanager" not in commands(finding)
    assert "nvidia-imex" in commands(finding)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        pytest.param(
            Condition("AcceleratedHardwareReady", "False", "NvidiaXID79Error", "XID 79: off the bus"),
            "EKS does it by itself 10 min after",
            id="EKS: power or replace",
        ),
        pytest.param(Condition("XidCriticalError", "True", '{"48":true}', "boot"), "reset that GPU", id="GKE: a reset"),
        pytest.param(Condition("GPUMissing", "True", "x", "y"), "replace the machine", id="AKS: no number"),
    ],
)
def test_what_a_platforms_condition_asks_for(condition: Condition, words: str) -> None:
    finding = only(a_stack_view(a_node(conditions=(READY, condition))), "gpu-1")
    assert finding.id == "gpu_stack.condition"
    assert words in commands(finding)


def test_nodes_without_labels_are_known_by_their_machine_type() -> None:
    node = a_silent_node(labels={"node.kubernetes.io/instance-type": "g5.12xlarge"})
    finding = only(a_stack_view(node, WAITS))
    assert "its machine type `g5.12xlarge`" in finding.evidence[0]
    assert "helm upgrade -i nvdp" in commands(finding)
