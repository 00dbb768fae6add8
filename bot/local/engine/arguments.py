"""An engine's command line, as far as what it shows depends on it; what it would refuse is refused alike."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.local.engine.checkpoints import Checkpoint, checkpoint_of
from bot.local.engine.flags import SGLANG, VLLM, Flags
from bot.local.engine.values import drafted, is_on, tokens, whole

VERSIONS = {"vllm": "0.33.0", "sglang": "0.5.23"}  # where an image does not say it
_SERVERS = {
    "vllm": (("vllm", "serve"), ("-m", "vllm.entrypoints.openai.api_server")),
    "sglang": (("-m", "sglang.launch_server"), ("sglang", "serve")),
}
_TAG = re.compile(r":v?(\d{1,3}\.\d{1,3}\.\d{1,3})")
_MOST_RUNNING = 256
_GLM47_SINCE = (0, 14)


@dataclass(frozen=True, slots=True)
class EngineArgs:
    """`error`: what argparse or the engine would end with at once; empty where it starts.

    most_running: requests in one batch. drain_seconds: what requests get to end after SIGTERM.
    """

    model: str
    served_name: str
    engine: str = "vllm"
    version: str = VERSIONS["vllm"]
    port: int = 8000
    tensor_parallel: int = 1
    context_tokens: int = 131_072
    tool_parser: str = ""
    reasoning_parser: str = ""
    kv_cache_dtype: str = "auto"
    gpu_memory_utilization: str = "0.92"
    most_running: int = _MOST_RUNNING
    speculative_tokens: int = 0
    drain_seconds: float = 0.0
    api_key: str = ""
    shows_metrics: bool = True
    error: str = ""

    @property
    def exit_code(self) -> int:
        """Of a process that ends with `error`: argparse's is 2."""
        return 2 if "error: " in self.error else 1

    @property
    def release(self) -> tuple[int, int]:
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)

    @property
    def checkpoint(self) -> Checkpoint:
        return checkpoint_of(self.model)


def is_engine(container: Mapping[str, object]) -> bool:
    """Whether it runs an engine's server, by its command; vLLM's official image starts one without any."""
    return bool(_engine_of(container))


def _engine_of(container: Mapping[str, object]) -> str:
    """vllm, sglang, or empty."""
    line = " ".join(_words(container))
    for engine, starts in _SERVERS.items():
        if any(" ".join(start) in line for start in starts):
            return engine
    by_image = "vllm-openai" in str(container.get("image", "")) and not container.get("command")
    return "vllm" if by_image and container.get("args") else ""


def of_container(container: Mapping[str, object], settings: Mapping[str, object]) -> EngineArgs:
    """settings: what its configuration file says."""
    engine, words = _engine_of(container) or "vllm", _words(container)
    for start in _SERVERS[engine]:
        at = next((n for n in range(len(words)) if tuple(words[n : n + 2]) == start), None)
        if at is not None:
            words = words[at + 2 :]
            break
    found = _TAG.search(str(container.get("image", "")))
    return read_args(words, settings, engine=engine, version=found[1] if found else "")


def _words(container: Mapping[str, object]) -> list[str]:
    told = [*_list(container.get("command")), *_list(container.get("args"))]
    return [word for text in told for word in (text.split() if " " in text and "{" not in text else [text])]


def _list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def read_args(
    words: Sequence[str], settings: Mapping[str, object] | None = None, *, engine: str = "vllm", version: str = ""
) -> EngineArgs:
    """What is on the command line goes before the configuration file."""
    flags = VLLM if engine == "vllm" else SGLANG
    told: dict[str, str] = {}
    for name, value in (settings or {}).items():
        if name not in flags.valued | flags.switches:
            return _refused({}, [], flags, f"unrecognized arguments: --{name}={value}")
        told[name] = str(value)
    free, wrong = _parsed(words, flags, told)
    if wrong:
        return _refused(told, free, flags, wrong)
    try:
        made = _made(told, free, engine, version or VERSIONS[engine])
    except ValueError as error:
        return _refused(told, free, flags, str(error))
    return replace(made, error=_objection(made, flags))


