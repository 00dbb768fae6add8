"""Lines about the GPU's memory: weights, cache, and who else has it."""

import pytest

from tests.serving.lines import Said, check, params

_LOADING = "INFO 11-30 11:50:08 [gpu_model_runner.py:2338] Starting to load model /models/glm...\n"
_WARMING = "INFO 11-30 11:50:08 [gpu_worker.py:298] Available KV cache memory: 11.2 GiB\n"
_SERVING = "INFO:     Application startup complete.\n"
_OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 3 has a total capacity of 79.11 GiB of which "
    "1.20 GiB is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use."
)
_FIGURES = ": 2.50 GiB more were asked for, 1.20 GiB of 79.11 GiB were free."

MEMORY = (
    Said(
        "gpu-memory-held-by-another",
        "(EngineCore pid=169) ERROR 11-30 11:58:57 [core.py:866] ValueError: Free memory on device cuda:0 (11.96/184.3 GiB) on "
        "startup is less than desired GPU memory utilization (0.3, 55.29 GiB).",
        "Something else already holds 172.34 of the 184.3 GiB on GPU 0: 11.96 GiB are free, the engine wants 55.29 GiB (a share of 0.3).",
        "without a GPU request",
    ),
    Said(
        "gpu-memory-held-by-another",
        "ValueError: Free memory on device (20.0/80.0 GiB) on startup is less than desired GPU memory utilization (0.92, 73.6 GiB). "
        "Decrease GPU memory utilization or reduce GPU memory used by other processes.",
        "Something else already holds 60 of the 80.0 GiB: 20.0 GiB are free, the engine wants 73.6 GiB (a share of 0.92).",
    ),
    Said(
        "gpu-memory-share-too-high",
        "ValueError: Free memory on device cuda:1 (78.6/79.1 GiB) on startup is less than desired GPU memory utilization (1.0, 79.1 GiB).",
        "The engine is told to take 79.1 GiB (a share of 1.0), but an empty card (GPU 1) has only 78.6 of 79.1 GiB: the driver keeps the rest.",
        "0.92",
    ),
    Said(
        "gpu-memory-changed-while-profiling",
        "AssertionError: Error in memory profiling. Initial free memory 70.1 GiB, current free memory 71.9 GiB. This happens when "
        "other processes sharing the same container release GPU memory while vLLM is profiling during initialization.",
        "Another process took or gave back GPU memory while the engine measured it.",
    ),
    Said(
        "gpu-memory-unbalanced",
        "ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes. pre_model_load_memory=71.2",
        "Some of the pod's GPUs have much less free memory than others: something else uses them.",
    ),
    Said(
        "gpu-memory-weights-do-not-fit",
        "ERROR 11-30 12:00:00 [gpu_model_runner.py:3570] Failed to load model - not enough GPU memory. Try lowering --gpu-memory-utilization",
        "The weights do not fit into the memory of the GPUs that the engine uses.",
        "more GPUs",
    ),
    Said(
        "gpu-memory-sampler-warm-up",
        "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs`",
        "The GPU's memory ran out at the sampler's warm-up with 1024 dummy requests; the weights are in.",
        "--max-num-seqs",
    ),
    Said(
        "gpu-memory-full-while-loading",
        _LOADING + _OOM,
        "GPU memory ran out while the weights were loaded" + _FIGURES,
        "smaller",
    ),
    Said(
        "gpu-memory-full-while-warming",
        _WARMING + _OOM,
        "GPU memory ran out after the weights were in, at profiling or CUDA graphs" + _FIGURES,
        "--gpu-memory-utilization",
    ),
    Said(
        "gpu-memory-full-while-serving",
        _SERVING + _OOM,
        "GPU memory ran out while requests were served" + _FIGURES,
        "--max-num-batched-tokens",
    ),
    Said("gpu-memory-full", "torch.OutOfMemoryError: CUDA out of memory.", "GPU memory ran out."),
    Said("gpu-memory-full", "glm-0:214:214 [0] NCCL WARN Cuda failure 2 'out of memory'", "GPU memory ran out."),
    Said(
        "gpu-memory-full",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "GPU memory ran out.",
    ),
    Said(
        "gpu-memory-graph-capture",
        "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 1.00 GiB.",
        "SGLang could not capture its CUDA graphs, nearly always for want of GPU memory.",
    ),
    Said(
        "gpu-memory-batch",
        "[2026-11-30 11:49:44 TP0] Prefill out of memory. Try to lower your batch size.",
        "Prefill found no room in SGLang's KV pool, and the scheduler ended.",
        "--max-running-requests",
    ),
    Said(
        "gpu-memory-prefill-tokens",
        "RuntimeError: Not enough memory to handle 4096 prefill tokens. You need to decrease `--max-batch-prefill-tokens`",
        "The GPU has no room for a batch of 4096 prefill tokens beside the weights (TGI).",
    ),
    Said(
        "gpu-memory-retracted",
        "[2026-11-30 11:49:44 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 3",
        "The KV cache is full: SGLang puts running requests back into the queue.",
    ),
)
CACHE = (
    Said(
        "kv-cache-context-too-long",
        "ValueError: To serve at least one request with the models's max seq len (1048576), (52.68 GiB KV cache is needed, which is "
        "larger than the available KV cache memory (25.94 GiB). Based on the available memory, the estimated maximum model length is "
        "516352. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
        "One request of 1048576 tokens needs 52.68 GiB of KV cache per GPU, and 25.94 GiB are left: room for 516352 tokens.",
        "`--max-model-len 516352` or less",
    ),
    Said(
        "kv-cache-context-too-long",
        "ValueError: To serve at least one request with the model's max seq len (131072), 12.0 GiB KV cache is needed, which is larger "
        "than the available KV cache memory (6.0 GiB). Try increasing `gpu_memory_utilization`.",
        "One request of 131072 tokens needs 12.0 GiB of KV cache per GPU, and 6.0 GiB are left: room for about 65536 tokens.",
        "`--max-model-len 65536` or less, by proportion",
    ),
    Said(
        "kv-cache-context-over-capacity",
        "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (79392). "
        "Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
        "The context length is 131072 tokens, but the memory left after the weights holds 79392 tokens of KV cache.",
        "`--max-model-len 79392` or less",
    ),
    Said(
        "kv-cache-no-memory",
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
        "After the weights no GPU memory is left for the KV cache.",
    ),
    Said(
        "kv-cache-not-one-token",
        "ValueError: Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token.",
        "After the weights not even one token of KV cache fits, so no context length can be chosen.",
    ),
    Said(
        "kv-cache-static-fraction",
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.server_args.mem_fraction_static=0.85",
        "SGLang's share for weights and KV cache (`--mem-fraction-static 0.85`) is used up by the weights.",
    ),
    Said(
        "kv-cache-state-blocks",
        "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (212). Each decode sequence requires one Mamba cache block.",
        "1024 requests at once were asked for, and the memory holds the state of 212.",
        "--max-num-seqs 212",
    ),
)
TABLE = (*MEMORY, *CACHE)


@pytest.mark.parametrize("said", params(TABLE))
def test_a_line_about_gpu_memory_is_explained(said: Said) -> None:
    check(said)
