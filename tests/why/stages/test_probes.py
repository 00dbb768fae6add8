"""Probes that end containers, and probes that keep pods out."""

from typing import Any

import pytest

from bot.why.stages.probes import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    an_event,
    an_object,
    ended,
    ids,
    looping,
    running,
    the_one,
    told,
)

HEALTH = {"httpGet": {"path": "/health", "port": 8000}}
LIVENESS = HEALTH | {"initialDelaySeconds": 120, "periodSeconds": 10, "failureThreshold": 3}
LOADING = "INFO 11-30 11:52:02 [gpu_model_runner.py:3562] Starting to load model /m\nLoading safetensors checkpoint shards:  62% Completed"
SERVING = 'INFO:     Application startup complete.\nINFO: "GET /health HTTP/1.1" 200 OK'


def killed(probe: str = "liveness", ago: float = 1) -> dict[str, Any]:
    return an_event("Killing", f"Container vllm failed {probe} probe, will be restarted", ago=ago, count=7)


def restarted(code: int = 137, **container: Any) -> dict[str, Any]:
    status = running(restartCount=7, minutes=0.5, lastState={"terminated": ended(code, ran=3, ago=1)})
    return a_pod_object("glm-0", a_container(gpus=8, **container), statuses=[status], owner=("StatefulSet", "glm"))


def owner() -> dict[str, Any]:
    return an_object("StatefulSet", "glm", "apps/v1", spec={"replicas": 1})


def test_a_liveness_probe_that_ends_a_load_is_no_memory_fault() -> None:
    case = a_case(restarted(livenessProbe=LIVENESS), owner(), killed(), logs={"vllm.previous": LOADING})
    finding = the_one(STAGE, case, "probes.liveness-kills-start")
    assert "the liveness probe ends `vllm` before it is up" in finding.sentence
    assert "150 s (120 s + 3 × 10 s)" in finding.sentence
    assert "still loading the weights: 62 %" in finding.sentence
    text = told(finding)
    assert "reason Error is the kubelet's SIGKILL, not the memory limit" in text
    assert "its last run lasted 180 s, 7 restarts" in text
    assert "failureThreshold 180 (30 min)" in text
    assert "kubectl -n llm patch statefulset glm -p" in text
    assert '"startupProbe":{"periodSeconds":10,"failureThreshold":180,"httpGet":{"path":"/health","port":8000}}' in text


def test_the_new_budget_is_twice_what_a_start_takes() -> None:
    slow = LOADING.replace("62%", "10%")
    case = a_case(restarted(livenessProbe=LIVENESS), owner(), killed(), logs={"vllm.previous": slow})
    assert "failureThreshold 360 (60 min)" in told(the_one(STAGE, case, "probes.liveness-kills-start"))


def test_a_startup_probe_that_is_too_short_is_raised() -> None:
    startup = HEALTH | {"periodSeconds": 10, "failureThreshold": 60}
    case = a_case(restarted(startupProbe=startup), owner(), killed("startup"), logs={"vllm.previous": LOADING})
    finding = the_one(STAGE, case, "probes.startup-kills-start")
    assert "10 min (60 × 10 s)" in finding.sentence
    assert "Raise the startup probe's budget" in told(finding)
    assert "httpGet" not in told(finding)


def test_without_a_log_it_is_still_told_and_said_to_be_unknown() -> None:
    case = a_case(restarted(livenessProbe=LIVENESS), killed())
    assert "while it is still starting" in the_one(STAGE, case, "probes.liveness-kills-start").sentence


def test_an_engine_that_waits_for_others_gets_no_longer_budget() -> None:
    log = "INFO 11-30 11:52:29 ray_utils.py:183] Waiting for creating a placement group of specs for 630 seconds. specs=[{'GPU': 1.0}]"
    case = a_case(restarted(livenessProbe=LIVENESS), owner(), killed(), logs={"vllm.previous": log})
    finding = the_one(STAGE, case, "probes.liveness-kills-start")
    assert "waiting for GPUs from Ray" in finding.sentence
    assert "startupProbe" not in told(finding)


