"""Each of the ten points: when it is OK, when not, when nobody can tell."""

from typing import Any

import pytest

from bot.checks.preflight.point import State
from bot.checks.preflight.report import points
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState
from bot.domain.pod_spec import PodSpec, Toleration
from bot.domain.view import View
from tests.checks.preflight.fleets import (
    DRIVER,
    PRODUCT,
    a_fit_node,
    a_plugin,
    an_agent,
    an_engine,
    fit,
    held,
    outcome,
    whole,
)
from tests.factories import a_pod, a_taint
from tests.why.builders_stack import (
    NFD_LABEL,
    a_daemonset,
    a_runtime_class,
    a_silent_node,
    a_stack_pod,
    a_stack_view,
    at,
    crashing,
    evidence,
    told,
)

OK, NOT_OK, UNKNOWN = State.OK, State.NOT_OK, State.UNKNOWN
GPU_TAINT = a_taint("nvidia.com/gpu=present:NoSchedule")
TOLERANT = PodSpec(tolerations=(Toleration("nvidia.com/gpu", "Exists"),))


def with_node(*pods: Any, **changed: Any) -> View:
    return a_stack_view(a_fit_node(**changed), a_plugin(), *pods)


def loading(said: str) -> tuple[View, Evidence]:
    """An engine that is not ready, and its log."""
    pod = an_engine(states=(ContainerState("vllm"),))
    return with_node(pod), evidence({"llm/glm-0/vllm": said})


def refusing(message: str) -> View:
    """An engine whose image does not come, and what the kubelet said."""
    pod = an_engine(**held())
    return with_node(pod, told(pod, "Failed", f"Failed to pull image: {message}"))


def test_there_are_ten_in_their_order_and_each_has_a_page() -> None:
    assert [point.number for point in points()] == list(range(1, 11))
    assert all(point.page and point.title for point in points())
    assert [point.id for point in points() if point.required] == [
        "driver", "cuda", "plugin", "resource", "taints", "runtime",
    ]  # fmt: skip


@pytest.mark.parametrize("point", [point.id for point in points()])
def test_a_fit_node_passes(point: str) -> None:
    given = evidence(agents={"gpu-1": an_agent()}, objects={"llm/glm-0": whole("--model", "zai-org/GLM-5.2")})
    found = outcome(fit(a_runtime_class()), point, given)
    assert (found.state, found.reason, found.remedies) == (OK, "", ())
    assert found.sentence.startswith("gpu-1 ")


