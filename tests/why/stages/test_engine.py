"""What is wrong inside an engine that runs."""

from typing import Any

import pytest

from bot.domain.evidence import LogRef, NodeRef
from bot.why.finding import Level
from bot.why.stages.engine import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    an_object,
    ids,
    looping,
    ready_status,
    running,
    the_one,
    told,
)

RAY = (
    "INFO 11-30 11:41:59 ray_utils.py:345] No current placement group found.\n"
    "INFO 11-30 11:52:29 ray_utils.py:183] Waiting for creating a placement group of specs for 630 seconds. "
    "specs=[{'GPU': 1.0}, {'GPU': 1.0}, {'GPU': 1.0}, {'GPU': 1.0}]. Check `ray status` to see if you have enough resources."
)
NCCL = (
    "INFO 11-30 11:46:02 [pynccl.py:111] vLLM is using nccl==2.23.4\n"
    "vllm-0:214:214 [0] NCCL INFO Bootstrap : Using eth0:10.42.0.4<0>\n"
    "vllm-0:214:214 [0] NCCL INFO NCCL version 2.23.4+cuda12.2"
)
STARTUP = {"httpGet": {"path": "/health", "port": 8000}, "failureThreshold": 360}


def starting(
    *args: str, gpus: int = 1, name: str = "glm-0", extra: list[dict[str, Any]] | None = None, **more: Any
) -> dict[str, Any]:
    container = a_container(gpus=gpus, args=["--model", "m", *args], startupProbe=STARTUP)
    others = extra or []
    statuses = [running(minutes=19, started=False), *(running(one["name"], ready=True) for one in others)]
    return a_pod_object(name, container, *others, statuses=statuses, **more)


def test_more_gpus_than_the_container_has_cannot_come() -> None:
    finding = the_one(
        STAGE, a_case(starting("--tensor-parallel-size", "4"), logs={"vllm": RAY}), "engine.more-gpus-than-limit"
    )
    assert finding.level is Level.CAUSE
    assert "wants 4 GPUs (tensor parallel 4)" in finding.sentence
    assert "only 1 GPU (`nvidia.com/gpu: 1`)" in finding.sentence
    text = told(finding)
    assert "Set `nvidia.com/gpu` to 4" in text
    assert "`--tensor-parallel-size` to 1" in text
    assert "Other nodes change nothing" in text


def test_pipeline_stages_count_too() -> None:
    pod = starting("--tensor-parallel-size", "4", "--pipeline-parallel-size", "2", gpus=4)
    finding = the_one(STAGE, a_case(pod, logs={"vllm": RAY}), "engine.more-gpus-than-limit")
    assert "wants 8 GPUs (tensor parallel 4 × pipeline 2)" in finding.sentence


def test_an_engine_over_several_ray_pods_is_not_told_to_be_too_large() -> None:
    labels = {"ray.io/cluster": "big"}
    pods = [starting("--tensor-parallel-size", "16", gpus=8, name=f"glm-{n}", labels=labels) for n in range(2)]
    assert ids(STAGE, a_case(*pods, logs={"vllm": RAY})) == ["engine.waits-long"]


def test_enough_gpus_and_still_waiting_for_ray() -> None:
    finding = the_one(STAGE, a_case(starting("-tp", "4", gpus=4), logs={"vllm": RAY}), "engine.waits-long")
    assert "for 10 min" in finding.sentence


LWS = {"leaderworkerset.sigs.k8s.io/name": "vllm", "leaderworkerset.sigs.k8s.io/group-index": "0"}


