"""How far a start is, as the log tells it."""

from datetime import UTC, datetime

import pytest

from bot.serving.phase import Phase, Wait
from bot.serving.progress import Progress
from bot.serving.reading import read

NOW = datetime(2027, 1, 2, tzinfo=UTC)
_BEGIN = "(APIServer pid=1) INFO 11-30 11:50:00 [api_server.py:1896] vLLM API server version 0.24.0\n"
_LOAD = "(Worker_TP0 pid=402) INFO 11-30 11:51:00 [gpu_model_runner.py:3562] Starting to load model /models/glm...\n"
_BAR = "Loading safetensors checkpoint shards:  {} Completed | {} [08:41<03:33,  7.90s/it]"
_HEALTHY = 'INFO:     10.42.0.1:5 - "GET /health HTTP/1.1" 200 OK\n'
_FAILED = 'INFO:     10.42.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error\n'
_GOOD = 'INFO:     10.42.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
_NCCL = "glm-0:214:214 [0] NCCL INFO Bootstrap : Using eth0:10.42.0.4<0>\nglm-0:214:214 [0] NCCL INFO NCCL version 2.23.4+cuda12.2\n"


def progress(log: str) -> Progress:
    found = read(log).progress
    assert found
    return found


@pytest.mark.parametrize(
    ("log", "phase", "summary"),
    [
        pytest.param(_BEGIN, Phase.START, "starting up", id="vLLM has just begun"),
        pytest.param(_BEGIN + _LOAD + _BAR.format("70%", "66/93"), Phase.LOAD, "loading the weights: 66 of 93 shards, 70 %, about 4 min left", id="vLLM loads"),
        pytest.param(_BEGIN + _LOAD + "Loading safetensors checkpoint shards:  62% Completed", Phase.LOAD, "loading the weights: 62 %", id="vLLM loads, figures cut off"),
        pytest.param(_LOAD + "\r".join(_BAR.format(f"{n}%", f"{n}/100") for n in range(1, 31)), Phase.LOAD, "loading the weights: 30 of 100 shards, 30 %, about 4 min left", id="a bar that is drawn again on one line"),
        pytest.param("[2026-11-30 11:49:57 TP0] Load weight begin. avail mem=138.21 GB\nMulti-thread loading shards: 10% Completed | 3/30 [00:10<01:30, 3.0s/it]", Phase.LOAD, "loading the weights: 3 of 30 shards, 10 %, about 2 min left", id="SGLang loads"),
        pytest.param("2026-11-30T11:47:02.551207Z  INFO download: text_generation_launcher: Download: [13/30] -- ETA: 0:06:42", Phase.DOWNLOAD, "downloading the model: 13 of 30 files, 43 %, about 7 min left", id="TGI downloads"),
        pytest.param("Fetching 141 files:  45%|████▌     | 64/141 [10:00<12:00,  9.3s/it]", Phase.DOWNLOAD, "downloading the model: 64 of 141 files, 45 %, about 12 min left", id="the hub's downloader"),
        pytest.param("model-00001-of-00141.safetensors:  12%|█▏  | 640M/5.36G [00:10<01:20, 55.0MB/s]", Phase.DOWNLOAD, "downloading the model: 12 %, about 1 min left", id="one file of a download"),
        pytest.param("2026-11-30 11:00:00.123 1 kserve INFO [initializer-entrypoint:<module>():13] Initializing, args: src_uri [s3://w/glm] dest_path[ [/mnt/models]", Phase.DOWNLOAD, "downloading the model", id="KServe's initializer"),
        pytest.param(_LOAD + "INFO 11-30 11:55:00 [backends.py:559] Dynamo bytecode transform time: 7.30 s", Phase.COMPILE, "compiling kernels", id="torch.compile"),
        pytest.param("[2026-11-30 11:49:57 TP0] Entering DeepGEMM JIT Pre-Compile session. It may take a long time", Phase.COMPILE, "compiling kernels", id="DeepGEMM of SGLang"),
        pytest.param("DeepGEMM warmup:  25%|██▌ | 500/2000 [01:00<03:00, 8.3it/s]", Phase.COMPILE, "compiling kernels: 500 of 2000 kernels, 25 %, about 3 min left", id="DeepGEMM of vLLM"),
        pytest.param("Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  51%|█████ | 35/67 [00:17<00:16,  2.04it/s]", Phase.WARM, "warming up (memory profile, KV cache, CUDA graphs): 35 of 67 graphs, 51 %, about 1 min left", id="CUDA graphs"),
        pytest.param("INFO 11-30 11:55:00 [kv_cache_utils.py:1307] GPU KV cache size: 643,232 tokens, Maximum concurrency for 40,960 tokens per request: 15.70x", Phase.WARM, "warming up (memory profile, KV cache, CUDA graphs)", id="the cache is made"),
        pytest.param("INFO:     Application startup complete.", Phase.READY, "ready", id="vLLM is ready"),
        pytest.param("[2026-11-30 11:49:57] The server is fired up and ready to roll!", Phase.READY, "ready", id="SGLang is ready"),
        pytest.param("2026-11-30T11:47:02Z  INFO text_generation_router::server: router/src/server.rs:2354: Connected", Phase.READY, "ready", id="TGI is ready"),
        pytest.param("INFO:     Application startup complete.\n" + _HEALTHY, Phase.READY, "ready", id="health answers alone are no requests"),
        pytest.param("INFO:     Application startup complete.\n" + _GOOD, Phase.SERVING, "serving requests", id="it serves"),
        pytest.param(_GOOD * 3, Phase.SERVING, "serving requests", id="only answers are left in the log"),
        pytest.param(_NCCL, Phase.WAITING, "waiting for the other ranks (nothing after NCCL bootstrap)", id="nothing after NCCL's bootstrap"),
        pytest.param(_NCCL + _LOAD, Phase.LOAD, "loading the weights", id="NCCL found its ranks"),
        pytest.param(_LOAD + _NCCL, Phase.LOAD, "loading the weights", id="a second communicator while loading"),
        pytest.param("[2026-11-30 11:49:44 TP0] Init torch distributed begin.", Phase.WAITING, "waiting for the other ranks (process group)", id="SGLang's ranks do not meet"),
        pytest.param("INFO 11-30 11:42:29 ray_utils.py:183] Waiting for creating a placement group of specs for 630 seconds. specs=[{'GPU': 1.0}].", Phase.WAITING, "waiting for GPUs from Ray (placement group), for 630 s", id="Ray has no GPUs"),
        pytest.param("INFO:     Application startup complete.\n" + _BAR.format("1%", "1/2"), Phase.READY, "ready", id="a bar after the start leads nowhere back"),
        pytest.param("INFO:     Application startup complete.\n" + _BEGIN + _LOAD, Phase.LOAD, "loading the weights", id="a second start in the same log counts"),
    ],
)  # fmt: skip
def test_a_log_says_how_far_it_is(log: str, phase: Phase, summary: str) -> None:
    found = progress(log)
    assert found.phase is phase
    assert found.summary == summary
    assert found.started == (phase in (Phase.READY, Phase.SERVING))


