"""Flags of engines: which flag fills which field, and numbers as engines write them."""

from collections.abc import Mapping, Sequence

from bot.domain.pattern import Pattern

_NAMES = {  # field → flags, without dashes; the engines share no meaning twice
    "model": "model model-path model-id",
    "served_name": "served-model-name",
    "tensor_parallel": "tensor-parallel-size tp tp-size num-shard",
    "pipeline_parallel": "pipeline-parallel-size pp pp-size",
    "data_parallel": "data-parallel-size dp dp-size",
    "data_parallel_local": "data-parallel-size-local dpl",
    "nodes": "nnodes",
    "node_rank": "node-rank",
    "max_model_len": "max-model-len context-length max-total-tokens",
    "max_num_seqs": "max-num-seqs max-running-requests max-concurrent-requests",
    "gpu_memory_utilization": "gpu-memory-utilization mem-fraction-static cuda-memory-fraction",
    "quantization": "quantization q quantize",
    "kv_cache_dtype": "kv-cache-dtype",
    "port": "port p",
    "download_dir": "download-dir huggingface-hub-cache",
    "load_format": "load-format",
    "executor": "distributed-executor-backend",
}
_FIELDS = {flag: name for name, flags in _NAMES.items() for flag in flags.split()}
_SWITCHES = frozenset(
    "trust-remote-code enable-auto-tool-choice enable-prefix-caching no-enable-prefix-caching enforce-eager headless "
    "enable-expert-parallel enable-metrics enable-dp-attention disable-log-requests disable-cuda-graph "
    "async-scheduling enable-chunked-prefill disable-custom-all-reduce enable-lora enable-sleep-mode "
    "skip-tokenizer-init".split()
)
_HUMAN = Pattern(r"(\d{1,9}(?:\.\d{1,6})?)([kKmMgG]?)")
_PROGRAM = Pattern(
    r"(?:^|/)text-generation-(?:launcher|server)$|^(?:vllm|sglang)\.[\w.]+$|(?:^|/)(?:launch|api)_server(?:\.py)?$"
)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}


def read_flags(line: Sequence[str]) -> tuple[dict[str, str], str]:
    """Flags without dashes, `_` written `-`, and the first loose word after the program: `vllm serve MODEL`."""
    flags: dict[str, str] = {}
    loose = ""
    position = _program_end(line)
    while position < len(line):
        word = line[position]
        position += 1
        if not _is_flag(word):
            loose = loose or word
            continue
        name, sign, value = word.lstrip("-").partition("=")
        name = name.replace("_", "-")
        if not sign and name not in _SWITCHES and position < len(line) and not _is_flag(line[position]):
            value = line[position]
            position += 1
        flags[name] = value
    return flags, loose


def by_field(flags: Mapping[str, str]) -> dict[str, str]:
    """The same under the names of EngineArguments' fields; the last flag counts, as in argparse."""
    return {field: value for flag, value in flags.items() if (field := _FIELDS.get(flag))}


def whole(text: str) -> int | None:
    """A whole number, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def size(said: Mapping[str, str], field: str) -> int | None:
    """A parallel size: 1 where nothing is said, None where it is said and is no number."""
    return whole(said[field]) if field in said else 1


def tokens(text: str) -> int | None:
    """A length; vLLM reads 128k as 128,000 and 128K as 131,072 tokens. `auto` and -1 are no number."""
    found = _HUMAN.fullmatch(text)
    return int(float(found[1]) * _UNITS[found[2]]) if found else None


def share(text: str) -> float | None:
    """A part of a whole between 0 and 1, or None."""
    found = _HUMAN.fullmatch(text)
    return float(found[1]) if found and not found[2] and float(found[1]) <= 1 else None


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and not word[1].isdigit()


def _program_end(line: Sequence[str]) -> int:
    """Where the engine's arguments begin: after `vllm serve`, `-m sglang.launch_server`, `text-generation-launcher`."""
    for position, word in enumerate(line[:64]):
        if word in ("serve", "launch_server"):
            return position + 1
        if _PROGRAM.search(word) and (position + 1 >= len(line) or line[position + 1] != "serve"):
            return position + 1
    return 0
