"""Pods that run: well, or held back by a gate."""

from typing import Any

import pytest

from bot.why.finding import Level
from bot.why.stages.readiness import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    ended,
    ids,
    looping,
    ready_status,
    running,
    the_one,
    told,
)

THROUGHPUT = (
    "INFO 11-30 11:59:50 [loggers.py:123] Engine 000: Avg prompt throughput: 212.4 tokens/s, Avg generation throughput: "
    "88.1 tokens/s, Running: 3 reqs, Waiting: 1 reqs, GPU KV cache usage: 4.1%, Prefix cache hit rate: 31.0%"
)


def well(**more: Any) -> dict[str, Any]:
    container = a_container(gpus=8, command=["vllm", "serve", "/models/glm", "--served-model-name", "glm-4.7"])
    status = running(ready=True, minutes=500, **more)
    return a_pod_object("glm-0", container, statuses=[status], status=ready_status(since=90))


def test_a_pod_that_runs_well_says_what_it_holds_serves_and_since_when() -> None:
    finding = the_one(STAGE, a_case(well(), logs={"vllm": THROUGHPUT}), "readiness.well")
    assert finding.level is Level.NOTE
    assert "llm/glm-0 runs well on gpu-a" in finding.sentence
    assert "ready since 10:30" in finding.sentence
    assert "holds 8 GPUs" in finding.sentence
    assert "serves `glm-4.7` with vllm" in finding.sentence
    assert "3 requests running, 1 waiting" in told(finding)


def test_restarts_of_the_past_are_told_calmly() -> None:
    pod = well(restartCount=4, lastState={"terminated": ended(143, ago=53)})
    text = told(the_one(STAGE, a_case(pod), "readiness.well"))
    assert "`vllm` restarted 4 times, last at 11:07 (53 min ago), with exit code 143 (SIGTERM" in text


def test_the_kept_record_is_enough() -> None:
    finding = the_one(STAGE, a_case(well(), whole=False), "readiness.well")
    assert "holds 8 GPUs" in finding.sentence


def gated(status: str, **condition: Any) -> dict[str, Any]:
    kind = "target-health.elbv2.k8s.aws/llm"
    conditions = [{"type": "Ready", "status": "False"}, {"type": kind, "status": status} | condition]
    return a_pod_object(
        statuses=[running(ready=True)],
        spec={"readinessGates": [{"conditionType": kind}]},
        status={"conditions": conditions},
    )


def test_a_gate_that_is_closed_is_named_with_its_controllers_words() -> None:
    finding = the_one(STAGE, a_case(gated("False", message="Target registration is in progress")), "readiness.gate")
    assert "`target-health.elbv2.k8s.aws/llm` is not True" in finding.sentence
    assert "Target registration is in progress" in told(finding)


def test_a_gate_that_is_open_is_not_told() -> None:
    assert "readiness.gate" not in ids(STAGE, a_case(gated("True")))


@pytest.mark.parametrize(
    ("pod", "log"),
    [
        pytest.param(a_pod_object(statuses=[running()]), "", id="not ready"),
        pytest.param(a_pod_object(statuses=[looping(1)]), "", id="crashing"),
        pytest.param(a_pod_object(phase="Pending", node=""), "", id="waiting"),
        pytest.param(a_pod_object(phase="Succeeded"), "", id="done"),
        pytest.param(well(), "Failed to initialize NVML: Unknown Error", id="ready and broken"),
    ],
)
def test_nobody_else_is_said_to_run_well(pod: dict[str, Any], log: str) -> None:
    assert ids(STAGE, a_case(pod, a_node_object(), logs={"vllm": log})) == []
