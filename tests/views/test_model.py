"""How `/model list`, `/model status`, `/model logs` `/model stop` and `/model bench` look, kept as people see them: as text and as Block Kit."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from bot.command import Reply
from bot.dialogue import all_commands, understand
from bot.domain.alert import Content, Hit
from bot.domain.bench import Bench, Point
from bot.domain.document import Document
from bot.domain.errors import UserError
from bot.domain.evidence import Evidence, LogRef, MetricsRef
from bot.domain.incident import Book, Incident, IncidentState
from bot.domain.severity import Severity
from bot.local.workspace.validation import check_message_blocks
from bot.views import model_bench
from bot.views.blocks import render
from bot.views.text import render as as_text
from commands.model_bench import COMMAND as BENCH
from commands.model_list import COMMAND as LIST
from commands.model_logs import COMMAND as LOGS
from commands.model_status import COMMAND as STATUS
from commands.model_stop import COMMAND as STOP
from tests.factories import NOW
from tests.scaling.building import view_of
from tests.views.golden_files import matches
from tests.views.model_scenes import ADVISED, GLM, fleet, request, serving, three, window

LOADING = (
    "INFO 11-30 11:58:00 [api_server.py:1] vLLM server version 0.33.0, serving model zai-org/GLM-5.2-FP8\n"
    "Loading safetensors checkpoint shards:  47% Completed | 66/141 [04:00<04:33,  3.6s/it]\n"
)
OUT_OF_MEMORY = (
    "INFO 11-30 11:58:00 [api_server.py:1] vLLM server version 0.33.0, serving model zai-org/GLM-5.2-FP8\n"
    "ERROR 11-30 11:59:00 [core.py:99] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 "
    "has a total capacity of 139.80 GiB of which 1.20 GiB is free.\n"
)
ODD = "\n".join(
    [
        "INFO 11-30 11:57:00 [api_server.py:1] Application startup complete.",
        "ERROR 11-30 11:58:30 [serving.py:12] upstream said api_key=sk-abcdefghijklmnopqrstuv1234 is not valid",
        "ERROR 11-30 11:58:31 [serving.py:12] <!channel> `rm -rf` \x1b[31mred",
        "",
    ]
)


def listed() -> Reply:
    windows = {"glm-abc-0": window(), "glm-abc-1": window(tokens=250, waiting=0), "bge-abc-0": window(tokens=12)}
    return LIST.run(request(three(), windows=windows))


def listed_without_windows() -> Reply:
    return LIST.run(request(three()))


def none_here() -> Reply:
    return LIST.run(request(view_of(*fleet(1)), windows={}))


def nothing_read() -> Reply:
    return LIST.run(request(view_of(*fleet(1)), unread=("deployments", "pods")))


def status() -> Reply:
    seen = Evidence(texts={LogRef("llm", "glm-abc-2", "engine"): LOADING})
    windows = {"glm-abc-0": window(), "glm-abc-1": window(tokens=250, waiting=0)}
    return STATUS.run(request(three(), "glm", windows=windows, seen=seen))


def status_as_advised() -> Reply:
    probes = {
        "startupProbe": {"periodSeconds": 10, "failureThreshold": 360},
        "livenessProbe": {"timeoutSeconds": 10},
        "env": [{"name": "VLLM_ENGINE_READY_TIMEOUT_S", "value": "3600"}],
        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
    }
    shm = [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
    objects = serving("glm", ["gpu-1"], *GLM, *ADVISED, container=probes, volumes=shm)
    objects[0]["spec"]["progressDeadlineSeconds"] = 7200
    return STATUS.run(request(view_of(*fleet(1), *objects), "glm", windows={"glm-abc-0": window()}))


def status_stopped() -> Reply:
    return STATUS.run(request(three(), "qwen", windows={}))


def logs() -> Reply:
    texts = {LogRef("llm", "glm-abc-2", "engine"): OUT_OF_MEMORY, LogRef("llm", "glm-abc-0", "engine"): ODD}
    missing = {LogRef("llm", "glm-abc-1", "engine"): "no answer within 0.7 s"}
    return LOGS.run(request(three(), "glm", seen=Evidence(texts=texts, missing=missing)))


def logs_clean() -> Reply:
    seen = Evidence(texts={LogRef("llm", "bge-abc-0", "engine"): "INFO 11-30 11:58:00 [x.py:1] GET /health 200 OK\n"})
    return LOGS.run(request(three(), "bge-m3", seen=seen))


def stop() -> Reply:
    windows = {"glm-abc-0": window(), "glm-abc-1": window(tokens=250, waiting=0)}
    return STOP.run(request(three(), "deployment/glm because the launch is over", windows=windows))


def stop_unseen() -> Reply:
    return STOP.run(request(three(), "bge because it moved", windows={}))


def stop_again() -> Reply:
    return STOP.run(request(three(), "qwen because it is needed no more", windows={}))


def bench_preview() -> Reply:
    windows = {"glm-abc-0": window(), "glm-abc-1": window()}
    return BENCH.run(request(three(), "glm", windows=windows, busy="yes"))


def _bench(*rates: float, **more: Any) -> Bench:
    points = tuple(
        Point(
            concurrency=at,
            requests=3 * at,
            seconds=12.0,
            tokens=round(12 * rate),
            first_token=(0.08 * at**0.5, 0.2 * at**0.5),
            between=0.012 * at**0.3,
            whole=(1.1 * at**0.3, 1.6 * at**0.3),
        )
        for at, rate in zip((1, 4, 8, 16), rates, strict=False)
    )
    usual = {"cluster": "test", "workload": "deployment/llm/glm", "model": "glm", "pod": "glm-abc-0", "engine": "vllm"}
    usual |= {"version": "0.33.0", "product": "H200", "gpus": 8, "prompt_tokens": 128, "answer_tokens": 64}
    return Bench(**{**usual, "at": NOW, "busy": 3.0, "way": "direct", "points": points} | more)


def bench_result() -> Document:
    before = _bench(70.0, 240.0, 400.0, at=NOW - timedelta(days=3), version="0.30.0")
    return model_bench.result(_bench(80.0, 280.0, 480.0, 720.0), before, "")


def bench_result_odd() -> Document:
    one = Point(concurrency=1, requests=1, failed=4, cut=1, seconds=15.0, tokens=64, trouble="the engine answers 500")
    odd = _bench(points=(one,), way="proxy", busy=None, version="", product="")
    return model_bench.result(odd, None, "the database cannot be used")


LOOKS: dict[str, Callable[[], Reply | Document]] = {
    "model_list": listed,
    "model_list_one_look": listed_without_windows,
    "model_list_none": none_here,
    "model_list_unread": nothing_read,
    "model_status": status,
    "model_status_as_advised": status_as_advised,
    "model_status_stopped": status_stopped,
    "model_logs": logs,
    "model_logs_clean": logs_clean,
    "model_stop": stop,
    "model_stop_unseen": stop_unseen,
    "model_stop_again": stop_again,
    "model_bench": bench_preview,
    "model_bench_result": bench_result,
    "model_bench_odd": bench_result_odd,
}


@pytest.mark.parametrize("name", LOOKS)
def test_it_looks_so(name: str) -> None:
    looks = LOOKS[name]()
    document = looks.document if isinstance(looks, Reply) else looks
    message = render(document)
    check_message_blocks(message.blocks)
    matches(name, as_text(document))
    matches(f"{name}_blocks", asdict(message))


def test_what_is_not_known_is_null_for_scripts() -> None:
    numbers = status_stopped().answer.numbers
    assert numbers["tokens_per_second"] is None
    assert numbers["waiting"] is None
    assert listed_without_windows().answer.numbers["models"][0]["tokens_per_second"] is None


def test_one_look_at_the_engines_tells_the_queue_and_no_rate() -> None:
    page = 'vllm:num_requests_running{x="1"} 3\nvllm:num_requests_waiting{x="1"} 2\nvllm:generation_tokens_total 9\n'
    seen = Evidence(texts={MetricsRef("llm", "glm-abc-0"): page, MetricsRef("llm", "glm-abc-1"): page})
    asked = request(three(), seen=seen)
    assert {str(ref) for ref in LIST.wants(asked).refs} >= {"metrics of llm/glm-abc-0"} if LIST.wants else False
    [glm, *_] = LIST.run(asked).answer.numbers["models"]
    assert (glm["waiting"], glm["running"], glm["tokens_per_second"]) == (4, 6, None)


def test_what_an_engine_said_minutes_ago_is_not_told_as_now() -> None:
    asked = request(three(), "glm", windows={"glm-abc-0": window(), "glm-abc-1": window()})
    fresh = STATUS.run(replace(asked, now=NOW + timedelta(seconds=60)))
    assert fresh.answer.numbers["tokens_per_second"] is not None
    late = STATUS.run(replace(asked, now=NOW + timedelta(minutes=5)))
    assert late.answer.numbers["tokens_per_second"] is None
    assert any("last told 5 min ago" in one for one in late.answer.unknown)


def test_an_incident_of_it_is_told_and_anothers_is_not() -> None:
    asked = request(three(), "glm", windows={})
    book = Book(cluster="test", incidents={1: _incident(1, "llm/glm"), 2: _incident(2, "llm/other")})
    told = STATUS.run(replace(asked, cluster=replace(asked.cluster, incidents=_Books(book))))
    assert told.answer.numbers["incidents"] == [1]
    assert "GPU lost" in as_text(told.document)


@dataclass
class _Books:
    book: Book

    def incidents(self, cluster: str) -> Book:
        del cluster
        return self.book


def _incident(number: int, owner: str) -> Incident:
    hit = Hit(owner=owner, ready=1, wanted=2)
    content = Content(title="GPU lost", cause="gpu.lost", severity=Severity.WARNING, hits=(hit,))
    state = IncidentState.OPEN
    return Incident(number=number, cluster="test", state=state, content=content, opened_at=NOW - timedelta(hours=2))


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        pytest.param("model stop glm", "Say why", id="a stop without a reason"),
        pytest.param("model stop because x", "Stop which model?", id="a stop of nothing"),
        pytest.param("model status", "Of which model?", id="a status of nothing"),
        pytest.param("model status glm bge", "One model at a time", id="two at once"),
        pytest.param("model sttus glm", "did you mean `/model status glm`?", id="a slip in the verb"),
        pytest.param("model glm quickly", "there are list, status", id="words after a name"),
        pytest.param("model bench glm seconds=600", "from 20 to 60", id="a load that is too long"),
        pytest.param("model bench glm seconds=²", "from 20 to 60", id="a digit that is none"),
        pytest.param("model bench qwen", "No replica of deployment/llm/qwen is ready", id="a load on nobody"),
        pytest.param("model bench glm", "2 requests wait there already", id="a load on an engine with a queue"),
        pytest.param("model bench bge", "whether requests wait there is not known", id="a queue that cannot be seen"),
        pytest.param("model logs", "Of which model?", id="logs of nothing"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_type(typed: str, says: str) -> None:
    asked = understand(typed, all_commands())
    plain = request(three(), windows={"glm-abc-0": window(), "glm-abc-1": window()})
    with pytest.raises(UserError) as raised:
        asked.command.run(replace(plain, words=asked.words, options=asked.options))
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("typed", "cause"),
    [
        pytest.param("model", "model.list", id="nothing more is the list"),
        pytest.param("model glm", "model.lacking", id="a name is its status"),
        pytest.param("model bge", "model.well", id="all replicas are ready"),
        pytest.param("model qwen", "model.stopped", id="no replicas are asked for"),
    ],
)
def test_the_short_way(typed: str, cause: str) -> None:
    asked = understand(typed, all_commands())
    plain = request(three(), windows={})
    assert asked.command.run(replace(plain, words=asked.words)).answer.cause.id == cause
