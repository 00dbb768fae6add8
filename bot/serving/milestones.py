"""Lines that say how far a start is, in the order of vLLM's, SGLang's, TGI's and the downloaders' own output.

Sources: vllm-project/vllm (vllm/v1, model_loader), sgl-project/sglang (model_runner, cuda_graph_runner),
huggingface/text-generation-inference (launcher), kserve/kserve (python/storage), triton-inference-server/server,
ggml-org/llama.cpp (server), tqdm's bars.
"""

from dataclasses import dataclass

from bot.domain.pattern import Pattern
from bot.serving.phase import Phase, Wait


@dataclass(frozen=True, slots=True)
class Milestone:
    """`says` is in the line. `begins`: a new run of the engine starts here. `counts`: what a bar in it counts."""

    phase: Phase
    says: str
    engine: str = ""
    begins: bool = False
    counts: str = ""
    waits_for: Wait | None = None
    whole_line: bool = False

    def is_in(self, text: str) -> bool:
        return text == self.says if self.whole_line else self.says in text


_TABLE = {
    Phase.START: "Initializing a V1 LLM engine|Initializing an LLM engine|Resolved architecture:|Init COMPLETE"
    "|Connected all rings|Connected all trees|Init torch distributed ends|Successfully downloaded weights"
    "|Successfully copied",
    Phase.DOWNLOAD: "Starting check and download process|Initializing, args: src_uri|Copying contents of"
    "|Downloading Model from|Downloading Model to directory",
    Phase.LOAD: "Starting to load model|Load weight begin|Filesystem type for checkpoints|Loading weights took"
    "|Loading model weights took|Model loading took|Load weight end|Time spent downloading weights for"
    "|Loaded engine size:|llama_model_loader: loaded meta data",
    Phase.COMPILE: "Dynamo bytecode transform time|Cache the graph of|Compiling a graph for|Compiling model again"
    "|for vLLM's torch.compile|torch.compile takes|Entering DeepGEMM JIT|FlashInfer autotune|flashinfer.jit",
    Phase.WARM: "Memory profiling takes|Available KV cache memory:|GPU KV cache size:|# GPU blocks:"
    "|KV Cache is allocated"
    "|Memory pool end|Capture cuda graph begin|Capture cuda graph end|Graph capturing finished|init engine (profile"
    "|max_total_num_tokens=|Starting vLLM server on|Starting vLLM API server|Warming up model",
    Phase.READY: "Application startup complete|The server is fired up and ready to roll|Uvicorn running on"
    "|Started HTTPService at|Started GRPCInferenceService at|main: server is listening on",
    Phase.SERVING: "Avg prompt throughput:|Decode batch|Prefill batch",
}
_BARS = {
    "Loading safetensors checkpoint shards:": (Phase.LOAD, "shards"),
    "Loading pt checkpoint shards:": (Phase.LOAD, "shards"),
    "Loading safetensors using": (Phase.LOAD, "tensors"),
    "Multi-thread loading shards:": (Phase.LOAD, "shards"),
    "Loading checkpoint shards:": (Phase.LOAD, "shards"),
    "Prefetching checkpoint files:": (Phase.LOAD, "files"),
    "Download: [": (Phase.DOWNLOAD, "files"),
    "Downloading shards:": (Phase.DOWNLOAD, "files"),
    "Fetching ": (Phase.DOWNLOAD, "files"),
    ".safetensors:": (Phase.DOWNLOAD, "bytes"),
    "Downloading (incomplete total": (Phase.DOWNLOAD, "bytes"),
    "DeepGEMM": (Phase.COMPILE, "kernels"),
    "Capturing CUDA graph": (Phase.WARM, "graphs"),
    "Capturing batches": (Phase.WARM, "graphs"),
}
_WAITS = {
    "Waiting for creating a placement group": Wait.PLACEMENT_GROUP,
    "remote core engine proc(s) to start": Wait.RANKS,
    "NCCL INFO Bootstrap": Wait.NCCL,
    "NCCL INFO NCCL version": Wait.NCCL,
    "NCCL INFO cudaDriverVersion": Wait.NCCL,
    "Init torch distributed begin": Wait.RENDEZVOUS,
    "Waiting for shard to be ready": Wait.SHARDS,
}
_BEGINNINGS = {
    "vLLM API server version": "vllm",
    "vLLM server version": "vllm",
    "server_args=ServerArgs(": "sglang",
    "Args {": "tgi",
}
VERSION = Pattern(r"vLLM (?:API )?server version v?(\d{1,3}\.\d{1,3}[\w.+]{0,40})")

MILESTONES: tuple[Milestone, ...] = (
    *(Milestone(Phase.START, says, engine, begins=True) for says, engine in _BEGINNINGS.items()),
    *(Milestone(Phase.WAITING, says, waits_for=wait) for says, wait in _WAITS.items()),
    *(Milestone(phase, says, counts=counts) for says, (phase, counts) in _BARS.items()),
    *(Milestone(phase, says) for phase, texts in _TABLE.items() for says in texts.split("|")),
    Milestone(Phase.READY, "Connected", "tgi", whole_line=True),
    Milestone(Phase.LOAD, "Starting shard", "tgi"),
    Milestone(Phase.WARM, "Shard ready in", "tgi"),
)


def milestone_in(text: str) -> Milestone | None:
    """The first of the table that is in a clean line. A bar must have a figure."""
    for milestone in MILESTONES:
        if milestone.is_in(text) and (not milestone.counts or _FIGURE.search(text)):
            return milestone
    return None


_FIGURE = Pattern(r"\d{1,3}%|\[\d{1,6}/\d{1,6}\]")
