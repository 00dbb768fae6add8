"""A model's name means the owners whose engines serve it."""

import msgspec
import pytest

from bot.domain.thing import Thing
from bot.why.models import serving
from tests.factories import a_view


def deployment(name: str, *args: str, **env: str) -> Thing:
    container = {"name": "engine", "args": list(args), "env": [{"name": key, "value": env[key]} for key in env]}
    spec = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    return Thing(name=name, namespace="llm", kind="Deployment", raw=msgspec.json.encode({"spec": spec}))


@pytest.mark.parametrize(
    ("word", "names"),
    [
        pytest.param("zai-org/GLM-5-FP8", ["chat"], id="the model as its path says"),
        pytest.param("glm-5-fp8", ["chat"], id="the last part of the path, in any letters"),
        pytest.param("glm", ["chat"], id="the name that it is served under"),
        pytest.param("qwen3", ["other"], id="a path on a volume"),
        pytest.param("bge-m3", ["embed"], id="the model in TGI's variable"),
        pytest.param("glm-5", [], id="a part of a name is no name"),
        pytest.param("--model", [], id="a flag is no name"),
    ],
)
def test_owners_are_found_by_the_model_that_they_serve(word: str, names: list[str]) -> None:
    view = a_view()
    for one in (
        deployment("chat", "vllm", "serve", "zai-org/GLM-5-FP8", "--served-model-name", "glm"),
        deployment("other", "vllm", "serve", "/models/qwen3"),
        deployment("embed", "text-generation-launcher", MODEL_ID="BAAI/bge-m3"),
    ):
        view.put("deployments", one.key, one)
    assert [subject.name for subject in serving(view, word)] == names
