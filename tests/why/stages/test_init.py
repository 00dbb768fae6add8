"""Init containers."""

from typing import Any

import pytest

from bot.domain.evidence import LogRef
from bot.why.stages.init import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_pod_object,
    an_event,
    an_object,
    ids,
    looping,
    over,
    ready_status,
    running,
    the_one,
    told,
    waiting,
)

MAIN = a_container("main", gpus=4, memory="256Gi")


def initialising(*statuses: dict[str, Any], inits: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    found = inits or [a_container(one["name"], memory="1Gi") for one in statuses]
    waits = [waiting("PodInitializing", name="main")]
    return a_pod_object("glm-0", MAIN, phase="Pending", inits=found, init_statuses=statuses, statuses=waits)


def test_memory_is_that_of_the_init_container_not_of_the_main_one() -> None:
    finding = the_one(STAGE, a_case(initialising(looping(137, "OOMKilled", "fetch"))), "init.memory")
    assert "init container `fetch` (1 of 1)" in finding.sentence
    assert "its own limit of 1 GiB; the 256 GiB of `main` do not count for it" in finding.sentence
    assert "5 restarts" in told(finding)
    assert "Raise the memory limit of init container `fetch`" in told(finding)


def test_kserve_says_where_its_limit_is_really_read() -> None:
    text = told(the_one(STAGE, a_case(initialising(looping(137, "OOMKilled", "storage-initializer"))), "init.memory"))
    assert "inferenceservice-config" in text
    assert "HF_XET_NUM_CONCURRENT_RANGE_GETS" in text


def test_without_a_limit_it_is_the_nodes_memory() -> None:
    pod = initialising(looping(137, "OOMKilled", "fetch"), inits=[a_container("fetch")])
    assert "no limit of its own" in the_one(STAGE, a_case(pod), "init.memory").sentence


def test_a_failing_one_is_told_with_its_place_and_last_words() -> None:
    pod = initialising(
        over(0, "Completed", "copy"), looping(2, name="fetch"), inits=[a_container("copy"), a_container("fetch")]
    )
    case = a_case(pod, logs={"fetch": "starting\nusage: fetch URL TARGET"})
    finding = the_one(STAGE, case, "init.fails")
    assert "init container `fetch` (2 of 2) fails with exit code 2" in finding.sentence
    assert "“usage: fetch URL TARGET”" in finding.sentence
    assert "kubectl -n llm logs glm-0 -c fetch" in told(finding)


def test_a_known_line_is_explained() -> None:
    line = "OSError: [Errno 28] No space left on device"
    finding = next(iter(STAGE.judge(a_case(initialising(looping(1, name="fetch")), logs={"fetch": line}))))
    assert finding.id != "init.fails"
    assert "No space left" in told(finding)


def test_a_log_that_did_not_come_is_unknown_and_a_back_off_is_no_last_word() -> None:
    finding = the_one(STAGE, a_case(initialising(looping(1, name="fetch"))), "init.fails")
    assert "back-off" not in told(finding)


def test_a_download_that_is_on_says_how_far_it_is_and_is_waited_for() -> None:
    log = "2026-11-30T11:32:01Z  INFO download: text_generation_launcher: Download: [13/30] -- ETA: 0:06:42"
    case = a_case(initialising(running("fetch", minutes=8)), logs={"fetch": log})
    finding = the_one(STAGE, case, "init.runs")
    assert "still runs for 8 min: downloading the model: 13 of 30 files" in finding.sentence
    assert finding.until


def test_operands_of_the_gpu_operator_wait_for_validation() -> None:
    finding = the_one(STAGE, a_case(initialising(running("toolkit-validation"))), "init.runs")
    assert "until driver and toolkit are checked" in finding.sentence
    assert not finding.until


def test_a_sidecar_that_is_up_is_passed_over() -> None:
    inits = [a_container("istio-proxy", restartPolicy="Always"), a_container("fetch")]
    pod = initialising(running("istio-proxy", ready=True, started=True), running("fetch"), inits=inits)
    assert "`fetch` (2 of 2)" in the_one(STAGE, a_case(pod), "init.runs").sentence


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(initialising(over(0, "Completed", "fetch")), id="all are done"),
        pytest.param(initialising(waiting("ImagePullBackOff", name="fetch")), id="its image is missing"),
        pytest.param(initialising(waiting("PodInitializing", name="fetch")), id="it has not begun"),
        pytest.param(a_pod_object(statuses=[running(ready=True)]), id="there are none"),
        pytest.param(a_pod_object(phase="Pending", node=""), id="the pod has no node"),
    ],
)
def test_nothing_is_said_where_no_init_container_is_in_the_way(pod: dict[str, Any]) -> None:
    assert ids(STAGE, a_case(pod)) == []


