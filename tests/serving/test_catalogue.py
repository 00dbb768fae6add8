"""The catalogue: what the file says is what is read, and a wrong entry is told with its place."""

from typing import Any

import pytest
import yaml

from bot.domain import data_file
from bot.domain.errors import ConfigError
from bot.domain.version import Version, version
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
    assert known.keys() >= {
        *("glm-5.3", "glm-5.3-flash", "glm-5.2", "glm-5.1", "glm-5"),
        *("glm-4.7", "glm-4.7-flash", "glm-4.6", "glm-4.5", "glm-4.5-air"),
    }
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


def test_other_makers_models_are_there_too() -> None:
    assert {model.family for model in catalogue().models} == {
        "GLM-5",
        "GLM-4",
        "Qwen3",
        "DeepSeek",
        "gpt-oss",
        "Llama 3",
    }


@pytest.mark.parametrize(
    ("name", "engine", "first", "tools", "reasoning", "ahead"),
    [
        ("glm-5.3", "vllm", "0.28", "glm47", "glm45", 5),
        ("glm-5.3-flash", "vllm", "0.31", "glm47", "glm45", 0),
        ("glm-5.2", "vllm", "0.23", "glm47", "glm45", 5),
        ("glm-5.2", "sglang", "0.5.13", "glm47", "glm45", 5),
        ("glm-5.1", "vllm", "0.19.1", "glm47", "glm45", 3),
        ("glm-5.1", "sglang", "0.5.10", "glm47", "glm45", 3),
        ("glm-5", "vllm", "0.16", "glm47", "glm45", 3),
        ("glm-5", "sglang", "0.5.9", "glm47", "glm45", 3),
        ("glm-4.7", "vllm", "0.14", "glm47", "glm45", 1),
        ("glm-4.7", "sglang", "0.5.7", "glm47", "glm45", 1),
        ("glm-4.7-flash", "vllm", "0.15", "glm47", "glm45", 1),
        ("glm-4.7-flash", "sglang", "0.5.8", "glm47", "glm45", 0),
        ("glm-4.6", "vllm", "0.11", "glm45", "glm45", 1),
        ("glm-4.5", "vllm", "0.11", "glm45", "glm45", 1),
        ("glm-4.5-air", "vllm", "0.11", "glm45", "glm45", 1),
        ("qwen3-32b", "vllm", "0.8.5", "hermes", "qwen3", 0),
        ("deepseek-v3.2", "vllm", "0.18", "deepseek_v32", "deepseek_v3", 3),
        ("gpt-oss-120b", "vllm", "0.10", "openai", "", 0),
    ],
)
def test_what_each_engine_needs(name: str, engine: str, first: str, tools: str, reasoning: str, ahead: int) -> None:
    [model] = [one for one in catalogue().models if one.id == name]
    found = model.variants[0].support(engine)
    assert found is not None
    assert (found.first, found.tool_parser, found.reasoning_parser, found.mtp_tokens) == (
        version(first),
        tools,
        reasoning,
        ahead,
    )
    assert found.first <= found.advised <= catalogue().releases[engine].version


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