def test_one_that_was_up_and_hung_is_another_matter() -> None:
    case = a_case(restarted(livenessProbe=LIVENESS | {"timeoutSeconds": 1}), killed(), logs={"vllm.previous": SERVING})
    finding = the_one(STAGE, case, "probes.liveness-kills")
    assert "was up, then stopped answering its liveness probe" in finding.sentence
    assert "timeout 1 s" in finding.sentence
    assert "startup probe" not in told(finding)


@pytest.mark.parametrize(
    ("code", "event"),
    [
        pytest.param(1, killed(ago=40), id="it ended by itself long after"),
        pytest.param(1, an_event("Killing", "Stopping container vllm"), id="it was stopped for another reason"),
        pytest.param(
            137,
            an_event("Killing", "Container sidecar failed liveness probe, will be restarted"),
            id="another container",
        ),
    ],
)
def test_no_probe_is_blamed_for(code: int, event: dict[str, Any]) -> None:
    assert ids(STAGE, a_case(restarted(code, livenessProbe=LIVENESS), event, logs={"vllm.previous": LOADING})) == []


def test_a_container_that_ends_itself_when_told_to_is_still_a_kill() -> None:
    case = a_case(restarted(0, livenessProbe=LIVENESS), killed(ago=1.5), logs={"vllm.previous": LOADING})
    assert ids(STAGE, case) == ["probes.liveness-kills-start"]


def up(**container: Any) -> dict[str, Any]:
    args = {"args": ["--model", "m"]} | container
    return a_pod_object("glm-0", a_container(gpus=1, readinessProbe=HEALTH, **args), statuses=[running(started=True)])


def unready(message: str) -> dict[str, Any]:
    return an_event("Unhealthy", f"Readiness probe failed: {message}", count=30)


@pytest.mark.parametrize(
    ("message", "id_", "words"),
    [
        pytest.param("HTTP probe failed with statuscode: 404", "probes.readiness-wrong-path", "no such path", id="404"),
        pytest.param("HTTP probe failed with statuscode: 401", "probes.readiness-no-access", "wants a key", id="401"),
        pytest.param("HTTP probe failed with statuscode: 503", "probes.readiness-unwell", "not well", id="503"),
        pytest.param(
            "dial tcp 10.0.0.1:8000: connect: connection refused",
            "probes.readiness-not-listening",
            "nothing listens",
            id="refused",
        ),
        pytest.param(
            "Get x: context deadline exceeded", "probes.readiness-timeout", "no answer within 1 s", id="timeout"
        ),
        pytest.param("command terminated: oops", "probes.readiness-fails", "“command terminated: oops”", id="others"),
    ],
)
def test_what_a_readiness_probe_says(message: str, id_: str, words: str) -> None:
    finding = the_one(STAGE, a_case(up(), unready(message), logs={"vllm": SERVING}), id_)
    assert words in finding.sentence
    assert "`/health` on port 8000" in finding.sentence


def test_a_port_that_the_engine_does_not_listen_on() -> None:
    pod = up(command=["vllm", "serve", "m", "--port", "9000"], args=[])
    case = a_case(pod, unready("connect: connection refused"), logs={"vllm": SERVING})
    finding = the_one(STAGE, case, "probes.readiness-wrong-port")
    assert "listens on port 9000, the probe asks port 8000" in finding.sentence


def test_without_an_event_what_the_probe_answers_is_unknown() -> None:
    finding = the_one(STAGE, a_case(up(), logs={"vllm": SERVING}), "probes.readiness-fails")
    assert any("no event" in one for one in finding.unknown)


@pytest.mark.parametrize(
    ("pod", "log"),
    [
        pytest.param(a_pod_object(statuses=[running(ready=True)]), SERVING, id="ready"),
        pytest.param(up(startupProbe=HEALTH), LOADING, id="still starting"),
        pytest.param(a_pod_object(statuses=[running()]), SERVING, id="no readiness probe"),
        pytest.param(a_pod_object(statuses=[looping(1)]), "", id="it crashes by itself"),
        pytest.param(a_pod_object(phase="Pending", node=""), "", id="no node"),
    ],
)
def test_nothing_is_said_where_no_probe_is_in_the_way(pod: dict[str, Any], log: str) -> None:
    assert ids(STAGE, a_case(pod, logs={"vllm": log})) == []


