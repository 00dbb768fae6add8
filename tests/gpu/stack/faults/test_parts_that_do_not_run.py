"""Parts of the stack that are not there for reasons of their own: no image, no room, no operator, a restarted kubelet."""

from typing import Any

import msgspec
import pytest

from bot.domain.node import Condition
from bot.domain.pod import ContainerState, Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.record import Owner
from bot.domain.selectors import NodeTerm, Requirement
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.stack import chain
from bot.gpu.stack.fault import Fault
from tests.factories import a_pod
from tests.why.builders_stack import (
    GPU,
    a_daemonset,
    a_silent_node,
    a_stack_pod,
    a_stack_view,
    at,
    crashing,
    sight_of,
    told,
)

PRESENT = {"nvidia.com/gpu.present": "true"}
PLUGIN = "nvidia-device-plugin-x"


def found(view: View) -> list[Fault]:
    return chain.faults(sight_of(view))


def only(view: View) -> Fault:
    faults = found(view)
    assert len(faults) == 1, [one.id for one in faults]
    return faults[0]


def commands(fault: Fault) -> str:
    return " ; ".join(f"{one.action} {one.command}" for one in fault.remedies)


@pytest.mark.parametrize("waiting", ["ImagePullBackOff", "ErrImagePull", "InvalidImageName"])
@pytest.mark.parametrize(
    ("name", "link"), [("nvidia-device-plugin-x", "device plugin"), ("nvidia-driver-daemonset-x", "driver")]
)
def test_a_part_without_its_image(waiting: str, name: str, link: str) -> None:
    pod = a_stack_pod(name, image="mirror/x:v9", state=ContainerState("main", waiting=waiting))
    event = told(pod, "Failed", 'Failed to pull image "mirror/x:v9": not found')
    fault = only(a_stack_view(a_silent_node(labels=PRESENT), pod, event))
    assert fault.id == "image"
    assert f"gpu-1's {link} gpu/{name} cannot get its image `mirror/x:v9` ({waiting}" in fault.sentence
    assert "not found" in fault.evidence[0]
    assert "delete pod" not in commands(fault)


def waiting_daemon(node: str = "gpu-1", **changed: Any) -> Pod:
    """A plugin's pod for a node that has no place for it yet."""
    named = NodeTerm(fields=(Requirement("metadata.name", "In", (node,)),))
    said = Condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 Insufficient cpu.")
    defaults: dict[str, Any] = {
        "labels": {"app": "nvidia-device-plugin"},
        "owner": Owner("DaemonSet", "nvidia-device-plugin", "uid-p"),
        "spec": PodSpec(node_terms=(named,)),
        "conditions": (said,),
        "created": at(hours=3),
        "requests": {"cpu": 200},
        "namespace": "gpu",
    }
    return a_pod(PLUGIN, node="", gpus=0, **(defaults | changed))


def full_node() -> tuple[Any, Pod]:
    room = {"cpu": 8_000, "pods": 110}
    return (
        a_silent_node(labels=PRESENT, capacity=room, allocatable=room),
        a_pod("agent-0", gpus=0, requests={"cpu": 7_900}),
    )


def test_the_plugins_own_pod_waits_for_cpu() -> None:
    fault = only(a_stack_view(*full_node(), waiting_daemon(), a_daemonset("nvidia-device-plugin")))
    assert fault.id == "unscheduled"
    assert "its pod gpu/nvidia-device-plugin-x waits itself for 3 h" in fault.sentence
    assert "gpu-1 has 0.1 CPUs left and it asks for 0.2 CPUs" in fault.sentence
    assert "1 Insufficient cpu" in fault.evidence[0]
    assert '"priorityClassName":"system-node-critical"' in commands(fault)


def test_with_the_priority_of_a_nodes_part_only_room_helps() -> None:
    fault = only(a_stack_view(*full_node(), waiting_daemon(priority_class="system-node-critical")))
    assert "patch" not in commands(fault)
    assert "spec.nodeName=gpu-1" in commands(fault)


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(waiting_daemon("gpu-2"), id="it is another node's"),
        pytest.param(waiting_daemon(created=at(seconds=20)), id="it was made just now"),
        pytest.param(
            waiting_daemon(labels={"app": "web"}, owner=None, spec=PodSpec()), id="it is no part of the stack"
        ),
    ],
)
def test_a_waiting_pod_that_is_not_the_reason(pod: Pod) -> None:
    if not pod.owner:
        pod = msgspec.structs.replace(pod, name="web-0")
    assert "unscheduled" not in [one.id for one in found(a_stack_view(*full_node(), pod))]


OPERATOR = "gpu-operator-66c69-x"


