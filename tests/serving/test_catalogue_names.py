"""What people type for a model: its names, its checkpoints, a slip of the finger, and what only looks like a name."""

import pytest

from bot.domain.errors import UsageError
from bot.serving.catalogue import catalogue, find, is_name


@pytest.mark.parametrize(
    ("word", "model", "variant"),
    [
        ("glm", "glm-5.2", None),
        ("GLM", "glm-5.2", None),
        ("glm-5.2", "glm-5.2", None),
        ("GLM-5.2", "glm-5.2", None),
        (" glm ", "glm-5.2", None),
        ("GLM-5.2-FP8", "glm-5.2", "fp8"),
        ("glm-fp8", "glm-5.2", "fp8"),
        ("glm-nvfp4", "glm-5.2", "nvfp4"),
        ("zai-org/GLM-5.2-FP8", "glm-5.2", "fp8"),
        ("ZAI-ORG/glm-5.2-fp8", "glm-5.2", "fp8"),
        ("zai-org/GLM-5.2", "glm-5.2", "bf16"),
        ("ZhipuAI/GLM-4.7", "glm-4.7", "bf16"),
        ("zai-org/GLM-5.3", "glm-5.3", "fp8"),
        ("nvidia/GLM-5.2-NVFP4", "glm-5.2", "nvfp4"),
        ("flash", "glm-4.7-flash", None),
        ("glm-5.3-flash", "glm-5.3-flash", None),
        ("air", "glm-4.5-air", None),
        ("air-fp8", "glm-4.5-air", "fp8"),
        ("qwen3", "qwen3-32b", None),
        ("Qwen/Qwen3-32B", "qwen3-32b", "bf16"),
        ("Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b", "fp8"),
        ("deepseek", "deepseek-v3.2", None),
        ("openai/gpt-oss-20b", "gpt-oss-20b", "mxfp4"),
        ("llama-3.3-70b", "llama-3.3-70b", None),
    ],
)
def test_what_people_type(word: str, model: str, variant: str | None) -> None:
    found, which = find(catalogue(), word)
    assert (found.id, which.id if which else None) == (model, variant)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("glm", "flash"), True),
        (("GLM", "5.2"), True),
        (("glm", "5.2", "fp8"), True),
        (("glm", "air"), True),
        (("glm", "now"), False),
        (("glm", "glm"), False),
        (("glm", "flаsh"), False),
    ],
)
def test_names_of_several_words(words: tuple[str, ...], name: bool) -> None:
    assert is_name(catalogue(), words) is name


UNKNOWN = [
    pytest.param("glm-5.22", "did you mean `glm-5.2`?", id="a slip of the finger"),
    pytest.param("glm-47-flsh", "did you mean `glm-4.7-flash`?", id="two of them"),
    pytest.param("qwne3-32b", "did you mean `qwen3-32b`?", id="letters the wrong way round"),
    pytest.param(
        "amd/GLM-5.2-MXFP4", "No model of the catalogue is called “amd/GLM-5.2-MXFP4”", id="another precision"
    ),
    pytest.param("mistral", "there are `glm`,", id="nothing like it"),
    pytest.param("", "there are `glm`,", id="nothing at all"),
    pytest.param("unsloth/GLM-5.2", "type `zai-org/GLM-5.2-FP8`", id="somebody else's copy of a model that is there"),
    pytest.param("evil/GLM-5.2-FP8", "has no weights of “evil/GLM-5.2-FP8”", id="and of a variant that is there"),
    pytest.param("gІm", "plain ASCII", id="a letter that only looks alike"),
    pytest.param("zаi-org/GLM-5.2", "plain ASCII", id="a letter that only looks alike in the owner's name"),
    pytest.param("glm\u200b", "plain ASCII", id="a letter that cannot be seen"),
    pytest.param("ｇｌｍ", "plain ASCII", id="letters of full width"),
    pytest.param("glm\n*bold*", "No model of the catalogue", id="marks of a chat window"),
    pytest.param("x" * 5000, "No model of the catalogue", id="five thousand letters"),
]


@pytest.mark.parametrize(("word", "wanted"), UNKNOWN)
def test_what_nobody_knows_is_told_in_a_short_sentence_with_what_there_is(word: str, wanted: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(catalogue(), word)
    told = str(caught.value)
    assert wanted in told
    assert len(told) < 400
    assert "\n" not in told