def ranks(proxy: str = "", second: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    extra = [a_container(proxy)] if proxy else []
    sizes = ("--tensor-parallel-size", "16", "--nnodes", "2")
    first = starting(*sizes, gpus=8, name="vllm-0", labels=LWS, extra=extra)
    return [first, second or starting(*sizes, gpus=8, name="vllm-0-1", labels=LWS, extra=extra)]


@pytest.mark.parametrize("proxy", ["istio-proxy", "linkerd-proxy"])
def test_a_mesh_proxy_between_ranks_stops_nccl(proxy: str) -> None:
    finding = the_one(STAGE, a_case(*ranks(proxy), logs={"vllm": NCCL}), "engine.proxy-between-ranks")
    assert f"sidecar `{proxy}`" in finding.sentence
    assert "between the 2 pods of this engine (vllm-0 and vllm-0-1" in finding.sentence
    assert "right after NCCL's bootstrap for 13 min" in finding.sentence
    assert ("sidecar.istio.io/inject" in told(finding)) == (proxy == "istio-proxy")


def test_ranks_without_a_proxy_only_wait() -> None:
    assert ids(STAGE, a_case(*ranks(), logs={"vllm": NCCL})) == ["engine.waits-long"]


def test_a_rank_that_does_not_run_is_named() -> None:
    message = {
        "type": "PodScheduled",
        "status": "False",
        "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
    }
    second = a_pod_object("vllm-0-1", phase="Pending", node="", labels=LWS, status={"conditions": [message]})
    finding = the_one(STAGE, a_case(*ranks("istio-proxy", second), logs={"vllm": NCCL}), "engine.rank-missing")
    assert "llm/vllm-0-1 does not run" in finding.sentence
    assert "3 nodes have too little free nvidia.com/gpu" in finding.sentence


def test_a_short_wait_is_waited_for() -> None:
    late = NCCL.replace("11:46:02", "11:59:02")
    finding = the_one(STAGE, a_case(*ranks(), logs={"vllm": late}), "engine.waits")
    assert finding.until


DRIVER = {"nvidia.com/cuda.driver-version.full": "550.144.03"}
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 12040)."


def crashing(image: str, **more: Any) -> dict[str, Any]:
    return a_pod_object("glm-0", a_container(gpus=8) | {"image": image}, statuses=[looping(1)], **more)


def test_both_versions_stand_behind_a_driver_that_is_too_old() -> None:
    case = a_case(crashing("vllm/vllm-openai:cu130"), a_node_object(labels=DRIVER), logs={"vllm": TOO_OLD})
    finding = the_one(STAGE, case, "engine.driver-too-old")
    assert finding.level is Level.ROOT
    assert "`vllm/vllm-openai:cu130` carries CUDA 13.0, which needs driver 580 or newer" in finding.sentence
    assert "gpu-a has driver 550.144.03, made for CUDA 12.4" in finding.sentence


OLDER = {
    "nvidia.com/cuda.driver.major": "535",
    "nvidia.com/cuda.driver.minor": "54",
    "nvidia.com/cuda.driver.rev": "03",
}


def test_the_labels_of_older_feature_discoveries_are_read() -> None:
    case = a_case(crashing("a:cu130"), a_node_object(labels=OLDER), logs={"vllm": TOO_OLD})
    assert "driver 535.54.03" in the_one(STAGE, case, "engine.driver-too-old").sentence


def test_the_agent_who_asked_the_driver_is_believed_more_than_a_label() -> None:
    agent = [{"driverVersion": "570.26"}]
    case = a_case(crashing("a:cu130"), a_node_object(labels=OLDER), logs={"vllm": TOO_OLD}, agent=agent)
    assert "driver 570.26" in the_one(STAGE, case, "engine.driver-too-old").sentence


def test_nothing_is_claimed_where_the_drivers_version_is_not_known() -> None:
    assert ids(STAGE, a_case(crashing("a:cu130"), a_node_object(), logs={"vllm": TOO_OLD})) == []


def serving(**more: Any) -> dict[str, Any]:
    return a_pod_object(
        "glm-0", a_container(gpus=1), statuses=[running(ready=True, minutes=200)], status=ready_status(), **more
    )


OK_HEALTH = 'INFO: "GET /health HTTP/1.1" 200 OK\n'
OK_REQUEST = 'INFO: "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
BAD_REQUEST = 'INFO: "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error\n'
BROKEN = "RuntimeError: CUDA error: an illegal memory access was encountered\n" + (BAD_REQUEST * 2 + OK_HEALTH) * 4


