"""Pods that serve models: their start, their log, their tokens through the API server, and how they fail."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.local.engine.endings import ENDINGS
from bot.serving.phase import Phase
from bot.serving.reading import read
from tests.local.cluster.simulator.engine_world import NAME, READY, SERVE, EngineWorld, an_engine_world

HELLO = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3}


@pytest.fixture
async def world() -> AsyncIterator[EngineWorld]:
    async with an_engine_world() as made:
        yield made


async def test_a_pod_is_ready_when_its_engine_serves_and_gives_tokens(world: EngineWorld) -> None:
    await world.service()
    await world.serve()
    await world.ready(NAME)
    assert await world.models() == await world.models("services/glm:8000") == ["glm"]
    status, told = await world.ask("/v1/chat/completions", HELLO)
    assert (status, json.loads(told)["usage"]["completion_tokens"]) == (200, 3)
    status, told = await world.ask("/v1/chat/completions", {**HELLO, "stream": True}, via="services/glm:8000")
    assert status == 200
    assert told.count("data: ") == 6  # role, three tokens, the end, DONE
    assert "Application startup complete." in await world.log()


async def test_while_it_loads_nobody_answers_and_the_log_says_how_far_it_is() -> None:
    async with an_engine_world(speed=20) as world:
        await world.serve(annotations={READY: "600"})
        await world.until(lambda: _loads(world))
        assert (await world.ask("/health"))[0] == 503
        assert (await world.status(NAME))[:2] == ("Running", False)


async def _loads(world: EngineWorld) -> bool:
    progress = read(await world.log()).progress
    return progress is not None and progress.phase is Phase.LOAD and bool(progress.bar.done)


async def test_a_hung_engine_stays_ready_and_healthy_and_gives_no_token(world: EngineWorld) -> None:
    await world.serve()
    await world.ready(NAME)
    await world.faults.play("engine_fault", namespace="default", name="glm", hung=True)
    asked = asyncio.create_task(world.ask("/v1/chat/completions", HELLO))
    await world.until(lambda: _has(world, "/metrics", 'num_requests_running{engine="0",model_name="glm"} 1.0'))
    assert (await world.ask("/health"))[0] == 200
    assert (await world.status(NAME))[1]
    assert not asked.done()
    assert "Running: 1 reqs" in await world.log()
    assert (read(await world.log()).progress or _none()).load.stands_still  # type: ignore[union-attr]
    await world.faults.clear("default", "glm")
    async with asyncio.timeout(5):
        assert (await asked)[0] == 200


def _none() -> Any:
    raise AssertionError("its log says nothing")


async def _has(world: EngineWorld, path: str, text: str) -> bool:
    return text in (await world.ask(path))[1]


async def test_memory_that_runs_out_while_it_loads_ends_in_a_crash_loop_with_its_words(world: EngineWorld) -> None:
    await world.faults.play("engine_end", namespace="default", name="glm", how="out-of-memory-loading")
    await world.serve()
    ended = await world.crashes()
    assert (ended["reason"], ended["exitCode"]) == ("Error", 1)
    cause = read(await world.log(previous="true")).cause
    assert cause is not None
    assert cause.signature.id == "gpu-memory-full-while-loading"
    await world.faults.clear("default", "glm")
    await world.ready(NAME)
    assert "out of memory" not in await world.log()
    assert "out of memory" in await world.log(previous="true")


KILLED = {"host-memory": ("OOMKilled", 137), "shared-memory": ("Error", 135), "probe-too-short": ("Error", 137)}


@pytest.mark.parametrize("how", sorted(set(ENDINGS) - {"illegal-access"}))
async def test_every_failing_start_ends_as_it_should(world: EngineWorld, how: str) -> None:
    await world.faults.engine_end("default", "glm", how)
    await world.serve()
    ended = await world.crashes()
    assert (ended["reason"], ended["exitCode"]) == KILLED.get(how, ("Error", 1))


async def test_an_engine_that_dies_while_it_serves_starts_anew_and_counts_from_zero(world: EngineWorld) -> None:
    await world.serve()
    await world.ready(NAME)
    await world.ask("/v1/chat/completions", HELLO)
    await world.faults.engine_end("default", "glm", "illegal-access", once=True)
    await world.until(lambda: _restarted(world))
    cause = read(await world.log(previous="true")).cause
    assert cause is not None
    assert cause.signature.id == "cuda-illegal-memory-access"
    assert 'generation_tokens_total{engine="0",model_name="glm"} 0.0' in (await world.ask("/metrics"))[1]


async def _restarted(world: EngineWorld) -> bool:
    _, ready, _, restarts = await world.status(NAME)
    return ready and restarts == 1


async def test_arguments_that_are_refused_crash_it_with_argparse_s_code(world: EngineWorld) -> None:
    await world.serve(*SERVE, "--no-such-flag")
    ended = await world.crashes()
    assert ended["exitCode"] == 2
    assert await world.log(previous="true") == "vllm serve: error: unrecognized arguments: --no-such-flag\n"


async def test_a_parser_in_the_configuration_file_is_refused_as_well(world: EngineWorld) -> None:
    told = "enable-auto-tool-choice: true\ntool-call-parser: glm99\n"
    config = {"metadata": {"name": "glm-engine"}, "data": {"config.yaml": told}}
    await world.client.create("/api/v1/namespaces/default/configmaps", config)
    volume = {"name": "config", "configMap": {"name": "glm-engine"}}
    await world.serve("zai-org/GLM-4.7-Flash", volumes=[volume])
    assert (await world.crashes())["exitCode"] == 1
    cause = read(await world.log(previous="true")).cause
    assert cause is not None
    assert cause.signature.id == "argument-tool-parser"


async def test_a_probe_whose_patience_is_too_short_kills_it_while_it_loads(world: EngineWorld) -> None:
    probe = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10, "failureThreshold": 3}
    await world.serve(annotations={READY: "100"}, container={"startupProbe": probe})
    assert (await world.crashes())["exitCode"] == 137
    await world.until(lambda: world.events("Killing"))
    assert set(await world.events("Killing")) == {"Container vllm failed startup probe, will be restarted"}
    assert all("8000: connect: connection refused" in said for said in await world.events("Unhealthy"))
    progress = read(await world.log(previous="true")).progress
    assert progress is not None
    assert progress.phase is Phase.LOAD


async def test_a_probe_with_patience_lets_it_start(world: EngineWorld) -> None:
    probe = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10, "failureThreshold": 11}
    await world.serve(annotations={READY: "100"}, container={"startupProbe": probe})
    await world.ready(NAME)


async def test_a_steady_load_makes_tokens_by_itself(world: EngineWorld) -> None:
    await world.serve(annotations={"gpubot.dev/sim-load": "11"})
    await world.ready(NAME)
    assert 'num_requests_running{engine="0",model_name="glm"} 11.0' in (await world.ask("/metrics"))[1]
    assert "Running: 11 reqs" in await world.log()


async def test_sglang_serves_in_its_own_words(world: EngineWorld) -> None:
    command = ["python3", "-m", "sglang.launch_server"]
    container = {"image": "lmsysorg/sglang:v0.5.23", "command": command, "name": "sglang"}
    await world.serve("--model-path=m", "--served-model-name=glm", "--enable-metrics", container=container)
    await world.ready(NAME)
    via = f"pods/{NAME}:30000"
    assert "sglang:num_running_reqs" in (await world.ask("/metrics", via=via))[1]
    assert "The server is fired up and ready to roll!" in await world.log()
    assert (await world.ask("/v1/chat/completions", HELLO, via=via))[0] == 200


async def test_a_pod_that_goes_takes_its_engine_along(world: EngineWorld) -> None:
    await world.serve()
    await world.ready(NAME)
    await world.client.delete(f"/api/v1/namespaces/default/pods/{NAME}")
    await world.until(lambda: _refused(world))


async def _refused(world: EngineWorld) -> bool:
    return (await world.ask("/health"))[0] in (404, 503)


async def test_a_service_leads_to_those_that_are_ready_and_not_to_those_that_load(world: EngineWorld) -> None:
    await world.service()
    assert (await world.ask("/health", via="services/glm:8000"))[0] == 503
    await world.serve(annotations={READY: "86400"}, name="glm-1")
    await world.serve()
    await world.ready(NAME)
    assert await world.models("services/glm:8000") == ["glm"]
    assert (await world.ask("/health", via="services/none:8000"))[0] == 404


async def test_an_end_that_there_is_not_is_refused(world: EngineWorld) -> None:
    with pytest.raises(ValueError, match="no engine ends"):
        await world.faults.engine_end("default", "glm", "boredom")


@pytest.mark.parametrize(
    ("via", "status"),
    [
        pytest.param("pods/glm-0:8000", 200, id="the engine's port"),
        pytest.param("pods/http:glm-0:8000", 200, id="with a scheme"),
        pytest.param("pods/glm-0", 200, id="the container's port where none is given"),
        pytest.param("pods/glm-0:9000", 503, id="another port, where nobody listens"),
        pytest.param("pods/none:8000", 404, id="no such pod"),
        pytest.param("services/glm:80", 200, id="a Service's port leads to its target"),
        pytest.param("services/glm:http", 200, id="a Service's port by name"),
        pytest.param("services/glm", 503, id="a Service with two ports and none given"),
        pytest.param("services/glm:8000", 503, id="a port that the Service has not"),
        pytest.param("services/glm:wrong", 503, id="a Service's port that leads nowhere"),
    ],
)
async def test_the_proxy_dials_the_port_that_is_meant(world: EngineWorld, via: str, status: int) -> None:
    ports = [{"name": "http", "port": 80, "targetPort": "api"}, {"name": "wrong", "port": 81, "targetPort": 9000}]
    service = {"metadata": {"name": "glm"}, "spec": {"selector": {"app": "glm"}, "ports": ports}}
    await world.client.create("/api/v1/namespaces/default/services", service)
    await world.serve(container={"ports": [{"name": "api", "containerPort": 8000}]})
    await world.ready(NAME)
    assert (await world.ask("/health", via=via))[0] == status
