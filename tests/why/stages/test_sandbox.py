"""Pods whose sandbox cannot be made."""

from typing import Any

import pytest

from bot.why.stages.sandbox import STAGE
from tests.why.builders_started import (
    a_case,
    a_node_object,
    a_pod_object,
    an_event,
    ids,
    running,
    the_one,
    told,
    waiting,
)

FRAME = "Failed to create pod sandbox: rpc error: code = Unknown desc = "


def creating(**more: Any) -> dict[str, Any]:
    spec = {"runtimeClassName": "nvidia"} | more.pop("spec", {})
    return a_pod_object(phase="Pending", statuses=[waiting("ContainerCreating")], spec=spec, **more)


@pytest.mark.parametrize(
    ("message", "id_", "words"),
    [
        pytest.param(
            FRAME + 'failed to get sandbox runtime: no runtime for "nvidia" is configured',
            "sandbox.no-runtime-handler",
            ["no handler `nvidia` configured", "RuntimeClass `nvidia`", "93 times"],
            id="containerd 1.7",
        ),
        pytest.param(
            FRAME + 'unable to get OCI runtime for sandbox "abc": no runtime for "kata-gpu" is configured',
            "sandbox.no-runtime-handler",
            ["no handler `kata-gpu`"],
            id="containerd 2, another handler",
        ),
        pytest.param(
            FRAME
            + 'failed to setup network for sandbox "a1": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: '
            "failed to assign an IP address to container",
            "sandbox.no-address",
            ["no address left"],
            id="no address left",
        ),
        pytest.param(
            FRAME + 'failed to setup network for sandbox "a1": plugin type="calico" failed (add): stat /var/lib/calico/'
            "nodename: no such file or directory",
            "sandbox.network-failed",
            ["`calico`", "kube-system"],
            id="a plugin that fails",
        ),
        pytest.param(
            FRAME
            + 'failed to setup network for sandbox "3a": plugin type="cilium-cni" failed (add): unable to allocate '
            'IP via local cilium agent: [POST /ipam][502] postIpamFailure "range is full"',
            "sandbox.no-address",
            ["no address left", "range is full"],
            id="a node's range of addresses is full",
        ),
        pytest.param(
            FRAME
            + 'failed to setup network for sandbox "77": plugin type="multus" name="multus-cni-network" failed (add): '
            "Multus: [llm/glm-0/1f]: error loading k8s delegates k8s args: cannot find a network-attachment-definition "
            "(ib-net-1) in namespace (llm)",
            "sandbox.attachment-missing",
            ["network attachment `ib-net-1`", "does not exist", "k8s.v1.cni.cncf.io/networks"],
            id="a network attachment that is not there",
        ),
        pytest.param(
            FRAME + 'failed to set up network for sandbox "9": plugin type="multus" failed (add): network-attachment-'
            'definitions.k8s.cni.cncf.io "roce-a" not found',
            "sandbox.attachment-missing",
            ["network attachment `roce-a`"],
            id="a network attachment that is not there, as the API server says it",
        ),
        pytest.param(
            FRAME
            + 'failed to setup network for sandbox "9": SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr '
            "is required",
            "sandbox.no-virtual-function",
            ["SR-IOV", "resourceName"],
            id="an SR-IOV network without its resource",
        ),
        pytest.param(
            FRAME
            + 'failed to setup network for sandbox "9": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: '
            "Error received from AddNetwork gRPC call: rpc error: code = Unavailable desc = connection error: desc = "
            '"transport: Error while dialing: dial tcp 127.0.0.1:50051: connect: connection refused"',
            "sandbox.agent-down",
            ["agent on gpu-a does not answer", "kube-system"],
            id="the plugin's agent is down",
        ),
        pytest.param(
            FRAME + 'failed to setup network for sandbox "9": plugin type="calico" failed (add): failed to find plugin '
            '"calico" in path [/opt/cni/bin]',
            "sandbox.plugin-missing",
            ["`calico` is not installed on gpu-a"],
            id="the plugin's program is not on the node",
        ),
        pytest.param(
            FRAME + 'failed to pull image "registry.k8s.io/pause:3.10": i/o timeout',
            "sandbox.pause-image",
            ["pause"],
            id="the pause image",
        ),
        pytest.param(
            FRAME + "context deadline exceeded",
            "sandbox.failed",
            ["“context deadline exceeded”"],
            id="others are quoted",
        ),
    ],
)
def test_the_runtimes_words_are_explained(message: str, id_: str, words: list[str]) -> None:
    case = a_case(creating(), an_event("FailedCreatePodSandBox", message, count=93))
    text = told(the_one(STAGE, case, id_))
    for word in words:
        assert word in text


def test_a_network_that_is_not_up() -> None:
    message = (
        "network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        "message:Network plugin returns error: cni plugin not initialized"
    )
    finding = the_one(STAGE, a_case(creating(), an_event("NetworkNotReady", message)), "sandbox.network-not-ready")
    assert "network of gpu-a is not ready" in finding.sentence


def test_on_a_node_that_has_just_joined_it_is_usual_and_waiting_is_right() -> None:
    event = an_event("FailedCreatePodSandBox", FRAME + 'no runtime for "nvidia" is configured')
    young = the_one(STAGE, a_case(creating(), event, a_node_object(age=4)), "sandbox.no-runtime-handler")
    assert "gpu-a joined 4 min ago" in young.sentence
    assert young.until
    old = the_one(STAGE, a_case(creating(), event, a_node_object()), "sandbox.no-runtime-handler")
    assert "joined" not in old.sentence
    assert not old.until


BAD = an_event("FailedCreatePodSandBox", FRAME + "x", ago=5)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([creating()], id="no event"),
        pytest.param([creating(), BAD, an_event("Pulling", 'Pulling image "x"', ago=3)], id="it has moved on since"),
        pytest.param([a_pod_object(statuses=[running(ready=True)]), BAD], id="it runs by now"),
        pytest.param([a_pod_object(phase="Pending", statuses=[running()]), BAD], id="a container has begun"),
        pytest.param([creating(node=""), BAD], id="it has no node"),
        pytest.param([creating(), an_event("FailedCreatePodSandBox", "x", about="glm-1")], id="another pod's event"),
    ],
)
def test_nothing_is_said_where_the_sandbox_is_not_in_the_way(objects: list[dict[str, Any]]) -> None:
    assert ids(STAGE, a_case(*objects)) == []
