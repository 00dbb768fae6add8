"""Which workloads serve models, and which of them is meant by what somebody typed."""

from typing import Any

import pytest

from bot.domain.errors import BotError, NotFoundError, UpstreamError, UsageError
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.scaling.served import served, unread
from bot.scaling.served_named import named
from tests.scaling.building import Object, deployment, node, pod, view_of
from tests.views.model_scenes import GLM, fleet, serving, three


def lws(name: str = "big", **template: Any) -> Object:
    """Groups of two; the leader has a template of its own."""
    gpus = {"limits": {"nvidia.com/gpu": "8"}}
    leader = {"name": "vllm-leader", "image": "vllm/vllm-openai:v0.33.0", "args": list(GLM), "resources": gpus}
    worker = {"name": "vllm-worker", "image": "vllm/vllm-openai:v0.33.0", "args": ["--headless"], "resources": gpus}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": name, "namespace": "llm", "uid": name},
        "spec": {
            "replicas": 2,
            "leaderWorkerTemplate": {
                "size": 2,
                "leaderTemplate": {"spec": {"containers": [leader]}},
                "workerTemplate": {"spec": {"containers": [worker]}},
                **template,
            },
        },
    }


def isvc() -> Object:
    model = {"args": ["--served-model-name=glm-k"], "image": "vllm/vllm-openai:v0.30.0"}
    model |= {"resources": {"limits": {"nvidia.com/gpu": "2"}}}
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "kglm", "namespace": "llm", "uid": "kglm"},
        "spec": {"predictor": {"minReplicas": 1, "model": model}},
    }


def test_those_with_most_gpus_come_first_and_what_serves_nothing_is_left_out() -> None:
    assert [(one.model, one.gpus, one.wanted, one.ready) for one in served(three())] == [
        ("glm", 8, 3, 2),
        ("bge-m3", 1, 1, 1),
        ("Qwen2-7B", 2, 0, 0),
    ]


def test_a_group_counts_once_with_the_gpus_of_all_its_pods() -> None:
    [one] = served(view_of(lws()))
    assert (one.model, one.gpus, one.wanted, one.size, one.typed) == ("glm", 16, 2, 2, "lws/llm/big")


def test_kserves_model_server_is_an_engine_too() -> None:
    [one] = served(view_of(isvc()))
    assert (one.model, one.gpus, one.version) == ("glm-k", 2, "0.30.0")


def test_an_engine_of_nobody_that_is_read_is_counted_beside() -> None:
    alone = pod(deployment("ray", gpus=1), "ray-head", "gpu-1", ownerReferences=[])
    alone["spec"]["containers"][0]["image"] = "vllm/vllm-openai:v0.33.0"
    view = view_of(*fleet(1), *serving("glm", ["gpu-1"], *GLM), alone)
    assert [one.key for one in unread(view, served(view))] == ["llm/ray-head"]


@pytest.mark.parametrize(
    ("word", "name"),
    [
        pytest.param("glm", "glm", id="a workload's name"),
        pytest.param("deployment/llm/glm", "glm", id="exactly that one"),
        pytest.param("GLM-5.2-FP8", "glm", id="the last part of the checkpoint's id, in any letters"),
        pytest.param("zai-org/GLM-5.2-FP8", "glm", id="the checkpoint's id"),
        pytest.param("bge-m3", "bge", id="the name that it is served under"),
        pytest.param("glm-abc-2", "glm", id="one of its pods"),
        pytest.param("qwen2", "qwen", id="how a model's name begins"),
        pytest.param("qw", "qwen", id="how a workload's name begins"),
    ],
)
def test_one_is_meant(word: str, name: str) -> None:
    assert named(three(), word, "", "/model status").thing.name == name


@pytest.mark.parametrize(
    ("word", "error", "says"),
    [
        pytest.param("glmm", NotFoundError, "did you mean `/model logs deployment/llm/glm`?", id="a slip"),
        pytest.param("gʟm-5", NotFoundError, "/model list", id="nothing like it"),
        pytest.param("qwеn", NotFoundError, "cyrillic small letter ie", id="a letter that only looks Latin"),
        pytest.param("qwеn", NotFoundError, "did you mean `/model logs deployment/llm/qwen`?", id="what it looks like"),
        pytest.param("web", UsageError, "runs no engine that gpubot knows", id="something that serves no model"),
        pytest.param("gpu-1", UsageError, "`/why node/gpu-1`", id="a node"),
        pytest.param("`<!channel>`", NotFoundError, "‹!channel>", id="something hostile"),
    ],
)
def test_nobody_is_meant(word: str, error: type[BotError], says: str) -> None:
    with pytest.raises(error) as raised:
        named(three(), word, "", "/model logs")
    assert says in str(raised.value)


def test_of_several_that_serve_the_same_all_are_listed() -> None:
    view = view_of(*fleet(2), *serving("one", ["gpu-1"], *GLM), *serving("two", ["gpu-2"], *GLM))
    with pytest.raises(UsageError, match=r"`deployment/llm/one` and `deployment/llm/two`: type `/model bench dep"):
        named(view, "glm", "", "/model bench")


def test_what_could_not_be_read_is_not_called_missing() -> None:
    view: View = view_of(node("gpu-1"))
    view.sources["deployments"] = Source("deployments", Reading.FORBIDDEN, None, "needs `list deployments`")
    with pytest.raises(UpstreamError, match="cannot be told"):
        named(view, "glm", "", "/model status")