NODE_FACTS = [
    pytest.param(
        "driver", fit(), evidence(agents={"gpu-1": an_agent()}), OK, "8 GPUs that its driver lists", id="agent"
    ),
    pytest.param("driver", fit(), NO_EVIDENCE, OK, "device plugin reads from the driver", id="only the plugin's word"),
    pytest.param(
        "driver", fit(), evidence(agents={"gpu-1": an_agent(7)}), NOT_OK, "the driver lists 7", id="a card is missing"
    ),
    pytest.param(
        "driver",
        fit(),
        evidence(agents={"gpu-1": an_agent(remappedRows={"failureOccurred": True})}),
        NOT_OK,
        "GPU 7",
        id="a card whose memory cannot be repaired",
    ),
    pytest.param(
        "driver",
        a_stack_view(a_silent_node(labels={PRODUCT: "NVIDIA-H200"})),
        NO_EVIDENCE,
        UNKNOWN,
        "nobody told",
        id="nothing tells of the driver",
    ),
    pytest.param("cuda", fit(), NO_EVIDENCE, OK, "580.95.05, which was made for CUDA 13.0", id="its label"),
    pytest.param("cuda", with_node(driver=""), NO_EVIDENCE, UNKNOWN, "version nobody told", id="no driver version"),
    pytest.param(
        "cuda",
        with_node(an_engine(**held("CrashLoopBackOff")), driver="550.144.03"),
        evidence(
            {"llm/glm-0/vllm": "RuntimeError: The NVIDIA driver on your system is too old (found version 12040)."}
        ),
        NOT_OK,
        "needs driver 580",
        id="an image that the driver cannot run",
    ),
    pytest.param("plugin", fit(), NO_EVIDENCE, OK, "gpu/nvidia-device-plugin-gpu1 running", id="a plain plugin"),
    pytest.param(
        "plugin",
        a_stack_view(a_fit_node(healthy=0), a_plugin(state=crashing())),
        NO_EVIDENCE,
        NOT_OK,
        "crashes again and again",
        id="a plugin that crashes",
    ),
    pytest.param("plugin", a_stack_view(a_fit_node()), NO_EVIDENCE, UNKNOWN, "no device plugin's pod", id="no plugin"),
    pytest.param(
        "plugin", fit(unread=("pods",)), NO_EVIDENCE, UNKNOWN, "pods were not read", id="pods that nobody could read"
    ),
    pytest.param("resource", fit(), NO_EVIDENCE, OK, "8 of 8 nvidia.com/gpu", id="all offered"),
    pytest.param("resource", with_node(healthy=7), NO_EVIDENCE, NOT_OK, "7 of its 8", id="one unhealthy"),
    pytest.param(
        "resource", fit(), evidence(agents={"gpu-1": an_agent(4)}), NOT_OK, "oversold", id="more than there are cards"
    ),
    pytest.param(
        "resource",
        with_node(conditions=(Condition("Ready", "False", since=at(hours=2)),)),
        NO_EVIDENCE,
        NOT_OK,
        "is not Ready",
        id="a node that is not Ready",
    ),
    pytest.param("taints", with_node(), NO_EVIDENCE, OK, "no taint", id="no taint"),
    pytest.param(
        "taints", with_node(taints=(GPU_TAINT,)), NO_EVIDENCE, OK, "nvidia.com/gpu=present", id="the usual one"
    ),
    pytest.param(
        "taints",
        with_node(a_pod("wants", node=""), taints=(GPU_TAINT,)),
        NO_EVIDENCE,
        NOT_OK,
        "do not tolerate it: llm/wants",
        id="a waiting pod without the toleration",
    ),
    pytest.param(
        "taints",
        with_node(a_pod("wants", node="", spec=TOLERANT), taints=(GPU_TAINT,)),
        NO_EVIDENCE,
        OK,
        "has `nvidia",
        id="a waiting pod with it",
    ),
    pytest.param(
        "taints",
        with_node(a_pod("wants", node="", spec=PodSpec(node_selector={"pool": "a10"})), taints=(GPU_TAINT,)),
        NO_EVIDENCE,
        OK,
        "has `nvidia",
        id="a waiting pod that wants other nodes",
    ),
    pytest.param(
        "taints",
        with_node(taints=(a_taint("node.kubernetes.io/disk-pressure:NoSchedule"),)),
        NO_EVIDENCE,
        NOT_OK,
        "disk-pressure",
        id="a node under pressure",
    ),
    pytest.param(
        "taints",
        a_stack_view(
            a_silent_node(labels={PRODUCT: "NVIDIA-H200"}, taints=(a_taint("team=llm:NoSchedule"),)),
            a_daemonset("nvidia-device-plugin"),
        ),
        NO_EVIDENCE,
        NOT_OK,
        "nvidia-device-plugin of the GPU stack does not tolerate",
        id="a plugin that does not tolerate",
    ),
    pytest.param("runtime", fit(), NO_EVIDENCE, OK, "1 GPU pod there runs", id="a pod with its GPUs"),
    pytest.param(
        "runtime", a_stack_view(a_silent_node(labels={PRODUCT: "x"})), NO_EVIDENCE, UNKNOWN, "no container", id="none"
    ),
    pytest.param(
        "runtime",
        with_node(
            pending := an_engine(**held("ContainerCreating")),
            told(pending, "FailedCreatePodSandBox", 'no runtime for "nvidia" is configured'),
        ),
        NO_EVIDENCE,
        NOT_OK,
        "lacks the handler",
        id="no handler",
    ),
    pytest.param("affinity", fit(), NO_EVIDENCE, OK, "can be chosen by `nvidia.com/gpu.product", id="a label"),
    pytest.param(
        "affinity",
        with_node(product=""),
        NO_EVIDENCE,
        OK,
        "no label that names",
        id="nobody has a label, so none is missed",
    ),
    pytest.param(
        "affinity", with_node(a_fit_node("gpu-2"), product=""), NO_EVIDENCE, NOT_OK, "no label", id="others have one"
    ),
    pytest.param(
        "affinity",
        fit(),
        evidence(agents={"gpu-1": an_agent(product="NVIDIA A10")}),
        NOT_OK,
        "its driver lists NVIDIA A10",
        id="a label of the card before",
    ),
    pytest.param("model", fit(a_fit_node("gpu-2")), NO_EVIDENCE, OK, "has H200, as most of pool h200", id="all alike"),
    pytest.param(
        "model",
        with_node(a_fit_node("gpu-2"), a_fit_node("gpu-3"), product="NVIDIA-A10"),
        NO_EVIDENCE,
        NOT_OK,
        "has A10 in pool h200, where most have H200",
        id="another model than its pool",
    ),
    pytest.param(
        "model",
        a_stack_view(
            a_fit_node(product="", more_labels={"cloud.google.com/gke-accelerator": "nvidia-h200-141gb"}),
            a_fit_node("gpu-2"),
        ),
        NO_EVIDENCE,
        OK,
        "has h200-141gb",
        id="a young node that only its provider has labelled",
    ),
    pytest.param("model", with_node(product=""), NO_EVIDENCE, UNKNOWN, "no reading names", id="no model"),
    pytest.param("image", fit(), NO_EVIDENCE, OK, "images from docker.io", id="a registry that answers"),
    pytest.param("image", with_node(), NO_EVIDENCE, UNKNOWN, "no GPU pod", id="no pod"),
    pytest.param("image", refusing("toomanyrequests: rate limit"), NO_EVIDENCE, NOT_OK, "does not get", id="a limit"),
    pytest.param("image", refusing("dial tcp: i/o timeout"), NO_EVIDENCE, NOT_OK, "does not get", id="no way out"),
    pytest.param("image", refusing("manifest unknown"), NO_EVIDENCE, UNKNOWN, "no GPU pod", id="a tag of nobody"),
    pytest.param(
        "weights",
        fit(),
        evidence(objects={"llm/glm-0": whole("--model", "zai-org/GLM-5.2")}),
        OK,
        "from Hugging Face",
        id="Hugging Face",
    ),
    pytest.param(
        "weights",
        fit(),
        evidence(objects={"llm/glm-0": whole("--model=a/b", HF_ENDPOINT="https://u:secret@hub.example/x")}),
        OK,
        "Hugging Face by the mirror hub.example",
        id="a mirror, without its password",
    ),
    pytest.param(
        "weights",
        fit(),
        evidence(objects={"llm/glm-0": whole("--model", "ZhipuAI/GLM-5.2", VLLM_USE_MODELSCOPE="True")}),
        OK,
        "from ModelScope",
        id="ModelScope",
    ),
    pytest.param(
        "weights",
        fit(),
        evidence(objects={"llm/glm-0": whole("--model", "/models/glm")}),
        OK,
        "a volume",
        id="a volume",
    ),
    pytest.param("weights", fit(), NO_EVIDENCE, UNKNOWN, "no engine that tells", id="a pod that was not looked up"),
    pytest.param(
        "weights",
        *loading(
            "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/x"
        ),
        NOT_OK,
        "does not get the weights of llm/glm-0",
        id="a hub that refuses",
    ),
]


