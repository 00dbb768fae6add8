"""Probes that end containers, and probes that keep pods out."""

from typing import Any

import pytest

from bot.why.stages.probes import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
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
