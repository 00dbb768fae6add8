"""Engines that are still starting."""

from typing import Any

import pytest

from bot.domain.evidence import LogRef
from bot.why.finding import Level
from bot.why.stages.loading import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_pod_object,
    an_event,
    an_object,
    ids,
    ready_status,
    running,
    the_one,
    told,
)

STARTUP = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10, "failureThreshold": 186}
BEGAN = "[2026-11-30 11:49:57 TP0] Load weight begin. avail mem=138.21 GB\n"


def shards(done: int, elapsed: str = "09:57", left: str = "02:21") -> str:
    return f"Loading safetensors checkpoint shards:  {done * 100 // 141}% Completed | {done}/141 [{elapsed}<{left},  5.2s/it]"


def starting(minutes: float = 11, **more: Any) -> dict[str, Any]:
    container = a_container(gpus=8, startupProbe=more.pop("startup", STARTUP), **more.pop("container", {}))
    return a_pod_object("glm-0", container, statuses=[running(minutes=minutes, started=False)], **more)


def a_deployment() -> list[dict[str, Any]]:
    late = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    top = an_object(
        "Deployment",
        "glm",
        "apps/v1",
        spec={"replicas": 1, "progressDeadlineSeconds": 600},
        status={"conditions": [late]},
    )
    rs = an_object("ReplicaSet", "glm-7b", "apps/v1", spec={"replicas": 1})
    rs["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "glm", "uid": "uid-glm", "controller": True}]
    return [top, rs]


def test_a_load_that_moves_says_how_far_it_is_what_is_left_and_that_waiting_is_right() -> None:
    probe = an_event("Unhealthy", "Startup probe failed: connection refused", count=65)
    finding = the_one(STAGE, a_case(starting(), probe, logs={"vllm": BEGAN + shards(114)}), "loading.load")
    assert "it is still starting, with 0 restarts: loading the weights: 114 of 141 shards, 80 %" in finding.sentence
    assert "11 min of its start-up budget of 31 min (186 × 10 s) are used" in finding.sentence
    assert "about 2 min" in finding.until
    text = told(finding)
    assert "65 failed startup probes so far are part of a start" in text
    assert "only makes it worse" in text
    assert not finding.remedies


def test_the_deployments_own_clock_is_no_fault_of_the_pod() -> None:
    pod = starting(owner=("ReplicaSet", "glm-7b"))
    case = a_case(pod, *a_deployment(), logs={"vllm": BEGAN + shards(114)}, owner=("Deployment", "glm"))
    finding = the_one(STAGE, case, "loading.load")
    assert finding.sentence.startswith("pod glm-0 is still starting")
    text = told(finding)
    assert "progressDeadlineSeconds of 600 is shorter than this start" in text
    assert 'kubectl -n llm patch deployment glm -p \'{"spec":{"progressDeadlineSeconds":1800}}\'' in text


def test_a_budget_that_will_not_do_is_told_beside_it() -> None:
    pod = starting(startup=STARTUP | {"failureThreshold": 70})
    findings = list(STAGE.judge(a_case(pod, logs={"vllm": BEGAN + shards(30, "10:00", "37:00")})))
    assert [one.id for one in findings] == ["loading.load", "loading.budget-too-short"]
    assert findings[1].level is Level.ALSO
    assert "nothing" not in findings[1].sentence
    assert "70 × 10 s" in findings[1].sentence


def test_a_load_without_a_new_shard_for_ten_minutes_stands_still() -> None:
    log = "[2026-11-30 11:29:57 TP0] Load weight begin. avail mem=138.21 GB\n" + shards(20, "01:40", "09:00")
    finding = the_one(STAGE, a_case(starting(minutes=31), logs={"vllm": log}), "loading.stands-still")
    assert "nothing new in its log for 28 min" in finding.sentence
    assert not finding.until


def test_a_clock_of_another_zone_is_not_believed() -> None:
    log = "[2026-11-30 03:49:57 TP0] Load weight begin. avail mem=138.21 GB\n" + shards(20, "01:40", "09:00")
    assert ids(STAGE, a_case(starting(), logs={"vllm": log})) == ["loading.load"]


def test_without_a_log_the_budget_still_tells() -> None:
    finding = the_one(STAGE, a_case(starting()), "loading.starts")
    assert "its log does not tell how far it is" in finding.sentence
    assert "of 31 min" in finding.sentence


def test_without_a_startup_probe_the_liveness_probe_counts() -> None:
    container = a_container(gpus=8, livenessProbe={"periodSeconds": 30, "failureThreshold": 60})
    pod = a_pod_object("glm-0", container, statuses=[running(minutes=11, started=True)])
    text = told(the_one(STAGE, a_case(pod, logs={"vllm": BEGAN + shards(114)}), "loading.load"))
    assert "no startup probe: the liveness probe may end it after 60 × 30 s" in text


@pytest.mark.parametrize(
    ("pod", "log"),
    [
        pytest.param(a_pod_object(statuses=[running(ready=True)], status=ready_status()), "", id="ready"),
        pytest.param(starting(), BEGAN + "INFO:     Application startup complete.", id="up by its own log"),
        pytest.param(
            starting(),
            "INFO 11-30 11:52:29 x.py:1] Waiting for creating a placement group of specs for 9 seconds.",
            id="it waits for others",
        ),
        pytest.param(a_pod_object(phase="Pending", node=""), "", id="no node"),
        pytest.param(
            a_pod_object(statuses=[running(minutes=60)]), "hello", id="a program of unknown kind, an hour old"
        ),
    ],
)
def test_nothing_is_said_where_nothing_loads(pod: dict[str, Any], log: str) -> None:
    assert ids(STAGE, a_case(pod, logs={"vllm": log})) == []


def test_the_log_is_wanted_only_where_the_pod_is_not_ready() -> None:
    assert STAGE.wants(a_case(starting(), whole=False)).refs == (LogRef("llm", "glm-0", "vllm"),)
    assert not STAGE.wants(a_case(a_pod_object(statuses=[running(ready=True)], status=ready_status()), whole=False))


def test_a_file_server_that_does_not_answer_the_node_is_why_nothing_moves() -> None:
    log = "[2026-11-30 11:29:57 TP0] Load weight begin. avail mem=138.21 GB\n" + shards(20, "01:40", "09:00")
    kernel = "2026-11-30T11:35:00,1+00:00 nfs: server filer-2 not responding, still trying\n"
    pod = starting(minutes=31, container={"args": ["--model", "/nfs/glm"]})
    finding = the_one(STAGE, a_case(pod, logs={"vllm": log}, kernel=kernel), "loading.stands-still")
    assert "the file server `filer-2` does not answer gpu-a" in finding.sentence
    assert "min left" not in finding.sentence
    assert "timeout 20 ls -la /nfs/glm" in told(finding)
    for other in (kernel + "2026-11-30T11:36:00,1+00:00 nfs: server filer-2 OK\n", kernel.replace("T11:35", "T10:35")):
        sentence = the_one(STAGE, a_case(pod, logs={"vllm": log}, kernel=other), "loading.stands-still").sentence
        assert "file server" not in sentence
