"""Which of several known lines explains the end, and what a reading says beside it."""

import pytest

from bot.serving.reading import LONGEST_QUOTE, TAIL_LINES, read
from bot.serving.signature import Blame, Remedy, Sense

_STARTS = "(APIServer pid=7) INFO 11-30 11:56:38 [api_server.py:1896] vLLM API server version 0.11.2\n"
_WRAPPED = (
    "(Worker_TP5 pid=317) ERROR 11-30 11:57:12 [multiproc_executor.py:597] WorkerProc failed to start.\n"
    "{}\n"
    "(EngineCore_DP0 pid=171) ERROR 11-30 11:57:18 [core.py:712] EngineCore failed to start.\n"
    "(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {{}}\n"
)
_SHM = (
    "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)\n"
    "ncclSystemError: Last error: Error while creating shared memory segment /dev/shm/nccl-AbCdEf (size 33554432)"
)
_OOM = "torch.OutOfMemoryError: CUDA out of memory."
_ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered"
_ECC = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
_PEER = "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."
_DNS = "Failed to resolve 'huggingface.co' ([Errno -3] Temporary failure in name resolution)"
_OFFLINE = (
    "LocalEntryNotFoundError: cannot find the requested files in the disk cache and outgoing traffic has been disabled"
)
_READY = "INFO:     Application startup complete.\n"


@pytest.mark.parametrize(
    ("log", "best"),
    [
        pytest.param(_WRAPPED.format(_OOM), "gpu-memory-full", id="a cause beats the wrappers around it"),
        pytest.param(_WRAPPED.format(_SHM), "shared-memory-full", id="the segment that could not be made beats NCCL's system error"),
        pytest.param(f"{_OOM}\n{_SHM}", "shared-memory-full", id="full shared memory beats an earlier out of memory: it stays"),
        pytest.param(f"{_PEER}\n{_OOM}", "gpu-memory-full", id="a rank's own fault beats a peer that went away, whoever writes first"),
        pytest.param(f"{_ILLEGAL}\n{_ECC}", "gpu-ecc", id="a broken memory cell beats the access that met it"),
        pytest.param(f"{_ILLEGAL}\nCUBLAS_STATUS_EXECUTION_FAILED", "cuda-illegal-memory-access", id="the first CUDA error beats what follows from it"),
        pytest.param(f"{_DNS}\n{_OFFLINE}", "network-name-unknown", id="a name that does not resolve beats a cache that lacks the model"),
        pytest.param(f"{_ILLEGAL}\n{_OOM}", "cuda-illegal-memory-access", id="of equals the earlier one"),
        pytest.param(f"{_OOM}\n{_ILLEGAL}", "gpu-memory-full", id="of equals the earlier one, the other way round"),
        pytest.param("KeyError: 'glm_moe_dsa'\nValueError: model type `glm_moe_dsa` but Transformers does not recognize this architecture", "model-type-unknown", id="a traceback's last line may be the telling one"),
        pytest.param("via NET/Socket/0\nEngineCore failed to start.", "engine-core-failed", id="a wrapper beats a notice"),
    ],
)  # fmt: skip
def test_the_line_that_explains_most_comes_first(log: str, best: str) -> None:
    assert read(log).matches[0].signature.id == best


def test_only_wrappers_are_no_cause() -> None:
    reading = read("EngineCore failed to start.\nray.exceptions.ActorDiedError: x")
    assert [match.signature.sense for match in reading.matches] == [Sense.SYMPTOM, Sense.SYMPTOM]
    assert reading.cause is None


def test_an_earlier_run_in_the_same_log_comes_last() -> None:
    reading = read(_STARTS + f"{_SHM}\n" + _STARTS + _OOM)
    assert [(match.signature.id, match.past) for match in reading.matches] == [
        ("gpu-memory-full", False),
        ("shared-memory-full", True),
        ("nccl-system-error", True),
    ]


def test_what_was_overcome_before_the_engine_was_ready_is_past() -> None:
    reading = read(f"{_DNS}\n{_READY}")
    assert reading.matches[0].past
    assert reading.cause is None


def test_a_notice_holds_after_the_start() -> None:
    assert not read(f"NCCL INFO Channel 00/0 : 8[0] -> 0[0] via NET/Socket/0\n{_READY}").matches[0].past


