"""The command line of a vLLM server, as far as what it shows depends on it; what vLLM would refuse is refused alike.

vllm-project/vllm:vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PARSERS = frozenset({"glm45", "glm47", "hermes", "llama3_json", "mistral", "openai", "deepseek_v3", "qwen3_coder"})
_LONG = frozenset(
    """
    model served-model-name tensor-parallel-size pipeline-parallel-size max-model-len max-num-seqs port host
    gpu-memory-utilization kv-cache-dtype tool-call-parser reasoning-parser speculative-config shutdown-timeout config
    nnodes node-rank master-addr quantization max-num-batched-tokens dtype seed download-dir api-key load-format
    chat-template-content-format data-parallel-size block-size
    """.split()
)
_SWITCHES = frozenset(
    {"enable-auto-tool-choice", "trust-remote-code", "headless", "enforce-eager", "enable-expert-parallel"}
)
_SERVERS = ("vllm serve", "vllm.entrypoints.openai.api_server")


@dataclass(frozen=True, slots=True)
class EngineArgs:
    """`error`: what argparse or the engine would end with at once; empty where it starts."""

    model: str
    served_name: str
    port: int = 8000
    tensor_parallel: int = 1
    context_tokens: int = 131_072
    tool_parser: str = ""
    reasoning_parser: str = ""
    error: str = ""


def is_engine(container: Mapping[str, object]) -> bool:
    """Whether it runs a vLLM server, by its command; the official image starts one without any."""
    line = " ".join(_words(container))
    image = str(container.get("image", ""))
    return any(one in line for one in _SERVERS) or (
        "vllm-openai" in image and not container.get("command") and bool(container.get("args"))
    )


def of_container(container: Mapping[str, object], settings: Mapping[str, object]) -> EngineArgs:
    """settings: what its configuration file says."""
    words = _words(container)
    for start in (["vllm", "serve"], ["-m", "vllm.entrypoints.openai.api_server"]):
        at = next((n for n in range(len(words)) if words[n : n + 2] == start), None)
        if at is not None:
            words = words[at + 2 :]
            break
    return read_args(words, settings)


def _words(container: Mapping[str, object]) -> list[str]:
    told = [*_list(container.get("command")), *_list(container.get("args"))]
    return [word for text in told for word in (text.split() if " " in text else [text])]


def _list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def read_args(words: Sequence[str], settings: Mapping[str, object] | None = None) -> EngineArgs:
    """What is on the command line goes before the configuration file."""
    told: dict[str, str] = {name: str(value) for name, value in (settings or {}).items()}
    free: list[str] = []
    waits = ""
    for word in words:
        if waits:
            told[waits], waits = word, ""
            continue
        if not word.startswith("--"):
            free.append(word)
            continue
        name, equals, value = word.removeprefix("--").replace("_", "-").partition("=")
        name = name.partition(".")[0]
        if name in _SWITCHES:
            told[name] = "True"
        elif name not in _LONG:
            return _refused(told, free, f"vllm serve: error: unrecognized arguments: {word}")
        elif equals:
            told[name] = value
        else:
            waits = name
    return _checked(told, free)


def _checked(told: Mapping[str, str], free: list[str]) -> EngineArgs:
    for key in ("tool-call-parser", "reasoning-parser"):
        parser = told.get(key, "")
        if parser and parser not in PARSERS:
            known = ", ".join(sorted(PARSERS))
            return _refused(told, free, f"KeyError: 'invalid {key}: {parser} (chose from {{ {known} }})'")
    try:
        return _made(told, free, "")
    except ValueError as wrong:
        return _refused(told, free, f"vllm serve: error: {wrong}")


def _refused(told: Mapping[str, str], free: list[str], error: str) -> EngineArgs:
    model = free[0] if free else told.get("model", "")
    return EngineArgs(model, told.get("served-model-name", model), error=error)


def _made(told: Mapping[str, str], free: list[str], error: str) -> EngineArgs:
    model = free[0] if free else told.get("model", "")
    return EngineArgs(
        model=model,
        served_name=told.get("served-model-name", model),
        port=int(told.get("port", "8000")),
        tensor_parallel=int(told.get("tensor-parallel-size", "1")),
        context_tokens=int(told.get("max-model-len", "131072")),
        tool_parser=told.get("tool-call-parser", "") if told.get("enable-auto-tool-choice") else "",
        reasoning_parser=told.get("reasoning-parser", ""),
        error=error,
    )
