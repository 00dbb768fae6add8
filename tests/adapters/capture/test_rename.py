"""Names are replaced alike everywhere; what the answers are computed from stays."""

from typing import Any

import pytest

from bot.adapters.capture.rename import Renamer, plan
from bot.adapters.capture.rename.hosts import holder_of
from tests.adapters.capture.cluster_objects import a_node, a_pod, named, owner

ATOMS = {
    "chat-glm": "sts-1",
    "chat-glm-0": "sts-1-0",
    "gpu-a": "node-1",
    "acme": "org-1",
    "llm": "ns-1",
    "gpu": "ns-2",
    "vllm": "vllm",
    "kube-system": "kube-system",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("chat-glm-0", "sts-1-0", id="a name"),
        pytest.param("chat-glm-0.17c2f3a4b5c6d7e8", "sts-1-0.17c2f3a4b5c6d7e8", id="an event's name"),
        pytest.param("the longest of chat-glm-0-x wins", "the longest of sts-1-0-x wins", id="the longest match first"),
        pytest.param("chat-glm-0.chat-glm.llm.svc.cluster.local:8000", "sts-1-0.sts-1.ns-1.svc.cluster.local:8000", id="a name in the cluster's DNS"),
        pytest.param('pod "chat-glm-0" of llm/chat-glm on gpu-a', 'pod "sts-1-0" of ns-1/sts-1 on node-1', id="names in a message"),
        pytest.param("glm-0_llm(8d1f0c2a-5b7e-4c3d-9e10-9af3b6f10b77)", "glm-0_ns-1(00000000-0000-4000-8000-000000000001)", id="the kubelet's way to name a pod"),
        pytest.param("1 Insufficient nvidia.com/gpu, 2 Insufficient gpu memory", "1 Insufficient nvidia.com/gpu, 2 Insufficient gpu memory", id="a resource is no namespace, nor is a word"),
        pytest.param('exceeded quota: gpu, namespace "gpu" is full', 'exceeded quota: ns-2, namespace "ns-2" is full', id="an everyday word where a name is meant"),
        pytest.param("limits.cpu and requests.nvidia.com/gpu", "limits.cpu and requests.nvidia.com/gpu", id="resources of a quota"),
        pytest.param("registry.acme.com/acme/vllm:v0.12.0", "host-1.example/org-1/vllm:v0.12.0", id="an image"),
        pytest.param("vllm/vllm-openai:v0.12.0", "vllm/vllm-openai:v0.12.0", id="a public image"),
        pytest.param("10.9.3.17 and 10.9.3.17:80, 127.0.0.1", "10.0.0.1 and 10.0.0.1:80, 127.0.0.1", id="addresses"),
        pytest.param("fe80::1 at 12:30:00", "fd00::1 at 12:30:00", id="an address of version 6, and a time"),
        pytest.param("ask ana@acme.com", "ask person-1@host-1.example", id="a mail address"),
        pytest.param("see https://huggingface.co/zai-org/GLM-4.7", "see https://huggingface.co/zai-org/GLM-4.7", id="a public host"),
        pytest.param("model.safetensors, main.py, vllm.entrypoints.openai", "model.safetensors, main.py, vllm.entrypoints.openai", id="dotted words that are no hosts"),
        pytest.param("GPU-8d1f0c2a-5b7e-4c3d-9e10-9af3b6f10b77", "GPU-00000000-0000-4000-8000-000000000001", id="a GPU's id"),
        pytest.param("GLM-4.7 on NVIDIA-H100-80GB-HBM3", "GLM-4.7 on NVIDIA-H100-80GB-HBM3", id="a model and a product"),
    ],
)  # fmt: skip
def test_text(text: str, expected: str) -> None:
    assert Renamer(ATOMS).text(text) == expected


def test_the_same_thing_is_replaced_alike_everywhere() -> None:
    renamer = Renamer(ATOMS)
    first = [renamer.text(text) for text in ("10.1.1.1", "db.acme.com", "10.2.2.2")]
    assert first == [renamer.text(text) for text in ("10.1.1.1", "db.acme.com", "10.2.2.2")]
    assert first == ["10.0.0.1", "host-1.example", "10.0.0.2"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        pytest.param("nvidia.com/gpu.product", "nvidia.com/gpu.product", id="public"),
        pytest.param("topology.kubernetes.io/zone", "topology.kubernetes.io/zone", id="below a public domain"),
        pytest.param("acme.com/team", "host-1.example/team", id="somebody's own"),
        pytest.param("team", "team", id="without a domain"),
    ],
)
def test_key(key: str, expected: str) -> None:
    assert Renamer({}).key(key) == expected


@pytest.mark.parametrize(
    ("domain", "holder"),
    [
        pytest.param("registry.acme.com", "acme", id="of a company"),
        pytest.param("git.acme.co.uk", "acme", id="below two endings"),
        pytest.param("registry.example.com", "", id="of nobody"),
    ],
)
def test_holder_of(domain: str, holder: str) -> None:
    assert holder_of(domain) == holder