def probing(probe: dict[str, Any], message: str, **container: Any) -> Any:
    pod = a_pod_object(
        "glm-0", a_container(gpus=1, readinessProbe=probe, **container), statuses=[running(started=True)]
    )
    return a_case(pod, an_event("Unhealthy", message, count=30), logs={"vllm": SERVING})


@pytest.mark.parametrize(
    ("probe", "message", "id_", "words"),
    [
        pytest.param(
            {"grpc": {"port": 9000}},
            "Readiness probe failed: error: this server does not implement the grpc health protocol "
            "(grpc.health.v1.Health): unknown service grpc.health.v1.Health",
            "probes.readiness-no-grpc-health",
            ["(gRPC on port 9000)", "port 9000 does not speak the gRPC health protocol", "tcpSocket"],
            id="a server without the protocol",
        ),
        pytest.param(
            {"grpc": {"port": 9000, "service": "llm"}},
            "Readiness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service llm",
            "probes.readiness-grpc-service",
            ["no health of service `llm`", "grpc.service"],
            id="a service that is not known",
        ),
        pytest.param(
            {"grpc": {"port": 9000}},
            "Readiness probe failed: service unhealthy (responded with NOT_SERVING)",
            "probes.readiness-unwell",
            ["NOT_SERVING"],
            id="not serving",
        ),
        pytest.param(
            {"exec": {"command": ["curl", "-f", "localhost"]}},
            'Readiness probe errored: rpc error: code = Unknown desc = OCI runtime exec failed: exec: "curl": executable '
            "file not found in $PATH: unknown",
            "probes.readiness-no-program",
            ["(`curl -f localhost`)", "the image has no `curl`", "httpGet"],
            id="a program that is not there",
        ),
        pytest.param(
            {"exec": {"command": ["check"]}},
            "Readiness probe errored and resulted in unknown state: command timed out",
            "probes.readiness-timeout",
            ["no answer within 1 s"],
            id="a command that takes too long",
        ),
    ],
)
def test_other_kinds_of_probes(probe: dict[str, Any], message: str, id_: str, words: list[str]) -> None:
    text = told(the_one(STAGE, probing(probe, message), id_))
    for word in words:
        assert word in text


def test_a_named_port_is_looked_up() -> None:
    probe = {"httpGet": {"path": "/health", "port": "http"}}
    ports = [{"name": "http", "containerPort": 80}]
    case = probing(
        probe, "Readiness probe failed: connection refused", ports=ports, args=["--port", "9000", "--model", "m"]
    )
    assert "the probe asks port 80" in the_one(STAGE, case, "probes.readiness-wrong-port").sentence


def test_an_engine_that_died_behind_its_server_is_named_and_begun_afresh() -> None:
    log = (
        SERVING + "\nERROR 11-30 11:42:00 [core.py:710] TimeoutError: RPC call to execute_model timed out.\n"
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue."
    )
    case = a_case(up(), unready("HTTP probe failed with statuscode: 503"), logs={"vllm": log})
    finding = the_one(STAGE, case, "probes.readiness-unwell")
    assert "a rank did not finish a step in time" in finding.sentence
    assert "kubectl -n llm delete pod glm-0" in told(finding)


def test_a_fault_before_the_engine_became_ready_is_over() -> None:
    log = "TimeoutError: RPC call to execute_model timed out.\n" + SERVING
    case = a_case(up(), unready("HTTP probe failed with statuscode: 503"), logs={"vllm": log})
    assert "rank" not in the_one(STAGE, case, "probes.readiness-unwell").sentence


def test_no_probe_is_asked_where_the_node_is_silent() -> None:
    node = a_node_object()
    node["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    assert ids(STAGE, a_case(up(), unready("x"), node, logs={"vllm": SERVING})) == []


def test_a_probe_of_a_pod_without_an_owner_says_that_the_pod_has_to_be_made_anew() -> None:
    pod = restarted(livenessProbe={"grpc": {"port": 8001}, "initialDelaySeconds": 30})
    del pod["metadata"]["ownerReferences"]
    text = told(the_one(STAGE, a_case(pod, killed(), logs={"vllm.previous": LOADING}), "probes.liveness-kills-start"))
    assert "the pod has no owner" in text
