"""Lines about how the engine was set up: arguments, parallel sizes, model, image."""

import pytest

from tests.serving.lines import Said, check, params

ARGUMENTS = (
    Said(
        "argument-unrecognized",
        "usage: vllm serve [model_tag] [options]\nvllm: error: unrecognized arguments: --enable-turbo --api-key=hunter2hunter2",
        "This version of the engine does not know the argument: --enable-turbo --api-key=<masked>.",
    ),
    Said(
        "argument-unrecognized",
        "error: unexpected argument '--sharded-by' found",
        "This version of the engine does not know the argument --sharded-by.",
    ),
    Said(
        "argument-invalid",
        "api_server.py: error: argument --tensor-parallel-size/-tp: invalid int value: 'eight'",
        "An argument has a value that the engine does not accept: argument --tensor-parallel-size/-tp: invalid int value: 'eight'.",
    ),
    Said(
        "argument-tool-parser",
        'KeyError: "invalid tool call parser: glm47 (chose from { deepseek_v3,glm45,hermes,llama3_json,mistral })"',
        "This version of the engine has no tool call parser `glm47`.",
        "(glm45)",
    ),
    Said(
        "argument-reasoning-parser",
        "KeyError: 'invalid reasoning parser: glm99 (chose from { glm45,qwen3 })'",
        "This version of the engine has no reasoning parser `glm99`.",
        "(glm45)",
    ),
    Said(
        "argument-context-over-model",
        "ValueError: User-specified max_model_len (262144) is greater than the derived max_model_len (max_position_embeddings=202752.0 or "
        "model_max_length=None in model's config.json). This may lead to incorrect model outputs or CUDA errors.",
        "`--max-model-len 262144` is longer than the model was made for (202752 tokens).",
        "--max-model-len 202752",
    ),
    Said(
        "argument-batched-tokens",
        "ValueError: max_num_batched_tokens (2048) is smaller than max_model_len (131072). This effectively limits the maximum sequence length",
        "`--max-num-batched-tokens 2048` is smaller than max_model_len (131072), which this set-up does not allow.",
        "131072` or more",
    ),
    Said(
        "argument-port-taken",
        "ERROR: [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use",
        "The port 8000 is taken already: an engine of an earlier start in this pod, or hostNetwork on a shared node.",
    ),
    Said(
        "argument-port-used-by-process",
        "WARNING 11-30 11:00:00 [network_utils.py:36] port 8000 is used by process psutil.Process(pid=1)",
        "The port 8000 is taken by another process of the pod.",
    ),
    Said(
        "argument-service-links",
        "ValueError: VLLM_PORT 'tcp://10.96.0.12:8000' appears to be a URI. This may be caused by a Kubernetes service discovery issue",
        "A Service named `vllm` puts `VLLM_PORT=tcp://…` into the pod, and the engine reads that as its port.",
        "enableServiceLinks: false",
    ),
    Said(
        "argument-draft-model",
        "ValueError: num_speculative_tokens: 4 must be divisible by n_predict=3",
        "The settings for speculative decoding are not accepted: num_speculative_tokens: 4 must be divisible by n_predict=3.",
    ),
    Said(
        "argument-validation",
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n  Value error, The model is odd. [type=value_error]",
        "The engine refuses its configuration (ModelConfig): The model is odd. [type=value_error].",
    ),
    Said(
        "argument-chat-template",
        "ValueError: As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template",
        "The model has no chat template, or the file given is none.",
    ),
)
PARALLEL = (
    Said(
        "parallel-waits-for-ray",
        "INFO 11-30 11:52:29 ray_utils.py:183] Waiting for creating a placement group of specs for 630 seconds. specs=["
        + ", ".join(["{'GPU': 1.0}"] * 16)
        + "]. Check `ray status` to see if you have enough resources.",
        "The engine wants 16 GPUs. It has waited 630 s for Ray to hand out GPUs and gets none.",
        "nvidia.com/gpu",
    ),
    Said(
        "parallel-ray-no-node",
        "(autoscaler +1m14s) Error: No available node types can fulfill resource request {'GPU': 1.0}. Add suitable node types to this cluster",
        "Ray has no node with the GPUs that the engine asks for ({'GPU': 1.0} each).",
    ),
    Said(
        "parallel-more-than-ray-has",
        "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement group.",
        "Tensor × pipeline parallel is larger than the number of GPUs in Ray's placement group.",
    ),
    Said(
        "parallel-more-than-gpus",
        "ValueError: World size (8) is larger than the number of available GPUs (4) in this node. If this is intentional and you are using:",
        "The engine wants 8 GPUs and its container has 4.",
    ),
    Said(
        "parallel-sharded-without-gpus",
        'Error: NotEnoughCUDADevices("`sharded` is true but only found 1 CUDA devices")',
        "TGI shall shard the model and finds too few GPUs: 1.",
    ),
    Said(
        "parallel-heads",
        "ValueError: Total number of attention heads (96) must be divisible by tensor parallel size (5).",
        "Tensor parallel 5 does not divide the model's 96 attention heads.",
        "1, 2, 4, 8, 16, 32",
    ),
    Said(
        "parallel-quantization-block",
        "ValueError: Weight output_partition_size = 64 is not divisible by weight quantization block_n = 128.",
        "With this tensor parallel size the model's layers are cut into parts of 64 that the FP8 blocks of 128 do not divide.",
    ),
    Said(
        "parallel-marlin-tile",
        "RuntimeError: size_n = 5472 is not divisible by tile_n_size = 64",
        "With this tensor parallel size a layer is 5472 wide, which the weight-only kernel for older GPUs cannot split.",
    ),
    Said(
        "parallel-nodes",
        "AssertionError: tp_size must be divisible by number of nodes",
        "The number of nodes does not divide the engine's ranks.",
    ),
    Said(
        "parallel-pipeline-unsupported",
        "NotImplementedError: Pipeline parallelism is not supported for this model. Supported models implement",
        "The model cannot be split into pipeline stages in this engine version.",
    ),
)
MODEL = (
    Said(
        "model-type-unknown",
        "ValueError: The checkpoint you are trying to load has model type `glm_moe_dsa` but Transformers does not recognize this architecture. "
        "This could be because of an issue with the checkpoint, or because your version of Transformers is out of date.",
        "The image's Transformers library is too old for this model: it does not know the model type `glm_moe_dsa`.",
        "image tag that supports `glm_moe_dsa`",
    ),
    Said(
        "model-architecture-unsupported",
        "ValueError: Model architectures ['Glm5NextForConditionalGeneration'] are not supported for now. Supported architectures: dict_keys([])",
        "The image's engine is too old for this model: it does not know the architecture 'Glm5NextForConditionalGeneration'.",
    ),
    Said(
        "model-architecture-without-implementation",
        "ValueError: OddForCausalLM has no vLLM implementation and the Transformers implementation is not compatible",
        "This engine version has no implementation of the model.",
    ),
    Said(
        "model-architecture-without-implementation",
        "ValueError: Unsupported model type odd_lm",
        "This engine version has no implementation of the model: odd_lm.",
    ),
    Said(
        "model-inspection-failed",
        "ValueError: Model architectures ['Glm4MoeForCausalLM'] failed to be inspected. Please check the logs for more details.",
        "The code of 'Glm4MoeForCausalLM' could not be imported.",
    ),
    Said(
        "model-custom-code",
        "ValueError: The repository for /models/odd contains custom code which must be executed to correctly load the model.",
        "The model brings Python code of its own, which the engine runs only if allowed.",
        "--trust-remote-code",
    ),
    Said(
        "model-quantization-mismatch",
        "ValueError: Quantization method specified in the model config (compressed-tensors) does not match the quantization method specified in the `quantization` argument (fp8).",
        "`--quantization fp8` contradicts the checkpoint, which is compressed-tensors.",
    ),
    Said(
        "model-quantization-unknown",
        "ValueError: Unknown quantization method: nvfp9. Must be one of ['awq', 'fp8'].",
        "This engine version does not know the quantization nvfp9.",
    ),
    Said(
        "model-checkpoint-mismatch",
        "KeyError: 'model.layers.78.mlp.experts.w13_weight'",
        "The checkpoint's tensors are not those this engine version expects: model.layers.78.mlp.experts.w13_weight.",
    ),
    Said(
        "model-tokenizer-unknown",
        "ValueError: Tokenizer class TokenizersBackend does not exist or is not currently imported.",
        "The image's Transformers library does not know the model's tokenizer (TokenizersBackend).",
    ),
)
IMAGE = (
    Said(
        "image-wrong-architecture",
        "exec /usr/bin/python3: exec format error",
        "The image is built for another CPU architecture than the node's (amd64, arm64).",
    ),
    Said(
        "image-program-missing", 'exec: "vllm": executable file not found in $PATH: unknown', "The image has no `vllm`."
    ),
    Said("image-program-missing", "/usr/bin/python3: No module named vllm", "The image has no Python module `vllm`."),
    Said("image-program-missing", "/bin/sh: 1: ray: command not found", "The image has no `ray`."),
    Said(
        "image-module-missing",
        "ModuleNotFoundError: No module named 'flashinfer.comm'",
        "The image lacks the Python module `flashinfer.comm`.",
    ),
    Said(
        "image-symbol-missing",
        "ImportError: /usr/lib/python3/vllm/_C.abi3.so: undefined symbol: _ZN3c104cuda9SetDeviceEab",
        "A native library does not fit the installed PyTorch or CUDA (_C.abi3.so).",
    ),
    Said(
        "image-library-missing",
        "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
        "The image lacks the library libcudart.so.12.",
    ),
    Said(
        "image-glibc",
        "python3: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by python3)",
        "A program in the image needs GLIBC_2.38, which its base system does not have.",
    ),
    Said(
        "image-import-failed",
        "ImportError: cannot import name 'AutoModel' from 'transformers.models' (/usr/lib)",
        "Two Python packages in the image do not fit: transformers.models has no `AutoModel`.",
    ),
    Said(
        "image-cuda-compiler-missing",
        "RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist",
        "The engine wants to compile CUDA kernels, and the image has no CUDA compiler (nvcc).",
    ),
    Said(
        "image-c-compiler-missing",
        "RuntimeError: Failed to find C compiler. Please specify via CC environment variable",
        "The engine wants to compile kernels, and the image has no C compiler.",
    ),
    Said("image-kernel-build-failed", "ninja: build stopped: subcommand failed.", "Compiling kernels at start failed."),
)
TABLE = (*ARGUMENTS, *PARALLEL, *MODEL, *IMAGE)


@pytest.mark.parametrize("said", params(TABLE))
def test_a_line_about_the_set_up_is_explained(said: Said) -> None:
    check(said)
