"""Lines of servers around engines: TensorRT-LLM, Triton, NIM, Dynamo's transfer of caches; and of AMD's GPUs."""

import pytest

from bot.serving.reading import read
from tests.serving.lines import Said, check, params

TENSORRT = (
    Said(
        "tensorrt-other-gpu",
        "[03/09/2027-09:55:15] [TRT-LLM] [RANK 1] [E] 6: The engine plan file is generated on an incompatible device, "
        "expecting compute 8.9 got compute 9.0, please rebuild.\n"
        "[TensorRT-LLM][ERROR] Assertion failed: Failed to deserialize cuda engine.\n"
        "error: creating server: Internal - failed to load all models",
        "The TensorRT engine was built for another kind of GPU: compute capability 9.0, and this one has 8.9.",
        "Build the engine again",
    ),
    Said(
        "tensorrt-other-version",
        "[TensorRT-LLM][ERROR] 6: The engine plan file is not compatible with this version of TensorRT, expecting "
        "library version 10.3.0.26 got 10.7.0.23, please rebuild.",
        "The TensorRT engine was built with another release of TensorRT: 10.7.0.23, and the image has 10.3.0.26.",
    ),
    Said(
        "tensorrt-other-version",
        "Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag does not match.",
        "The TensorRT engine was built with another release of TensorRT.",
    ),
    Said(
        "tensorrt-gpu-memory",
        "[03/09/2027-09:55:15] [TRT-LLM] [RANK 1] [E] Failed to initialize executor on rank 1: Executor creation failed "
        "due to insufficient GPU memory.\n\nThe following component could not be created: KV cache\nTotal GPU memory "
        "(GiB): 140.06\nFree GPU memory before component creation attempt (GiB): 8.86",
        "TensorRT-LLM ran out of GPU memory while it started: no room for the KV cache, on GPUs of 140.06 GiB.",
        "max_num_tokens",
    ),
    Said(
        "triton-model-failed",
        "E0309 09:56:05.787 1 model_lifecycle.cc:654] \"failed to load 'resnet34' version 1: Unavailable: unable to find "
        "'/models/resnet34/1/model.pt' for model instance 'resnet34'\"\n"
        "error: creating server: Internal - failed to load all models",
        "Triton could not load model resnet34: Unavailable: unable to find '/models/resnet34/1/model.pt' for model "
        "instance 'resnet34'.",
    ),
    Said(
        "triton-repository",
        "E0309 09:56:05.787 1 model_repository_manager.cc:1403] Poll failed for model directory 'bert': unexpected "
        "platform type",
        "Triton cannot read its model repository: bert: unexpected platform type.",
    ),
    Said(
        "triton-failed",
        "error: creating server: Internal - failed to load all models",
        "Triton ended because a model could not be loaded.",
    ),
)
NIM = (
    Said(
        "nim-no-profile",
        "ERROR 2027-03-09 09:57:21.44 utils.py:21] Could not find a profile that is currently runnable with the "
        "detected hardware.",
        "None of this NIM's profiles fits the GPUs that the container has: too few of them, of another kind, or not "
        "free.",
        "profiles",
    ),
    Said(
        "nim-key",
        'File "/opt/nim/llm/vllm_nvext/hub/ngc_injector.py", line 212\nException: Authentication Error',
        "NGC does not take the key: `NGC_API_KEY` is missing, revoked, or has no right to this model.",
        "nvapi-",
    ),
)
TRANSFER = (
    Said(
        "kv-transfer-backend",
        "[1744963752.379059] [gpu-a:14252:0] sock.c:334 UCX ERROR connect(fd=120) failed: Connection refused\n"
        "nixl._bindings.nixlBackendError: NIXL_ERR_BACKEND",
        "The engines cannot hand over KV cache (NIXL over UCX): the network between their pods does not carry what UCX "
        "chose.",
        "UCX lines",
    ),
    Said(
        "kv-transfer-etcd",
        "ERROR dynamo_runtime::worker: Application shutdown with error: Failed to connect to etcd server with config "
        'ClientOptions { etcd_url: ["http://platform-etcd:2379"], etcd_connect_options: None }',
        "It does not reach etcd at http://platform-etcd:2379, in which the engines register.",
    ),
)
OTHERS = (
    Said(
        "rocm-no-device",
        "RuntimeError: No HIP GPUs are available",
        "The engine sees no AMD GPU in its container.",
        "amd.com/gpu",
    ),
    Said(
        "hub-offline-mode",
        "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing "
        "traffic has been disabled.",
        "The model, or this revision of it, is not in the local cache, and offline mode keeps it from being downloaded.",
        "Download this model",
    ),
    Said(
        "hub-gated",
        "huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: Root=1-67aa)\n\nCannot access gated repo "
        "for url https://huggingface.co/api/models/acme/m/revision/main.\nAccess to model acme/m is restricted and you "
        "are not in the authorized list.",
        "The hub refuses this account the model (https://huggingface.co/api/models/acme/m/revision/main): its licence "
        "was not accepted, or the token lacks the right.",
    ),
    Said(
        "gpu-memory-full",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 191.98 "
        "GiB of which 1.50 GiB is free.",
        "GPU memory ran out: 2.00 GiB more were asked for, 1.50 GiB of 191.98 GiB were free.",
    ),
)
TABLE = (*TENSORRT, *NIM, *TRANSFER, *OTHERS)


@pytest.mark.parametrize("said", params(TABLE))
def test_a_line_of_a_server_is_explained(said: Said) -> None:
    check(said)


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        pytest.param("[TensorRT-LLM][INFO] Loaded engine size: 44686 MiB", "load", id="TensorRT-LLM loads"),
        pytest.param(
            "I0309 09:59:01.1 1 http_server.cc:4636] Started HTTPService at 0.0.0.0:8000", "ready", id="Triton"
        ),
        pytest.param(
            "main: server is listening on http://0.0.0.0:8080 - starting the main loop", "ready", id="llama.cpp"
        ),
    ],
)
def test_how_far_other_servers_are(line: str, phase: str) -> None:
    progress = read(line).progress
    assert progress is not None
    assert progress.phase == phase


def test_a_message_that_names_its_object_lines_later_is_told_with_it_and_a_far_line_is_not_its_own() -> None:
    near = "403 Client Error\nAccess to model acme/m is restricted"
    assert "acme/m" in read(near).matches[0].cause
    far = "403 Client Error\n" + "x\n" * 9 + "Access to model acme/m is restricted"
    assert "acme/m" not in read(far).matches[0].cause
