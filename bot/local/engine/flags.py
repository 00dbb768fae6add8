"""What command lines engines take: their flags, and the parsers that they know.

vllm-project/vllm:vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py, vllm/tool_parsers, vllm/reasoning
(0.33);
sgl-project/sglang:python/sglang/srt/server_args.py, function_call_parser.py (0.5).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flags:
    """Names are without their dashes. `valued` take a value, `switches` none; `short`: other spellings."""

    program: str
    port: int
    valued: frozenset[str]
    switches: frozenset[str]
    short: dict[str, str]
    tool_parsers: frozenset[str]
    reasoning_parsers: frozenset[str]


VLLM = Flags(
    program="vllm serve",
    port=8000,
    valued=frozenset(
        """
        model served-model-name tensor-parallel-size pipeline-parallel-size data-parallel-size max-model-len
        max-num-seqs max-num-batched-tokens port host gpu-memory-utilization kv-cache-dtype kv-cache-memory-bytes
        block-size dtype seed tool-call-parser reasoning-parser speculative-config shutdown-timeout config nnodes
        node-rank master-addr master-port quantization download-dir api-key load-format
        safetensors-load-strategy chat-template
        chat-template-content-format tokenizer revision hf-overrides generation-config limit-mm-per-prompt
        distributed-executor-backend decode-context-parallel-size compilation-config attention-backend cpu-offload-gb
        root-path uvicorn-log-level max-log-len otlp-traces-endpoint kv-transfer-config default-chat-template-kwargs
        disable-access-log-for-endpoints additional-config prefix-caching-hash-algo
        """.split()
    ),
    switches=frozenset(
        """
        enable-auto-tool-choice trust-remote-code headless enforce-eager enable-expert-parallel enable-prefix-caching
        enable-chunked-prefill async-scheduling enable-log-requests enable-prompt-tokens-details
        enable-force-include-usage disable-uvicorn-access-log disable-log-stats language-model-only enable-dbo
        enable-sleep-mode enable-server-load-tracking enable-flashinfer-autotune
        """.split()
    ),
    short={
        "tp": "tensor-parallel-size",
        "pp": "pipeline-parallel-size",
        "dp": "data-parallel-size",
        "q": "quantization",
    },
    tool_parsers=frozenset(
        """
        deepseek_v3 deepseek_v31 deepseek_v32 ernie45 glm45 glm47 granite hermes hunyuan_a13b internlm jamba kimi_k2
        llama3_json llama4_json llama4_pythonic longcat minimax minimax_m2 mistral olmo3 openai phi4_mini_json pythonic
        qwen3_coder qwen3_xml seed_oss step3 xlam
        """.split()
    ),
    reasoning_parsers=frozenset(
        """
        deepseek_r1 deepseek_v3 ernie45 glm45 glm47 granite hunyuan_a13b kimi_k2 minimax_m2 mistral olmo3 openai_gptoss
        qwen3 seed_oss step3
        """.split()
    ),
)

SGLANG = Flags(
    program="launch_server.py",
    port=30_000,
    valued=frozenset(
        """
        model-path served-model-name tensor-parallel-size pipeline-parallel-size data-parallel-size context-length
        host port mem-fraction-static kv-cache-dtype tool-call-parser reasoning-parser watchdog-timeout dist-timeout
        speculative-algorithm speculative-num-steps speculative-eagle-topk speculative-num-draft-tokens nnodes node-rank
        dist-init-addr quantization max-running-requests chunked-prefill-size cuda-graph-max-bs api-key load-format
        attention-backend ep-size config dtype tokenizer-path log-level
        """.split()
    ),
    switches=frozenset("enable-metrics trust-remote-code enable-dp-attention disable-cuda-graph log-requests".split()),
    short={
        "tp": "tensor-parallel-size", "tp-size": "tensor-parallel-size", "pp-size": "pipeline-parallel-size",
        "dp-size": "data-parallel-size", "dp": "data-parallel-size", "model": "model-path",
    },
    tool_parsers=frozenset("deepseekv3 glm glm45 glm47 gpt-oss kimi_k2 llama3 mistral pythonic qwen25".split()),
    reasoning_parsers=frozenset("deepseek-r1 deepseek-v3 glm45 gpt-oss kimi qwen3 step3".split()),
)  # fmt: skip