WRONG = [
    pytest.param(
        "        weights_bytes: 755635070000\n", "", "`weights_bytes` of models glm-5.2 variants fp8 is missing"
    ),
    pytest.param("layers: 78\n", "layers: many\n", "`layers` of architectures glm-5.2 has to be a whole number"),
    pytest.param("first: 0.23.0\n", "first: newest\n", "`first` of models glm-5.2 engines vllm has to be a version"),
    pytest.param("lowest: 9.0\n", "lowest: hopper\n", "has to be a compute capability such as 9.0"),
    pytest.param("factor: 1.074\n", "factor: -1\n", "`factor` of models glm-5.2 variants fp8 has to be a number"),
    pytest.param("attention: mla\n", "attention: mha\n", "has to be one of “mla” and “gqa”, not “mha”"),
    pytest.param("    kernel: dsa\n", "    kernel: flash\n", "`flash` of kernels is missing"),
    pytest.param("    architecture: glm-5.2\n", "    architecture: glm-9\n", "`glm-9` of architectures is missing"),
    pytest.param("        files: 141\n", "        file: 141\n", "did you mean `files`?"),
    pytest.param("      sglang:\n        first", "      tgi:\n        first", "no engine is called “tgi”"),
    pytest.param(
        "    fallback: glm-4.7, glm", "    fallback: glm-9, glm", "names “glm-9”, which is no other model here"
    ),
    pytest.param("        source: recipes-893\n", "        source: hearsay\n", "`hearsay` of sources is missing"),
    pytest.param("        source: recipes-893\n", "", "`source` of models glm-5.2 variants fp8 is missing"),
    pytest.param("    licence: MIT\n", "", "`licence` of models glm-5.2 is missing"),
    pytest.param(
        "    heads: 64\n", "    heads: 0\n", "`heads` of architectures glm-5.2 has to be a whole number from 1 on"
    ),
    pytest.param("bytes: 755635070000", "bytes: 756 GB", "fp8 has to be a whole number from 1 on, not “756 GB”"),
    pytest.param("bytes: 755635070000", "bytes: 7e11", "has to be a whole number from 1 on, not “7e11”"),
    pytest.param("bytes: 755635070000", "bytes: ٧٥٥", "has to be a whole number from 1 on, not “٧٥٥”"),
    pytest.param("bytes: 755635070000", "bytes: " + "9" * 5000, "has to be a whole number from 1 on"),
    pytest.param("factor: 1.074\n", "factor: nan\n", "has to be a number from 1 on, not “nan”"),
    pytest.param("factor: 1.074\n", "factor: 0.5\n", "has to be a number from 1 on, not “0.5”"),
    pytest.param("measured: yes\n", "measured: perhaps\n", "has to be one of “yes” and “no”, not “perhaps”"),
    pytest.param("    lora_rank: 512\n", "    kv_heads: 8\n", "`kv_heads` of architectures glm-5.2 is nothing"),
    pytest.param("          hopper: fp8\n", "          hoper: fp8\n", "did you mean `hopper`?"),
    pytest.param("          hopper: fp8\n", "          hopper: int4\n", "not “int4”"),
    pytest.param("        tool_parser: glm47\n", "        toolparser: glm47\n", "did you mean `tool_parser`?"),
    pytest.param("        advised: 0.28.0\n", "        advised: 0.22.0\n", "is older than `first`"),
    pytest.param("        arguments: --trust", "        arguments: trust", "are flags such as `--trust-remote-code`"),
    pytest.param("        gpus: blackwell\n", "        gpus: turing\n", "not “turing”"),
    pytest.param("        when: mtp\n", "        when: rainy\n", "not “rainy”"),
    pytest.param("        engine: vllm\n", "        engine: vlm\n", "no engine is called “vlm”"),
    pytest.param("    image: vllm/vllm-openai\n", "", "`image` of engines vllm is missing"),
    pytest.param("    version: 0.33.0\n", "    version: newest\n", "`version` of engines vllm has to be a version"),
    pytest.param("  sglang:\n    version", "  other:\n    version", "no engine is called “other”"),
    pytest.param("    only: 9.0, 10.0, 10.3\n", "    only: 9\n", "has to be a compute capability"),
    pytest.param("    names: glm, glm-5.2,", "    names: glm,", "have to hold “glm-5.2” too"),
    pytest.param("    names: glm-5.3,", "    names: glm, glm-5.3,", "“glm” is a name of glm-5.2 already"),
    pytest.param("    names: glm, glm", "    names: GLM, glm", "“GLM” has to be small ASCII letters"),
    pytest.param("    names: glm, glm", "    names: gІm, glm", "has to be small ASCII letters"),
]


@pytest.mark.parametrize(("old", "new", "wanted"), [pytest.param(*one.values, id=one.values[2]) for one in WRONG])
def test_a_wrong_entry_is_named(old: str, new: str, wanted: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(changed(old, new), FILE)
    assert str(caught.value).startswith("models.yaml: ")
    assert wanted in str(caught.value)


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_an_engine_that_no_release_is_named_of_is_told(engine: str) -> None:
    told = data_file.read(TEXT, FILE)
    del told["engines"][engine]  # type: ignore[attr-defined,union-attr]
    with pytest.raises(ConfigError, match=f"`{engine}` of `engines` is missing: models glm-5.2 needs"):
        read(told, FILE)


# ---- a model more is one entry ---------------------------------------------------------------------------------------

ENTRY = """
  acme-1:
    title: Acme 1
    names: acme, acme-1
    family: Acme
    licence: MIT
    architecture: llama-8b
    context: 8192
    overhead_gib: 4
    variants:
      bf16:
        huggingface: acme/Acme-1
        weights_bytes: 16000000000
        factor: 1.0
        lowest: 8.0
        source: derived
    engines:
      vllm:
        first: 0.20.0
        advised: 0.20.0
        source: vllm
"""


def test_adding_a_model_is_one_entry() -> None:
    known = read(data_file.read(TEXT + ENTRY, FILE), FILE)
    model, variant = find(known, "acme/Acme-1")
    assert variant is not None
    assert (model.title, variant.precision, variant.measured, variant.only) == ("Acme 1", "bf16", False, ())


REQUIRED = [line for line in ENTRY.splitlines() if ": " in line]


@pytest.mark.parametrize("line", [pytest.param(line, id=line.strip().partition(":")[0]) for line in REQUIRED])
def test_no_figure_of_it_can_be_left_out(line: str) -> None:
    key = line.strip().partition(":")[0]
    at = ENTRY.index(line + "\n")
    with pytest.raises(ConfigError) as caught:
        read(data_file.read(TEXT + ENTRY[:at] + ENTRY[at + len(line) + 1 :], FILE), FILE)
    assert f"`{key}` of models acme-1" in str(caught.value)
    assert "is missing" in str(caught.value)
