"""A container's command line in an engine's terms: model, parallel sizes, lengths, memory, where it downloads to.

Flags: vllm-project/vllm:vllm/engine/arg_utils.py, sgl-project/sglang:python/sglang/srt/server_args.py,
huggingface/text-generation-inference:launcher/src/main.rs (which reads variables of the same names too).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.serving.command_line import words
from bot.serving.flags import by_field, read_flags, share, size, tokens, whole

Flags = Mapping[str, str]

_TGI_VARIABLES = {
    "MODEL_ID": "model",
    "NUM_SHARD": "tensor_parallel",
    "MAX_TOTAL_TOKENS": "max_model_len",
    "QUANTIZE": "quantization",
    "PORT": "port",
    "CUDA_MEMORY_FRACTION": "gpu_memory_utilization",
}
_HINTS = (  # in the command or the image's name → engine
    ("text-generation", "tgi"),
    ("sglang", "sglang"),
    ("vllm", "vllm"),
)
_CACHES = (  # the first that is set is where weights are put (huggingface_hub:constants.py)
    ("HF_HUB_CACHE", ""),
    ("HUGGINGFACE_HUB_CACHE", ""),
    ("TRANSFORMERS_CACHE", ""),
    ("HF_HOME", "/hub"),
    ("MODELSCOPE_CACHE", ""),
    ("XDG_CACHE_HOME", "/huggingface/hub"),
)
_TRUE = frozenset({"1", "true", "yes", "on"})
_PORTS = {"vllm": 8000, "sglang": 30000, "tgi": 80}


@dataclass(frozen=True, slots=True)
class EngineArguments:
    """What the engine was told. A number is None where it is not said, and a parallel size where it cannot be read."""

    engine: str = ""  # vllm, sglang, tgi or empty
    model: str = ""
    served_name: str = ""
    tensor_parallel: int | None = 1
    pipeline_parallel: int | None = 1
    data_parallel: int | None = 1
    nodes: int | None = 1
    node_rank: int | None = None
    max_model_len: int | None = None  # tokens
    max_num_seqs: int | None = None
    gpu_memory_utilization: float | None = None  # 0 to 1; SGLang: of weights and cache only
    quantization: str = ""
    kv_cache_dtype: str = ""
    port: int | None = None
    download_dir: str = (
        ""  # as a flag or a cache variable says; empty: the image's default, in the container's own disk
    )
    load_format: str = ""
    executor: str = ""  # ray, mp, …
    offline: bool = False  # the hub may not be asked
    flags: Flags = field(default_factory=dict)  # every flag, without dashes; a switch has an empty value

    @property
    def gpus(self) -> int | None:
        """GPUs that one model replica is spread over, in all its pods; None where a size cannot be read."""
        if self.tensor_parallel is None or self.pipeline_parallel is None:
            return None
        return self.tensor_parallel * self.pipeline_parallel

    @property
    def gpus_per_pod(self) -> int | None:
        """GPUs that one pod needs, data-parallel ranks of this pod included."""
        if self.gpus is None or self.nodes is None or self.data_parallel is None:
            return None
        inside = self.data_parallel if self.engine != "sglang" else 1  # SGLang's ranks share the tensor-parallel GPUs
        local = whole(self.flags.get("data-parallel-size-local", "")) or inside
        return max(1, self.gpus // max(1, self.nodes)) * max(1, local)


def read_arguments(
    command: Sequence[str], environment: Mapping[str, str] | Iterable[str] = (), image: str = ""
) -> EngineArguments:
    """`command` and `args` of a container in one list. `environment`: values, or names where values are not known."""
    known = dict(environment) if isinstance(environment, Mapping) else dict.fromkeys(environment, "")
    line = words([word for word in command if isinstance(word, str)], known)
    flags, loose = read_flags(line)
    said = by_field(flags)
    engine = _engine(line, flags, image)
    if engine == "tgi":
        said = {field_: known[name] for name, field_ in _TGI_VARIABLES.items() if known.get(name)} | said
    return EngineArguments(
        engine=engine,
        model=said.get("model") or loose,
        served_name=said.get("served_name", ""),
        tensor_parallel=size(said, "tensor_parallel"),
        pipeline_parallel=size(said, "pipeline_parallel"),
        data_parallel=size(said, "data_parallel"),
        nodes=size(said, "nodes"),
        node_rank=whole(said.get("node_rank", "")),
        max_model_len=tokens(said.get("max_model_len", "")),
        max_num_seqs=whole(said.get("max_num_seqs", "")),
        gpu_memory_utilization=share(said.get("gpu_memory_utilization", "")),
        quantization=said.get("quantization", ""),
        kv_cache_dtype=said.get("kv_cache_dtype", ""),
        port=whole(said.get("port", "")) or _PORTS.get(engine),
        download_dir=said.get("download_dir") or _cache(known),
        load_format=said.get("load_format", ""),
        executor=said.get("executor", ""),
        offline=any(known.get(name, "").lower() in _TRUE for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")),
        flags=flags,
    )


def _engine(line: Sequence[str], flags: Flags, image: str) -> str:
    """By the program, else by the image, else by a flag that only one engine has."""
    for text in (" ".join(line[:64]), image):
        for hint, engine in _HINTS:
            if hint in text:
                return engine
    if "model-id" in flags or "num-shard" in flags:
        return "tgi"
    if "model-path" in flags or "mem-fraction-static" in flags:
        return "sglang"
    return "vllm" if "tensor-parallel-size" in flags or "max-model-len" in flags else ""


def _cache(known: Mapping[str, str]) -> str:
    """The folder that a cache variable names, with what the library adds to it."""
    return next((known[name].rstrip("/") + below for name, below in _CACHES if known.get(name)), "")