def operator_pod(state: ContainerState | None = None, **changed: Any) -> Pod:
    labels = {"app": "gpu-operator"}
    owner = Owner("ReplicaSet", "gpu-operator-66c69", "uid-o")
    return a_stack_pod(
        OPERATOR, image="nvcr.io/nvidia/gpu-operator:v25", state=state, labels=labels, owner=owner, **changed
    )


def test_the_operator_crashes_so_nobody_makes_the_plugin() -> None:
    state = ContainerState("main", restarts=33, waiting="CrashLoopBackOff", terminated="OOMKilled", exit_code=137)
    fault = only(a_stack_view(a_silent_node(labels=PRESENT), operator_pod(state)))
    assert fault.id == "operator"
    assert "gpu/gpu-operator-66c69-x crashes (33 restarts, OOMKilled)" in fault.sentence
    assert "helm" not in commands(fault)


def test_the_operator_runs_and_its_policy_is_at_odds() -> None:
    status = {
        "state": "notReady",
        "conditions": [{"type": "Error", "reason": "NFDLabelsMissing", "message": "No NFD labels found"}],
    }
    policy = Thing(name="cluster-policy", kind="ClusterPolicy", raw=msgspec.json.encode({"status": status}))
    view = a_stack_view(a_silent_node(labels=PRESENT), operator_pod())
    view.put("clusterpolicies", policy.key, policy)
    fault = only(view)
    assert "its ClusterPolicy `cluster-policy` is `notReady`" in fault.sentence
    assert "NFDLabelsMissing: “No NFD labels found”" in fault.evidence[0]


def test_the_operator_was_scaled_to_nothing() -> None:
    spec = {"replicas": 0, "template": {"metadata": {"labels": {"app": "gpu-operator"}}, "spec": {}}}
    thing = Thing(name="gpu-operator", namespace="gpu", kind="Deployment", raw=msgspec.json.encode({"spec": spec}))
    view = a_stack_view(a_silent_node(labels=PRESENT))
    view.put("deployments", thing.key, thing)
    assert "kubectl -n gpu scale deployment gpu-operator --replicas=1" in commands(only(view))


@pytest.mark.parametrize(
    ("records", "unread"),
    [
        pytest.param((operator_pod(),), (), id="it runs, and its policy is not read"),
        pytest.param((operator_pod(crashing()), a_daemonset("nvidia-device-plugin")), (), id="the plugin is there"),
        pytest.param((operator_pod(crashing()),), ("daemonsets",), id="DaemonSets are not read"),
    ],
)
def test_the_operator_is_not_blamed(records: tuple[Any, ...], unread: tuple[str, ...]) -> None:
    view = a_stack_view(a_silent_node(labels=PRESENT), *records, unread=unread)
    assert "operator" not in [one.id for one in found(view)]


def restarted(minutes: float, **changed: Any) -> View:
    node = a_silent_node(labels=PRESENT | {"nvidia.com/gpu.count": "4"}, **changed)
    return a_stack_view(node, a_stack_pod(PLUGIN), told(node, "Starting", "Starting kubelet.", minutes=minutes))


def test_the_plugin_missed_a_restart_of_the_kubelet() -> None:
    fault = only(restarted(47))
    assert fault.id == "kubelet_restarted"
    assert "kubelet was restarted 47 min ago" in fault.sentence
    assert fault.remedies[0].command == "kubectl -n gpu delete pod nvidia-device-plugin-x"


def test_a_minute_after_a_restart_nothing_is_wrong() -> None:
    room = {"cpu": 1_000, GPU: 4}
    fault = only(restarted(1, capacity=room, allocatable=room | {GPU: 0}))
    assert (fault.id, fault.passes) == ("registering", True)
    assert fault.remedies == ()


def test_a_plugin_that_was_started_after_the_kubelet_has_another_fault() -> None:
    node = a_silent_node(labels=PRESENT)
    plugin = a_stack_pod(PLUGIN, started=at(minutes=20))
    view = a_stack_view(node, plugin, told(node, "Starting", "Starting kubelet.", minutes=47))
    assert only(view).id == "unregistered"


def test_a_driver_that_is_being_built_is_given_its_time() -> None:
    pod = a_stack_pod(
        "nvidia-driver-daemonset-x", image="driver:570", state=ContainerState("main"), started=at(minutes=21)
    )
    node = a_silent_node(labels=PRESENT, created=at(minutes=23))
    fault = only(a_stack_view(node, pod))
    assert (fault.id, fault.passes) == ("driver_installs", True)
    assert "has been at it for 21 min, the node was made 23 min ago" in fault.sentence


def test_a_driver_that_takes_an_hour_is_a_fault() -> None:
    pod = a_stack_pod(
        "nvidia-driver-daemonset-x", image="driver:570", state=ContainerState("main"), started=at(minutes=61)
    )
    assert only(a_stack_view(a_silent_node(labels=PRESENT), pod)).id == "driver"