STANDARD = [
    named("Namespace", "v1", "kube-system"),
    named("DaemonSet", "apps/v1", "nvidia-device-plugin-daemonset", "kube-system"),
    a_pod(
        "nvidia-device-plugin-daemonset-x2x9z",
        "kube-system",
        owner("DaemonSet", "nvidia-device-plugin-daemonset"),
        gpus=0,
    ),
    named("PriorityClass", "scheduling.k8s.io/v1", "system-node-critical"),
]


def test_standard_names_stay() -> None:
    atoms = plan(STANDARD)
    for item in STANDARD:
        name = item["metadata"]["name"]
        assert atoms.get(name, name) == name


FAMILIES = [
    named("Namespace", "v1", "prod-a"),
    named("StatefulSet", "apps/v1", "chat", "prod-a"),
    a_pod("chat-0", "prod-a", owner("StatefulSet", "chat")),
    named("PersistentVolumeClaim", "v1", "cache-chat-0", "prod-a"),
    named("Deployment", "apps/v1", "rank", "prod-a"),
    named("ReplicaSet", "apps/v1", "rank-7f9c", "prod-a", metadata={"ownerReferences": owner("Deployment", "rank")}),
    a_pod("rank-7f9c-x2x9z", "prod-a", owner("ReplicaSet", "rank-7f9c")),
    a_node("rack-7"),
    a_pod("kube-proxy-rack-7", "kube-system", owner("Node", "rack-7", "v1"), gpus=0),
    a_pod("loner", "prod-a", []),
    a_pod("worker-of-somebody", "prod-a", owner("Gizmo", "not-in-the-capture", "acme.com/v1")),
]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("prod-a", "ns-1", id="a namespace"),
        pytest.param("chat-0", "sts-1-0", id="a pod of a StatefulSet keeps its number"),
        pytest.param("cache-chat-0", "cache-sts-1-0", id="and its claim keeps its pod"),
        pytest.param("rank-7f9c", "deploy-1-7f9c", id="a ReplicaSet keeps its Deployment and its hash"),
        pytest.param("rank-7f9c-x2x9z", "deploy-1-7f9c-x2x9z", id="and so does its pod"),
        pytest.param("rack-7", "node-1", id="a node"),
        pytest.param("loner", "pod-1", id="a pod of nobody"),
        pytest.param("not-in-the-capture", "gizmo-1", id="an owner that was not read"),
    ],
)
def test_families_stay_together(old: str, new: str) -> None:
    assert plan(FAMILIES)[old] == new


def test_numbers_keep_the_old_order_and_never_meet_an_old_name() -> None:
    nodes = [a_node(f"rack-{n:02d}") for n in range(12)] + [a_node("node-03")]
    atoms = plan(nodes)
    names = sorted(node["metadata"]["name"] for node in nodes)
    new = [atoms[name] for name in names]
    assert new == sorted(new)
    assert len(set(new)) == 13
    assert set(new).isdisjoint(names)


def test_labels_selectors_and_taints_are_replaced_alike() -> None:
    selector = {"matchExpressions": [{"key": "acme.com/pool", "operator": "In", "values": ["blue-team", "8"]}]}
    items: list[dict[str, Any]] = [
        a_node("rack-7", **{"acme.com/pool": "blue-team", "topology.kubernetes.io/zone": "eu-1a", "gpu-type": "h200"}),
        {
            **a_pod("loner", "prod-a", []),
            "spec": {
                "nodeSelector": {"acme.com/pool": "blue-team", "gpu-type": "h200"},
                "affinity": selector,
                "tolerations": [
                    {"key": "acme.com/pool", "operator": "Equal", "value": "blue-team", "effect": "NoSchedule"}
                ],
            },
        },
    ]
    renamer = Renamer(plan(items))
    node, pod = (renamer.item(item) for item in items)
    assert node["metadata"]["labels"]["host-1.example/pool"] == "v-1"
    assert node["metadata"]["labels"]["topology.kubernetes.io/zone"] == "eu-1a"
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "node-1"
    assert pod["spec"]["nodeSelector"] == {"host-1.example/pool": "v-1", "gpu-type": "h200"}
    assert pod["spec"]["affinity"]["matchExpressions"] == [
        {"key": "host-1.example/pool", "operator": "In", "values": ["v-1", "8"]}
    ]
    assert pod["spec"]["tolerations"] == [
        {"key": "host-1.example/pool", "operator": "Equal", "value": "v-1", "effect": "NoSchedule"}
    ]


def test_a_model_is_known_by_its_path_and_fixed_words_are_no_names() -> None:
    items = [
        named("Deployment", "apps/v1", "Running", "prod-a"),
        a_pod("glm", "prod-a", [], container={"args": ["serve", "/models/glm", "--served-model-name", "glm"]}),
    ]
    renamer = Renamer(plan(items))
    pod = renamer.item({**items[1], "status": {"phase": "Running"}})
    assert pod["spec"]["containers"][0]["args"] == ["serve", "/models/glm", "--served-model-name", "pod-1"]
    assert pod["status"] == {"phase": "Running"}
