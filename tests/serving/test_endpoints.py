"""Where an engine's metrics are: what it was told counts most, then annotations, ports, and what is usual."""

from typing import Any

import pytest

from bot.domain.fields import Fields
from bot.domain.pod import Container
from bot.serving.endpoints import Endpoint, endpoints
from bot.serving.engine_pods import Hint, engine_of, engine_of_image, is_engine, version_of_image
from tests.factories import a_pod

VLLM, SGLANG, TRITON = "vllm/vllm-openai:v0.33.0", "lmsysorg/sglang:v0.5.23", "nvcr.io/nvidia/tritonserver:25.10-py3"


def a_whole_pod(*containers: dict[str, Any], annotations: dict[str, str] | None = None, **labels: str) -> Fields:
    meta = {"namespace": "llm", "name": "glm-0", "labels": labels, "annotations": annotations or {}}
    return Fields({"metadata": meta, "spec": {"containers": list(containers)}})


def container(image: str = VLLM, *words: str, ports: dict[str, int] | None = None) -> dict[str, Any]:
    listens = [{"name": name, "containerPort": port} for name, port in (ports or {}).items()]
    return {"name": "main", "image": image, "args": list(words), "ports": listens}


SCRAPED = {"prometheus.io/port": "8080", "prometheus.io/path": "/stats"}
MESH = {"prometheus.io/port": "15020", "prometheus.io/path": "/stats/prometheus"}


@pytest.mark.parametrize(
    ("pod", "port", "path", "scheme"),
    [
        pytest.param(a_whole_pod(container()), 8000, "/metrics", "http", id="vLLM without a word"),
        pytest.param(a_whole_pod(container(SGLANG)), 30000, "/metrics", "http", id="SGLang without a word"),
        pytest.param(a_whole_pod(container(TRITON)), 8002, "/metrics", "http", id="Triton without a word"),
        pytest.param(a_whole_pod(container(VLLM, "--port", "9001")), 9001, "/metrics", "http", id="told by --port"),
        pytest.param(a_whole_pod(container(VLLM, "--port=9001")), 9001, "/metrics", "http", id="told by --port="),
        pytest.param(
            a_whole_pod(container(VLLM, "--port", "9001", ports={"http": 80})),
            9001,
            "/metrics",
            "http",
            id="before a port",
        ),
        pytest.param(a_whole_pod(container(ports={"http": 8080, "x": 1})), 8080, "/metrics", "http", id="a usual name"),
        pytest.param(a_whole_pod(container(ports={"x": 7000})), 7000, "/metrics", "http", id="its only port"),
        pytest.param(a_whole_pod(container(), annotations=SCRAPED), 8080, "/stats", "http", id="an annotation"),
        pytest.param(a_whole_pod(container(), annotations=MESH), 8000, "/metrics", "http", id="a mesh's annotation"),
        pytest.param(
            a_whole_pod(container(VLLM, "--ssl-certfile", "/c.pem")), 8000, "/metrics", "https", id="it speaks TLS"
        ),
        pytest.param(
            a_whole_pod(container(), annotations={"prometheus.io/port": "99999999"}),
            8000,
            "/metrics",
            "http",
            id="no port",
        ),
        pytest.param(
            a_whole_pod(container(), annotations={"prometheus.io/port": "8000", "prometheus.io/path": "/a b\n"}),
            8000,
            "/metrics",
            "http",
            id="a path that is none",
        ),
        pytest.param(
            a_whole_pod(container("istio/proxyv2:1", ports={"http": 1}), container(ports={"http": 8000})),
            8000,
            "/metrics",
            "http",
            id="beside a sidecar",
        ),
    ],
)
def test_where_it_listens(pod: Fields, port: int, path: str, scheme: str) -> None:
    (found,) = endpoints(pod)
    assert (found.port, found.path, found.scheme) == (port, path, scheme)


def test_what_is_no_engine_has_no_endpoint() -> None:
    assert endpoints(a_whole_pod(container("nginx:1", ports={"http": 80}))) == ()


@pytest.mark.parametrize("raw", [{}, {"spec": 1}, {"spec": {"containers": [1, None, {"image": 7, "args": 3}]}}])
def test_objects_that_are_none(raw: dict[str, Any]) -> None:
    assert endpoints(Fields(raw)) == ()


def test_settings_count_most() -> None:
    hint = Hint({"app": "ours"}, port=9000, path="stats", engine="vllm")
    pod = a_whole_pod(container("ours:7", "--port", "1"), app="ours")
    assert endpoints(pod, (hint,)) == (Endpoint(9000, "/stats", "http", "", "vllm", "settings"),)
    assert endpoints(pod, (Hint({"app": "ours"}, namespace="another", port=9000),)) == ()


@pytest.mark.parametrize(
    ("image", "engine", "version"),
    [
        pytest.param(VLLM, "vllm", "0.33.0", id="vLLM"),
        pytest.param("registry.local:5000/team/vllm-openai:v0.28.1-cu129@sha256:ab", "vllm", "0.28.1", id="a mirror"),
        pytest.param(SGLANG, "sglang", "0.5.23", id="SGLang"),
        pytest.param("ghcr.io/huggingface/text-generation-inference:3.3", "tgi", "3.3", id="TGI"),
        pytest.param("lmsysorg/sglang-router:0.2", "", "0.2", id="a router"),
        pytest.param("vllm/vllm-openai:latest", "vllm", "", id="no release"),
        pytest.param("", "", "", id="none"),
    ],
)
def test_what_an_image_tells(image: str, engine: str, version: str) -> None:
    assert (engine_of_image(image), version_of_image(image)) == (engine, version)


@pytest.mark.parametrize(
    ("name", "image", "labels", "engine"),
    [
        pytest.param("main", VLLM, {}, "vllm", id="by its image"),
        pytest.param("vllm", "registry.local/llm:7", {}, "vllm", id="by its container's name"),
        pytest.param("main", "registry.local/llm:7", {"app.kubernetes.io/name": "sglang"}, "sglang", id="by a label"),
        pytest.param("vllm", "registry.local/vllm-router:7", {}, "", id="a router that is called so"),
    ],
)
def test_what_a_pod_is(name: str, image: str, labels: dict[str, str], engine: str) -> None:
    pod = a_pod(containers=(Container(name, image),), labels=labels)
    assert (is_engine(pod), engine_of(pod)) == (bool(engine), engine)