def test_a_log_without_milestones_has_no_progress() -> None:
    assert read("hello\nworld").progress is None


def test_engine_version_and_times_are_read() -> None:
    found = progress(_BEGIN + _LOAD + "\n".join([_BAR.format("1%", "1/93"), _BAR.format("70%", "66/93")]))
    assert (found.engine, found.version) == ("vllm", "0.24.0")
    assert found.since
    assert found.since.at(NOW) == datetime(2026, 11, 30, 11, 51, tzinfo=UTC)
    assert found.last == found.since
    assert (found.bar.elapsed_seconds, found.bar.left_seconds) == (521, 213)


def test_bytes_are_counted() -> None:
    bar = progress("model-00001-of-00141.safetensors:  12%|█▏  | 640M/5.36G [00:10<01:20, 55.0MB/s]").bar
    assert (bar.done_bytes, bar.total_bytes) == (640_000_000, 5_360_000_000)


def test_requests_may_fail_while_health_says_ok() -> None:
    answers = progress(_HEALTHY + _GOOD + _FAILED + _HEALTHY + _FAILED + _HEALTHY).answers
    assert (answers.health_ok, answers.ok, answers.failed) == (3, 1, 2)
    assert answers.fails_while_healthy


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(_FAILED * 3 + _GOOD + _HEALTHY, id="a request succeeded afterwards"),
        pytest.param(_GOOD + _HEALTHY * 5, id="nothing failed"),
        pytest.param(_HEALTHY + _FAILED * 5, id="no health answer since the first failure"),
        pytest.param(_FAILED.replace("500", "400") * 5 + _HEALTHY, id="clients' own mistakes"),
        pytest.param(_FAILED.replace("/v1/chat/completions", "/metrics") * 5 + _HEALTHY, id="metrics are no request"),
    ],
)
def test_these_do_not_fail_while_healthy(log: str) -> None:
    assert not progress(log + _HEALTHY[:0]).answers.fails_while_healthy


def test_the_last_load_line_is_read() -> None:
    line = "Engine 000: Avg prompt throughput: {} tokens/s, Avg generation throughput: {} tokens/s, Running: {} reqs, Waiting: 2 reqs, GPU KV cache usage: 4.1%, Prefix cache hit rate: 31.0%\n"
    found = progress(line.format("212.4", "88.1", 3) + line.format("0.0", "0.0", 3)).load
    assert found
    assert (found.running, found.waiting, found.cache_percent) == (3, 2, 4.1)
    assert found.stands_still
    busy = progress(
        "[2026-11-30 11:00:00 TP0] Decode batch. #running-req: 5, #token: 1234, token usage: 0.02, cuda graph: True, gen throughput (token/s): 88.10, #queue-req: 1,"
    ).load
    assert busy
    assert (busy.running, busy.waiting, busy.cache_percent, busy.stands_still) == (5, 1, 2.0, False)


def test_a_wait_names_its_kind() -> None:
    assert progress(_NCCL).waits_for is Wait.NCCL
    assert progress("Waiting for 0 local, 1 remote core engine proc(s) to start.").waits_for is Wait.RANKS