def test_a_wait_that_is_over_is_no_match() -> None:
    waits = "INFO 11-30 11:42:09 ray_utils.py:183] Waiting for creating a placement group of specs for 10 seconds. specs=[{'GPU': 1.0}].\n"
    assert read(waits).cause
    assert not read(
        waits + "INFO 11-30 11:42:19 [gpu_model_runner.py:1] Starting to load model /models/glm...\n"
    ).matches


def test_a_wait_is_told_as_it_stands_now_and_a_fault_as_it_began() -> None:
    waits = "Waiting for creating a placement group of specs for {} seconds. specs=[{{'GPU': 1.0}}].\n"
    [match] = read(waits.format(10) + waits.format(630)).matches
    assert "630 s" in match.cause
    assert match.count == 2
    faults = "OSError: [Errno 28] No space left on device: '/a'\nOSError: [Errno 28] No space left on device: '/b'"
    assert read(faults).matches[0].cause == "The disk is full: /a."


def test_a_message_that_is_wrapped_by_the_terminal_is_found() -> None:
    wrapped = (
        "ValueError: The model's max seq len (131072) is larger than\n the maximum number of tokens that can\n"
        " be stored in KV cache (79392). Try"
    )
    assert "79392" in read(wrapped).matches[0].cause


def test_a_line_in_json_is_read_like_any_other() -> None:
    line = '{"timestamp":"2026-11-30T11:00:00Z","level":"ERROR","fields":{"message":"Error: \\"x\\" CUDA error: device-side assert triggered"}}'
    assert read(line).matches[0].signature.id == "cuda-assert"


def test_a_quote_has_no_prefix_no_secret_and_an_end() -> None:
    long = (
        "HTTPError: 401 Client Error: Unauthorized for url: https://ana:hunter2@hub.example/x token=hf_abcdefghijklmnop "
        + "x" * 900
    )
    match = read(f"(EngineCore_DP0 pid=171) ERROR 11-30 11:57:18 [core.py:712] \x1b[31m{long}\x1b[0m").matches[0]
    assert match.line.startswith("HTTPError: 401")
    assert len(match.line) <= LONGEST_QUOTE
    for text in (match.line, match.cause, *read(long).tail):
        assert "hunter2" not in text
        assert "hf_abc" not in text


def test_the_tail_is_the_last_lines_and_the_time_the_newest() -> None:
    reading = read("\n".join(f"INFO 11-30 11:00:{second:02d} [a.py:1] line {second}" for second in range(30)))
    assert reading.tail == tuple(f"line {second}" for second in range(30 - TAIL_LINES, 30))
    assert reading.last
    assert reading.last.second == 29


def test_a_match_carries_its_time() -> None:
    stamp = (
        read("(EngineCore pid=1) ERROR 11-30 11:47:08 [a.py:2] Exception in execute_model\n" + _ILLEGAL)
        .matches[0]
        .stamp
    )
    assert stamp
    assert (stamp.hour, stamp.minute, stamp.second) == (11, 47, 8)


def test_a_healthy_log_has_no_match() -> None:
    line = '(APIServer pid=1) INFO:     10.42.0.31:5000 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
    reading = read(_STARTS + _READY + line * 50)
    assert not reading.matches
    assert read("").matches == ()


@pytest.mark.parametrize(
    "line",
    [
        "INFO 11-30 11:00:00 [logger.py:43] Received request cmpl-1: prompt: 'CUDA out of memory', params: x",
        "[2026-11-30 11:00:00] Receive: obj=GenerateReqInput(text='CUDA out of memory')",
        '{"message": "Received request cmpl-1: prompt: \'CUDA out of memory\'"}',
    ],
)
def test_what_a_user_wrote_to_the_model_is_no_word_of_the_engine(line: str) -> None:
    reading = read(line)
    assert not reading.matches
    assert "CUDA" not in " ".join(reading.tail)


def test_a_reset_connection_of_a_client_is_no_lost_rank() -> None:
    assert not read("ConnectionResetError: [Errno 104] Connection reset by peer").matches


def test_places_are_filled_in_by_who_knows_them() -> None:
    remedy = Remedy("Drain <node>.", "kubectl -n <namespace> delete pod <pod>").at(
        namespace="llm", pod="glm-0", node="gpu-a"
    )
    assert remedy == Remedy("Drain gpu-a.", "kubectl -n llm delete pod glm-0")


def test_an_argument_is_to_blame_for_a_context_that_is_too_long() -> None:
    match = read(
        "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (79392)."
    ).matches[0]
    assert match.signature.blames == (Blame.ARGUMENTS,)
    assert match.signature.restart_helps is False
    assert "weights fit" in match.signature.note