def test_a_ready_pod_that_fails_every_request_is_told_and_the_card_not_blamed() -> None:
    kernel = "2026-11-30T11:47:08,482913+00:00 NVRM: Xid (PCI:0000:18:00): 31, MMU Fault\n"
    case = a_case(serving(), a_node_object(), logs={"vllm": BROKEN}, kernel=kernel)
    finding = the_one(STAGE, case, "engine.ready-but-broken")
    assert "last 8 requests to `vllm` all failed (5xx), while its health endpoint says 200" in finding.sentence
    assert "a CUDA kernel touched memory it may not" in finding.sentence
    text = told(finding)
    assert "Xid 31, 1 time: mostly the program's own fault" in text
    assert "kubectl -n llm delete pod glm-0" in text
    assert "one-token request" in text


def test_an_xid_from_before_the_pod_is_not_its_own() -> None:
    kernel = "2026-11-30T09:47:08,482913+00:00 NVRM: Xid (PCI:0000:18:00): 31, MMU Fault\n"
    case = a_case(serving(), a_node_object(), logs={"vllm": BROKEN}, kernel=kernel)
    assert "Xid" not in told(the_one(STAGE, case, "engine.ready-but-broken"))


NVML = "[sampler] nvidia-smi:\nFailed to initialize NVML: Unknown Error\n"


def test_a_container_that_lost_its_gpu_while_the_node_has_all_of_them() -> None:
    kernel = "2026-11-30T11:00:37,482211+00:00 systemd[1]: Reloading.\nno time here\n"
    other = a_pod_object("emb-0", a_container(gpus=1), statuses=[running(ready=True)], status=ready_status())
    case = a_case(serving(), other, a_node_object(gpus=4), logs={"vllm": NVML}, kernel=kernel, agent=[{}, {}, {}, {}])
    finding = the_one(STAGE, case, "engine.gpu-access-lost")
    assert "lost access to its GPU while it runs" in finding.sentence
    assert "reads all its 4 GPUs: GPU and driver are fine" in finding.sentence
    text = told(finding)
    assert "reloaded its units at 11:00" in text
    assert "llm/emb-0" in text
    assert "kubectl -n llm delete pod glm-0" in text
    assert "neither a new GPU nor a new driver would help" in text
    assert not finding.unknown


def test_without_the_agent_what_the_node_offers_tells_and_without_both_it_is_unknown() -> None:
    offered = the_one(STAGE, a_case(serving(), a_node_object(gpus=4), logs={"vllm": NVML}), "engine.gpu-access-lost")
    assert "gpu-a still offers all its 4 `nvidia.com/gpu`" in offered.sentence
    alone = the_one(STAGE, a_case(serving(), logs={"vllm": NVML}), "engine.gpu-access-lost")
    assert any("nvidia-smi -L" in one for one in alone.unknown)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param((OK_REQUEST + OK_HEALTH) * 5, id="requests that succeed"),
        pytest.param(BAD_REQUEST * 2 + OK_REQUEST + OK_HEALTH, id="failures that are over"),
        pytest.param(BAD_REQUEST + OK_HEALTH, id="a single failure"),
        pytest.param(
            'INFO: "POST /v1/chat/completions HTTP/1.1" 400 Bad Request\n' * 9 + OK_HEALTH, id="callers' faults"
        ),
        pytest.param("", id="no log"),
        pytest.param("\x00\x1b[31m" + "x" * 5000, id="noise"),
    ],
)
def test_nothing_is_said_of_a_pod_that_works(log: str) -> None:
    assert ids(STAGE, a_case(serving(), a_node_object(), logs={"vllm": log})) == []


def test_the_log_the_kernel_and_the_agent_are_wanted_for_gpu_pods_only() -> None:
    refs = STAGE.wants(a_case(serving(), whole=False)).refs
    assert refs == (LogRef("llm", "glm-0", "vllm"), NodeRef("agent", "gpu-a"), NodeRef("kernel", "gpu-a"))
    cpu = a_pod_object("web-0", a_container("web"), statuses=[running("web", ready=True)], status=ready_status())
    assert not STAGE.wants(a_case(cpu, an_object("Service", "web"), whole=False))