@pytest.mark.parametrize("point", ["plugin", "image", "weights"])
def test_pods_that_were_not_read_are_not_absent(point: str) -> None:
    found = outcome(a_stack_view(a_fit_node(), unread=("pods",)), point)
    assert (found.state, found.reason) == (UNKNOWN, "pods.unread")


@pytest.mark.parametrize(("point", "view", "given", "state", "words"), NODE_FACTS)
def test_a_point(point: str, view: View, given: Evidence, state: State, words: str) -> None:
    found = outcome(view, point, given)
    assert (found.state, words in found.sentence) == (state, True), found.sentence
    assert (found.reason == "") == (state is OK)
    assert "secret" not in found.sentence


@pytest.mark.parametrize(
    ("point", "node", "note"),
    [
        pytest.param("taints", a_fit_node(unschedulable=True), "gpu-1 is cordoned", id="a cordon"),
        pytest.param(
            "taints",
            a_fit_node(taints=(a_taint("dedicated=train:NoSchedule"),)),
            "only pods that tolerate",
            id="reserved",
        ),
        pytest.param("cuda", a_fit_node(driver="570.133.20"), "branch 570 is not supported", id="an old driver"),
    ],
)
def test_what_is_no_fault_is_noted(point: str, node: Any, note: str) -> None:
    found = outcome(a_stack_view(node, a_plugin()), point)
    assert found.state is OK
    assert any(note in one for one in found.notes), found.notes


def test_a_part_that_is_not_needed_is_noted() -> None:
    found = outcome(fit(a_stack_pod("nvidia-dcgm-exporter-x", image="dcgm-exporter:4", state=crashing())), "plugin")
    assert found.state is OK
    assert any("nvidia-dcgm-exporter-x" in one for one in found.notes)


def test_a_node_that_comes_up_is_not_at_fault() -> None:
    young = a_silent_node(labels={"nvidia.com/gpu.count": "8", DRIVER: "580.95.05"}, created=at(minutes=3))
    found = outcome(a_stack_view(young), "resource")
    assert (found.state, found.passes) == (UNKNOWN, True)
    assert "came up 3 min ago" in found.sentence


def test_what_follows_from_a_deeper_point_names_it() -> None:
    """The DaemonSet's pod is missing for a label; that the node offers nothing is no second fault."""
    wants = a_daemonset("nvidia-device-plugin", terms=[{"key": NFD_LABEL, "operator": "In", "values": ["true"]}])
    view = a_stack_view(a_silent_node(labels={"nvidia.com/gpu.count": "8"}), wants)
    assert outcome(view, "plugin").follows == ""
    assert (outcome(view, "resource").state, outcome(view, "resource").follows) == (NOT_OK, "plugin")


def test_an_image_without_a_registry_is_docker_hubs() -> None:
    images = ("busybox", "a/b", "r.example:5000/x", "localhost/y")
    pods = [an_engine(f"p-{place}", containers=(Container("c", image),)) for place, image in enumerate(images)]
    assert outcome(with_node(*pods), "image").sentence.endswith("docker.io, localhost and r.example:5000")