def test_the_log_of_the_one_that_is_stuck_is_wanted() -> None:
    pod = initialising(
        over(0, "Completed", "copy"), looping(1, name="fetch"), inits=[a_container("copy"), a_container("fetch")]
    )
    assert STAGE.wants(a_case(pod, whole=False)).refs == (
        LogRef("llm", "glm-0", "fetch"),
        LogRef("llm", "glm-0", "fetch", previous=True),
    )


REGISTRY = an_object("Service", "model-registry", spec={"selector": {"app": "registry"}})


def a_waiter(command: str = "until nc -z model-registry 8080; do sleep 5; done") -> dict[str, Any]:
    spec = a_container("wait", command=["sh", "-c", command])
    return initialising(running("wait", minutes=30), inits=[spec])


def a_provider(*statuses: dict[str, Any], **more: Any) -> dict[str, Any]:
    return a_pod_object("registry-0", statuses=statuses, labels={"app": "registry"}, **more)


@pytest.mark.parametrize(
    ("provider", "stands"),
    [
        pytest.param(a_provider(phase="Pending", node=""), "is pending: no node takes it", id="no node"),
        pytest.param(a_provider(waiting("ErrImagePull"), phase="Pending"), "its image cannot be pulled", id="no image"),
        pytest.param(a_provider(looping(137, "OOMKilled")), "crashes (OOMKilled, exit code 137)", id="a crash"),
        pytest.param(a_provider(running()), "is not ready", id="not ready"),
    ],
)
def test_a_wait_for_another_pod_names_it_and_why_it_does_not_come(provider: dict[str, Any], stands: str) -> None:
    case = a_case(a_waiter(), REGISTRY, provider, logs={"wait": "waiting for model-registry"})
    root = the_one(STAGE, case, "crash.needs-other-pod")
    assert "`wait` waits for another pod: service `model-registry` comes from llm/registry-0" in root.sentence
    assert stands in root.sentence


def test_the_command_tells_whom_it_waits_for_where_the_log_is_silent() -> None:
    case = a_case(a_waiter(), REGISTRY, a_provider(phase="Pending", node=""))
    assert "crash.needs-other-pod" in ids(STAGE, case)


@pytest.mark.parametrize(
    ("waiter", "provider"),
    [
        pytest.param(a_waiter(), a_provider(running(ready=True), status=ready_status()), id="the other pod is ready"),
        pytest.param(a_waiter("sleep 600"), a_provider(phase="Pending", node=""), id="it does not name the service"),
    ],
)
def test_nobody_is_waited_for(waiter: dict[str, Any], provider: dict[str, Any]) -> None:
    assert ids(STAGE, a_case(waiter, REGISTRY, provider)) == ["init.runs"]


def a_proxy(started: bool) -> dict[str, Any]:
    probe = {"httpGet": {"path": "/healthz/ready", "port": 15021}, "periodSeconds": 1, "failureThreshold": 600}
    spec = a_container("istio-proxy", restartPolicy="Always", startupProbe=probe)
    return initialising(running("istio-proxy", minutes=7, started=started), inits=[spec])


def test_a_sidecar_that_does_not_start_holds_the_others_back() -> None:
    event = an_event("Unhealthy", "Startup probe failed: HTTP probe failed with statuscode: 503", count=400)
    finding = the_one(
        STAGE, a_case(a_proxy(False), event, logs={"istio-proxy": "no such host"}), "init.sidecar-not-started"
    )
    assert "sidecar `istio-proxy` (1 of 1) has run for 7 min without being up" in finding.sentence
    assert "`/healthz/ready` on port 15021" in finding.sentence
    assert "the containers after it only begin then" in finding.sentence
    assert "statuscode: 503" in told(finding)
    assert "no such host" in told(finding)
    assert ids(STAGE, a_case(a_proxy(True))) == []


def test_the_log_of_a_sidecar_is_wanted_before_it_is_known_whether_it_has_started() -> None:
    assert STAGE.wants(a_case(a_proxy(False), whole=False)).refs == (LogRef("llm", "glm-0", "istio-proxy"),)
