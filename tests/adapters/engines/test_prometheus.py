"""Engines' metrics from a Prometheus: whose they are, when they were really taken, and what is no answer."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.engines.access import Prometheus
from bot.adapters.engines.prometheus import PrometheusReader, queries
from bot.domain.engine import EngineReading, Way
from bot.domain.engine_told import Said
from tests.adapters.nodes.conftest import serving
from tests.adapters.nodes.fakes import never
from tests.factories import a_pod

TAKEN = 1_796_040_000.5
PODS = [a_pod("glm-0", uid="u-0"), a_pod("glm-1", uid="u-1")]


def series(name: str, value: float | str, pod: str = "glm-0", **labels: str) -> dict[str, Any]:
    metric = {"__name__": name, "namespace": "llm", "pod": pod, "model_name": "glm", **labels}
    return {"metric": {key: one for key, one in metric.items() if one}, "value": [1_796_040_030, str(value)]}


class FakePrometheus:
    """Answers by what a query asks for. `answer`: replaces all of it."""

    def __init__(self, *found: dict[str, Any], taken: Mapping[str, float]) -> None:
        self.found, self.taken = found, taken
        self.answer: Any = None
        self.asked: list[str] = []
        self.tokens: list[str | None] = []

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.tokens.append(request.headers.get("Authorization"))
        if self.answer is not None:
            return await self.answer(request)
        query = (await request.post())["query"]
        assert isinstance(query, str)
        self.asked.append(query)
        if query.startswith("timestamp("):
            result = [series("", taken, pod) for pod, taken in self.taken.items()]
        else:
            names = query.partition('"')[2].rpartition('"')[0].split("|")
            result = [one for one in self.found if one["metric"]["__name__"] in names]
        return web.json_response({"status": "success", "data": {"resultType": "vector", "result": result}})


async def read(prometheus: FakePrometheus, **settings: Any) -> Mapping[str, Said]:
    async with serving(prometheus.handle) as port:
        return await PrometheusReader(Prometheus(f"http://127.0.0.1:{port}", **settings)).read(PODS)


async def test_each_engine_gets_its_own_series() -> None:
    prometheus = FakePrometheus(
        series("vllm:num_requests_running", 3),
        series("vllm:generation_tokens_total", "1e3"),
        series("vllm:time_to_first_token_seconds_bucket", 2, le="1.0"),
        series("vllm:time_to_first_token_seconds_bucket", 4, le="+Inf"),
        series("vllm:time_to_first_token_seconds_sum", 7),
        series("sglang:num_running_reqs", 5, "glm-1"),
        series("vllm:num_requests_running", 99, "another"),
        taken={"glm-0": TAKEN, "glm-1": TAKEN - 20},
    )
    told = await read(prometheus)
    zero, one = told["u-0"], told["u-1"]
    assert isinstance(zero, EngineReading)
    assert isinstance(one, EngineReading)
    assert (zero.engine, zero.running, zero.generated_tokens, zero.way) == ("vllm", 3, 1000, Way.PROMETHEUS)
    assert zero.taken_at == datetime.fromtimestamp(TAKEN, UTC), "when it was scraped, and not when it was asked for"
    assert zero.ttft is not None
    assert (zero.ttft.counts, zero.ttft.sum) == ((2, 4), 7)
    assert (one.engine, one.running) == ("sglang", 5)
    assert len(prometheus.asked) == len(queries()) == 3


async def test_without_a_time_nothing_is_known() -> None:
    told = await read(FakePrometheus(series("vllm:num_requests_running", 3), taken={}))
    assert told == {"u-0": "Prometheus has no metrics of it", "u-1": "Prometheus has no metrics of it"}


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-1", "x", "9" * 400])
async def test_values_that_are_none(value: str) -> None:
    found = series("vllm:num_requests_running", 3), series("vllm:num_requests_waiting", value)
    told = (await read(FakePrometheus(*found, taken={"glm-0": TAKEN})))["u-0"]
    assert isinstance(told, EngineReading)
    assert (told.running, told.waiting) == (3, None)


async def says(status: int, body: object) -> web.Response:
    return web.Response(status=status, text=body if isinstance(body, str) else json.dumps(body))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(
            lambda _: says(400, {"status": "error", "error": "bad <!here>"}), "answers 400: bad ‹!here>", id="an error"
        ),
        pytest.param(lambda _: says(502, "<html>"), "answers 502 with something else", id="another page"),
        pytest.param(
            lambda _: says(200, {"status": "success", "data": {"result": [[]]}}), "answers 200 with", id="rubbish"
        ),
        pytest.param(lambda _: says(200, "[" * 100_000), "answers 200 with something else", id="brackets without end"),
        pytest.param(never, "no answer within 0.3 s", id="one that never answers"),
    ],
)
async def test_what_is_no_answer_is_told_of_all(answer: Any, reason: str) -> None:
    prometheus = FakePrometheus(taken={})
    prometheus.answer = answer
    told = await read(prometheus, timeout_seconds=0.3)
    assert list(told) == ["u-0", "u-1"]
    assert all(isinstance(one, str) and one.startswith(f"Prometheus: {reason}") for one in told.values()), told


async def test_its_token_is_read_each_time(tmp_path: Any) -> None:
    file = tmp_path / "token"
    file.write_text("one-token-of-sixteen\n")
    prometheus = FakePrometheus(taken={})
    await read(prometheus, token_file=str(file))
    assert set(prometheus.tokens) == {"Bearer one-token-of-sixteen"}
    missing = await read(prometheus, token_file=str(tmp_path / "none"))
    assert "none" in str(missing["u-0"])
