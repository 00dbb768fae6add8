"""The catalogue: what the file says is what is read, and a wrong entry is told with its place."""

from typing import Any

import pytest
import yaml

from bot.domain import data_file
from bot.domain.errors import ConfigError, UsageError
from bot.domain.version import Version
from bot.serving.catalogue import FILE, catalogue, find, read
from bot.serving.model import Mla

TEXT = (data_file.FOLDER / FILE).read_text(encoding="utf-8")


def changed(old: str, new: str) -> Any:
    assert old in TEXT
    return data_file.read(TEXT.replace(old, new, 1), FILE)


def test_the_file_says_the_same_to_any_reader_of_yaml() -> None:
    assert data_file.load(FILE) == yaml.load(TEXT, Loader=yaml.BaseLoader)


def test_it_has_the_whole_family_with_figures() -> None:
    known = {model.id: model for model in catalogue().models}
    assert {"glm-5.2", "glm-5.3", "glm-5.1", "glm-5", "glm-4.7", "glm-4.6", "glm-4.5", "glm-4.5-air"} <= set(known)
    glm = known["glm-5.2"]
    assert {one.id for one in glm.variants} == {"fp8", "bf16", "nvfp4"}
    assert isinstance(glm.architecture.attention, Mla)
    [fp8] = [one for one in glm.variants if one.id == "fp8"]
    assert (fp8.weights_bytes / 2**30, fp8.files, fp8.only) == (
        pytest.approx(703.74, abs=0.01),
        141,
        ((9, 0), (10, 0), (10, 3)),
    )
    vllm = fp8.support("vllm")
    assert vllm is not None
    assert (vllm.first, vllm.tool_parser, vllm.reasoning_parser) == (Version(0, 23), "glm47", "glm45")


def test_every_figure_has_its_source_and_every_name_one_model() -> None:
    seen: dict[str, str] = {}
    for model in catalogue().models:
        assert model.architecture.source
        assert model.licence
        for name in model.names:
            assert seen.setdefault(name, model.id) == model.id
            assert name == name.casefold()
        for variant in model.variants:
            assert variant.source
            assert all(support.source for support in variant.engines)
        assert all(bug.source for bug in model.bugs)


@pytest.mark.parametrize(
    ("word", "model", "variant"),
    [
        ("glm", "glm-5.2", None),
        ("GLM-5.2", "glm-5.2", None),
        ("GLM-5.2-FP8", "glm-5.2", "fp8"),
        ("glm-nvfp4", "glm-5.2", "nvfp4"),
        ("zai-org/GLM-5.2-FP8", "glm-5.2", "fp8"),
        ("zai-org/GLM-5.2", "glm-5.2", "bf16"),
        ("ZhipuAI/GLM-4.7", "glm-4.7", "bf16"),
        ("nvidia/GLM-5.2-NVFP4", "glm-5.2", "nvfp4"),
        ("flash", "glm-4.7-flash", None),
        ("air", "glm-4.5-air", None),
    ],
)
def test_what_people_type(word: str, model: str, variant: str | None) -> None:
    found, which = find(catalogue(), word)
    assert (found.id, which.id if which else None) == (model, variant)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        pytest.param("glm-5.22", "did you mean `glm-5.2`?", id="a slip of the finger"),
        pytest.param("gpt-9", "there are `glm`", id="nothing like it"),
        pytest.param("gІm", "plain ASCII", id="a letter that only looks alike"),
    ],
)
def test_what_nobody_knows_is_told_with_what_there_is(word: str, wanted: str) -> None:
    with pytest.raises(UsageError, match="(?i)" + wanted.replace("?", r"\?")):
        find(catalogue(), word)


WRONG = [
    pytest.param(
        "        weights_bytes: 755635070000\n", "", "`weights_bytes` of models glm-5.2 variants fp8 is missing"
    ),
    pytest.param("layers: 78\n", "layers: many\n", "`layers` of architectures glm-5.2 has to be a whole number"),
    pytest.param("first: 0.23.0\n", "first: newest\n", "`first` of models glm-5.2 engines vllm has to be a version"),
    pytest.param("lowest: 9.0\n", "lowest: hopper\n", "has to be a compute capability such as 9.0"),
    pytest.param("factor: 1.074\n", "factor: -1\n", "`factor` of models glm-5.2 variants fp8 has to be a number"),
    pytest.param("attention: mla\n", "attention: mha\n", "is mla or gqa, not “mha”"),
    pytest.param("    kernel: dsa\n", "    kernel: flash\n", "`flash` of kernels is missing"),
    pytest.param("    architecture: glm-5.2\n", "    architecture: glm-9\n", "`glm-9` of architectures is missing"),
    pytest.param("        files: 141\n", "        file: 141\n", "did you mean `files`?"),
    pytest.param("      sglang:\n        first", "      tgi:\n        first", "no engine is called “tgi”"),
    pytest.param("    fallback: glm-4.7, glm", "    fallback: glm-9, glm", "names “glm-9”, which is no model here"),
    pytest.param("        source: recipes-893\n", "        source: hearsay\n", "`hearsay` of sources is missing"),
]


@pytest.mark.parametrize(("old", "new", "wanted"), [pytest.param(*one.values, id=one.values[2]) for one in WRONG])
def test_a_wrong_entry_is_named(old: str, new: str, wanted: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(changed(old, new), FILE)
    assert str(caught.value).startswith("models.yaml: ")
    assert wanted in str(caught.value)
