"""Command lines of engines as they stand in pods."""

import pytest

from bot.serving.arguments import EngineArguments, read_arguments


@pytest.mark.parametrize(
    ("command", "model", "tensor_parallel"),
    [
        pytest.param(["vllm", "serve", "zai-org/GLM-5-FP8", "--tensor-parallel-size", "4"], "zai-org/GLM-5-FP8", 4, id="vllm serve with a model"),
        pytest.param(["vllm", "serve", "--model", "m", "-tp", "4"], "m", 4, id="the short flag"),
        pytest.param(["--model=m", "--tensor-parallel-size=4"], "m", 4, id="arguments only, with equal signs"),
        pytest.param(["m", "--tensor_parallel_size", "4"], "m", 4, id="the model as the image's first argument, underscores"),
        pytest.param(["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m", "-tp=4"], "m", 4, id="the module"),
        pytest.param(["sh", "-c", "vllm serve m --tensor-parallel-size 4"], "m", 4, id="a shell"),
        pytest.param(["/bin/bash", "-lc", "set -e; export A=b && exec vllm serve m \\\n  -tp 4 2>&1 | tee /log"], "m", 4, id="a script with a pipe"),
        pytest.param(["sh", "-c", "vllm serve m -tp ${TP:-8}"], "m", 8, id="a shell's default where the value is unknown"),
        pytest.param(["sh", "-c", "export TP=4; vllm serve m -tp ${TP:-8}"], "m", 4, id="a variable that the script sets"),
        pytest.param(["sh", "-c", "vllm serve m -tp 2 --x 'a"], "m", 2, id="a quote that is not closed"),
        pytest.param(["vllm serve m -tp 4"], "m", 4, id="all in one word"),
        pytest.param(["vllm", "serve", "--trust-remote-code", "m", "-tp", "4"], "m", 4, id="a switch before the model"),
        pytest.param(["python3", "-m", "sglang.launch_server", "--model-path", "m", "--tp", "4"], "m", 4, id="SGLang"),
        pytest.param(["sglang", "serve", "--model-path", "m", "--tp-size=4"], "m", 4, id="SGLang's program"),
        pytest.param(["text-generation-launcher", "--model-id", "m", "--num-shard", "4"], "m", 4, id="TGI"),
        pytest.param(["vllm", "serve", "m"], "m", 1, id="nothing said is one"),
        pytest.param(["vllm", "serve", "m", "-tp", "$(SIZE)"], "m", None, id="a variable that is not known"),
        pytest.param(["vllm", "serve", "m", "-tp", "2", "-tp", "4"], "m", 4, id="the last one counts"),
        pytest.param([], "", 1, id="no command"),
        pytest.param(["sh", "-c"], "", 1, id="a shell without a script"),
        pytest.param(["nginx", "-g", "daemon off;"], "nginx", 1, id="something else"),
    ],
)  # fmt: skip
def test_model_and_tensor_parallel_are_found(command: list[str], model: str, tensor_parallel: int | None) -> None:
    found = read_arguments(command)
    assert found.model == model
    assert found.tensor_parallel == tensor_parallel


def test_all_fields_of_vllm() -> None:
    line = (
        "vllm serve zai-org/GLM-5.2-FP8 --served-model-name glm -tp 8 --pipeline-parallel-size 2 --data-parallel-size 2 --nnodes 2 "
        "--node-rank 1 --max-model-len 128K --max-num-seqs 64 --gpu-memory-utilization 0.9 --quantization fp8 --kv-cache-dtype fp8 "
        "--port 8080 --download-dir /models --load-format runai_streamer --distributed-executor-backend ray --headless"
    )
    found = read_arguments(line.split(), {"HF_HUB_OFFLINE": "1"})
    flags = found.flags
    assert flags["headless"] == ""
    assert found == EngineArguments(
        engine="vllm",
        model="zai-org/GLM-5.2-FP8",
        served_name="glm",
        tensor_parallel=8,
        pipeline_parallel=2,
        data_parallel=2,
        nodes=2,
        node_rank=1,
        max_model_len=131_072,
        max_num_seqs=64,
        gpu_memory_utilization=0.9,
        quantization="fp8",
        kv_cache_dtype="fp8",
        port=8080,
        download_dir="/models",
        load_format="runai_streamer",
        executor="ray",
        offline=True,
        flags=flags,
    )
    assert (found.gpus, found.gpus_per_pod) == (16, 16)


