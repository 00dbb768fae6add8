from typing import Any

import pytest

from bot.local.engine.arguments import EngineArgs, is_engine, of_container, read_args
from bot.serving.reading import read


def a_container(image: str, *command: str, args: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"image": image, "command": list(command), "args": list(args)}


@pytest.mark.parametrize(
    ("container", "yes"),
    [
        pytest.param(a_container("any:1", "vllm", "serve", "m"), True, id="vllm serve"),
        pytest.param(a_container("any:1", "sh", "-c", "exec vllm serve m --port 1"), True, id="vllm serve in a shell"),
        pytest.param(
            a_container("any:1", "python3", "-m", "vllm.entrypoints.openai.api_server"), True, id="its module"
        ),
        pytest.param(a_container("vllm/vllm-openai:v0.33.0", args=("m",)), True, id="the official image's entrypoint"),
        pytest.param(a_container("vllm/vllm-openai:v0.33.0"), False, id="the official image without a model"),
        pytest.param(a_container("vllm/vllm-openai:v0.33.0", "sh", "-c", "sleep 9"), False, id="another program in it"),
        pytest.param(a_container("any:1", "python3", "-m", "sglang.launch_server"), True, id="sglang"),
        pytest.param(a_container("any:1", "python3", "train.py"), False, id="a training"),
    ],
)
def test_what_is_an_engine(container: dict[str, Any], yes: bool) -> None:
    assert is_engine(container) is yes


@pytest.mark.parametrize(
    ("words", "settings", "expected"),
    [
        pytest.param(["m"], {}, {"model": "m", "served_name": "m", "port": 8000}, id="the defaults"),
        pytest.param(["m", "--served-model-name", "x"], {}, {"served_name": "x"}, id="a value after its flag"),
        pytest.param(["m", "--max-model-len=128K"], {}, {"context_tokens": 131_072}, id="a length in binary thousands"),
        pytest.param(["zai-org/GLM-5.2-FP8"], {}, {"context_tokens": 1_048_576}, id="without a length the native one"),
        pytest.param(["m", "-tp", "8"], {}, {"tensor_parallel": 8}, id="a short flag"),
        pytest.param(["m", "--port=1"], {"port": 2}, {"port": 1}, id="the command line goes before the file"),
        pytest.param(["m"], {"port": 2}, {"port": 2}, id="the file counts"),
        pytest.param(
            ["m", "--tool-call-parser=glm47"], {}, {"tool_parser": ""}, id="a parser without auto tool choice"
        ),
        pytest.param(
            ["m", "--tool-call-parser=glm47"],
            {"enable-auto-tool-choice": True},
            {"tool_parser": "glm47"},
            id="a parser with auto tool choice",
        ),
        pytest.param(
            ["m", "--tool-call-parser=glm47", "--no-enable-auto-tool-choice"],
            {"enable-auto-tool-choice": True},
            {"tool_parser": ""},
            id="a switch that is taken back",
        ),
        pytest.param(
            ["m", "--speculative-config", '{"method": "mtp", "num_speculative_tokens": 5}'],
            {},
            {"speculative_tokens": 5},
            id="drafts in JSON",
        ),
        pytest.param(
            ["m", "--speculative-config.num_speculative_tokens", "3"],
            {},
            {"speculative_tokens": 3},
            id="drafts by a dot",
        ),
    ],
)
def test_what_is_read(words: list[str], settings: dict[str, Any], expected: dict[str, Any]) -> None:
    made = read_args(words, settings)
    assert made.error == ""
    assert {name: getattr(made, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("words", "code", "signature"),
    [
        pytest.param(["m", "--no-such-flag"], 2, "argument-unrecognized", id="a flag that nobody knows"),
        pytest.param(
            ["m", "--enable-auto-tool-choice", "--tool-call-parser=glm99"],
            1,
            "argument-tool-parser",
            id="a tool parser",
        ),
        pytest.param(["m", "--reasoning-parser=glm99"], 1, "argument-reasoning-parser", id="a reasoning parser"),
        pytest.param(["m", "--port=many"], 2, None, id="a number that is none"),
        pytest.param(["m", "--port"], 2, None, id="a flag without its value"),
        pytest.param(["zai-org/GLM-5.2-FP8", "-tp=6"], 1, "parallel-heads", id="heads that cannot be divided"),
        pytest.param(
            ["zai-org/GLM-4.7", "--max-model-len=300000"],
            1,
            "argument-context-over-model",
            id="more than the native context",
        ),
    ],
)
def test_what_is_refused_is_understood(words: list[str], code: int, signature: str | None) -> None:
    made = read_args(words)
    assert made.error
    assert made.exit_code == code
    cause = read(made.error).cause
    assert signature is None or (cause is not None and cause.signature.id == signature), cause


def test_an_old_release_does_not_know_a_new_parser() -> None:
    args = ("m", "--enable-auto-tool-choice", "--tool-call-parser=glm47")
    old = of_container(a_container("vllm/vllm-openai:v0.13.0", args=args), {})
    new = of_container(a_container("vllm/vllm-openai:v0.14.1", args=args), {})
    assert "invalid tool call parser: glm47" in old.error
    assert new.error == ""


def test_settings_that_are_unknown_are_refused() -> None:
    assert "unrecognized arguments: --no-such=1" in read_args(["m"], {"no-such": 1}).error


def test_sglang_has_flags_of_its_own() -> None:
    words = ("--model-path=m", "--tp-size=8", "--context-length=1000", "--tool-call-parser=glm47")
    made = of_container(a_container("any:v0.5.9", "python3", "-m", "sglang.launch_server", args=words), {})
    assert (made.engine, made.model, made.tensor_parallel, made.context_tokens) == ("sglang", "m", 8, 1000)
    assert (made.port, made.version, made.tool_parser, made.shows_metrics) == (30_000, "0.5.9", "glm47", False)
    assert isinstance(made, EngineArgs)
    assert made.error == ""