def _parsed(words: Sequence[str], flags: Flags, told: dict[str, str]) -> tuple[list[str], str]:
    """Fills `told`. What stands free, and what argparse does not like."""
    free: list[str] = []
    waits = ""
    for word in words:
        if waits:
            told[waits], waits = word, ""
        elif not word.startswith("-"):
            free.append(word)
        else:
            name, equals, value = word.lstrip("-").replace("_", "-").partition("=")
            value = word.partition("=")[2]
            stem, _, part = name.partition(".")
            name = flags.short.get(stem, stem)
            if name.removeprefix("no-") in flags.switches:
                told[name.removeprefix("no-")] = str(not name.startswith("no-"))
            elif name not in flags.valued:
                return free, f"unrecognized arguments: {word}"
            elif part:
                told[f"{name}.{part}"] = value
                waits = "" if equals else f"{name}.{part}"
            elif equals:
                told[name] = value
            else:
                waits = name
    return free, f"argument --{waits}: expected one argument" if waits else ""


def _refused(told: Mapping[str, str], free: list[str], flags: Flags, wrong: str) -> EngineArgs:
    model = _model(told, free)
    error = f"{flags.program}: error: {wrong}"
    return EngineArgs(model, told.get("served-model-name", model), "vllm" if flags is VLLM else "sglang", error=error)


def _made(told: Mapping[str, str], free: list[str], engine: str, version: str) -> EngineArgs:
    """Raises ValueError with argparse's words."""
    model = _model(told, free)
    length = told.get("max-model-len") or told.get("context-length") or ""
    calls = is_on(told, "enable-auto-tool-choice") or engine == "sglang"
    return EngineArgs(
        model=model,
        served_name=told.get("served-model-name", model),
        engine=engine,
        version=version,
        port=whole(told, "port", VLLM.port if engine == "vllm" else SGLANG.port),
        tensor_parallel=whole(told, "tensor-parallel-size", 1),
        context_tokens=tokens(length) or checkpoint_of(model).tokens,
        tool_parser=told.get("tool-call-parser", "") if calls else "",
        reasoning_parser=told.get("reasoning-parser", ""),
        kv_cache_dtype=told.get("kv-cache-dtype", "auto"),
        gpu_memory_utilization=told.get("gpu-memory-utilization", "0.92"),
        most_running=whole(told, "max-num-seqs", 0) or whole(told, "max-running-requests", _MOST_RUNNING),
        speculative_tokens=drafted(told),
        drain_seconds=float(whole(told, "shutdown-timeout", 0)),
        api_key=told.get("api-key", ""),
        shows_metrics=engine == "vllm" or is_on(told, "enable-metrics"),
    )


def _model(told: Mapping[str, str], free: list[str]) -> str:
    return free[0] if free else told.get("model") or told.get("model-path", "")


def _objection(args: EngineArgs, flags: Flags) -> str:
    """What the engine itself ends with, before it loads anything."""
    known = flags.tool_parsers - ({"glm47"} if args.engine == "vllm" and args.release < _GLM47_SINCE else set())
    if args.tool_parser and args.tool_parser not in known:
        return f"KeyError: 'invalid tool call parser: {args.tool_parser} (chose from {{ {','.join(sorted(known))} }})'"
    if args.reasoning_parser and args.reasoning_parser not in flags.reasoning_parsers:
        parsers = ",".join(sorted(flags.reasoning_parsers))
        return f"KeyError: 'invalid reasoning parser: {args.reasoning_parser} (chose from {{ {parsers} }})'"
    heads, ranks, longest = args.checkpoint.heads, args.tensor_parallel, args.checkpoint.tokens
    if heads % ranks:
        told = f"Total number of attention heads ({heads}) must be divisible by tensor parallel size ({ranks})."
        return f"ValueError: {told}"
    if args.context_tokens > longest:
        told = f"is greater than the derived max_model_len (max_position_embeddings={longest} or model_max_length=None"
        return f"ValueError: User-specified max_model_len ({args.context_tokens}) {told} in model's config.json)."
    return ""