@pytest.mark.parametrize(
    ("line", "gpus", "per_pod"),
    [
        pytest.param("vllm serve m -tp 4", 4, 4, id="tensor parallel in one pod"),
        pytest.param("vllm serve m -tp 16 --nnodes 2", 16, 8, id="over two pods"),
        pytest.param("vllm serve m -tp 4 -dp 2", 4, 8, id="two data-parallel ranks in one pod"),
        pytest.param(
            "vllm serve m -tp 1 -dp 16 --data-parallel-size-local 8", 1, 8, id="data-parallel ranks over pods"
        ),
        pytest.param(
            "sglang serve --model-path m --tp 8 --dp 8 --enable-dp-attention",
            8,
            8,
            id="SGLang's data parallel shares the GPUs",
        ),
        pytest.param("vllm serve m -tp $TP", None, None, id="not known"),
    ],
)
def test_gpus_are_counted(line: str, gpus: int | None, per_pod: int | None) -> None:
    found = read_arguments(line.split())
    assert (found.gpus, found.gpus_per_pod) == (gpus, per_pod)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("131072", 131_072, id="a number"),
        pytest.param("128k", 128_000, id="a small k is a thousand"),
        pytest.param("128K", 131_072, id="a large K is 1024"),
        pytest.param("1M", 1_048_576, id="a large M"),
        pytest.param("auto", None, id="auto"),
        pytest.param("-1", None, id="minus one"),
    ],
)
def test_lengths_are_read(text: str, tokens: int | None) -> None:
    assert read_arguments(["vllm", "serve", "m", "--max-model-len", text]).max_model_len == tokens


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        pytest.param({"HF_HOME": "/data/hf"}, "/data/hf/hub", id="HF_HOME has a folder hub"),
        pytest.param({"HF_HUB_CACHE": "/a", "HF_HOME": "/b"}, "/a", id="the narrower variable wins"),
        pytest.param({"HUGGINGFACE_HUB_CACHE": "/data"}, "/data", id="the old name"),
        pytest.param({}, "", id="none: the container's own disk"),
        pytest.param(["HF_HOME"], "", id="a name without a value"),
    ],
)  # fmt: skip
def test_where_weights_are_downloaded_to(environment: dict[str, str] | list[str], expected: str) -> None:
    assert read_arguments(["vllm", "serve", "m"], environment).download_dir == expected


def test_tgi_is_told_by_variables_too() -> None:
    found = read_arguments(
        [],
        {"MODEL_ID": "m", "NUM_SHARD": "2", "PORT": "3000"},
        image="ghcr.io/huggingface/text-generation-inference:3.3",
    )
    assert (found.engine, found.model, found.tensor_parallel, found.port) == ("tgi", "m", 2, 3000)


def test_variables_of_kubernetes_are_filled_in() -> None:
    found = read_arguments(["vllm", "serve", "$(MODEL)", "-tp", "$(SIZE)"], {"MODEL": "m", "SIZE": "8"})
    assert (found.model, found.tensor_parallel) == ("m", 8)


@pytest.mark.parametrize(
    ("command", "image", "engine", "port"),
    [
        pytest.param(["--model", "m"], "vllm/vllm-openai:v0.24.0", "vllm", 8000, id="by the image"),
        pytest.param(["--model-path", "m"], "team/engine:1", "sglang", 30000, id="by a flag of SGLang"),
        pytest.param(["--model-id", "m"], "team/engine:1", "tgi", 80, id="by a flag of TGI"),
        pytest.param(["--model", "m"], "team/engine:1", "", None, id="not known"),
    ],
)
def test_the_engine_is_recognised(command: list[str], image: str, engine: str, port: int | None) -> None:
    found = read_arguments(command, image=image)
    assert (found.engine, found.port) == (engine, port)


def test_a_long_hostile_command_is_read() -> None:
    found = read_arguments(["sh", "-c", "$(" * 50_000 + "'" + " -tp 4;" * 50_000])
    assert found.tensor_parallel in (1, 4, None)
    assert read_arguments(["--" + "a" * 100_000] * 100).model == ""
