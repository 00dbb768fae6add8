"""What is remembered and told: faults in words, the age of a reading, pods, GPUs that lost their name."""

from datetime import timedelta

import pytest

from bot.agent.fault import Fault, Kind
from bot.agent.message import Reading
from bot.agent.pods.kubelet import Given
from tests.agent.nodes import GPUS, NOW, hang, state


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        pytest.param(hang(), "NVML on gpu-a does not answer since 40 s", id="a hang"),
        pytest.param(
            hang(call="powerUsage", gpu=3),
            "NVML on gpu-a does not answer since 40 s (powerUsage of GPU 3)",
            id="a hang in a call",
        ),
        pytest.param(
            hang(stuck_pid=77),
            "NVML on gpu-a does not answer since 40 s; process 77 hangs in the driver and cannot be killed",
            id="a hang in the kernel",
        ),
        pytest.param(
            Fault(Kind.ENDED, NOW - timedelta(seconds=3)),
            "the process that asks NVML on gpu-a ends by itself since 3 s",
            id="it ends",
        ),
        pytest.param(Fault(Kind.FAILED, NOW, error=12), "there is no NVIDIA driver on gpu-a", id="no driver"),
        pytest.param(
            Fault(Kind.FAILED, NOW, error=12, driver_present=True),
            "the NVIDIA driver is loaded on gpu-a, but the agent's container got no NVML library",
            id="no library",
        ),
        pytest.param(
            Fault(Kind.FAILED, NOW, error=18),
            "the NVML library and the loaded driver on gpu-a are of different versions",
            id="a mismatch",
        ),
        pytest.param(
            Fault(Kind.FAILED, NOW, error=20, text="Insufficient Memory"),
            "NVML on gpu-a fails with error 20: Insufficient Memory",
            id="anything else",
        ),
    ],
)
def test_a_fault_in_words(fault: Fault, trouble: str) -> None:
    assert state(40, fault).as_json()["trouble"] == trouble


def test_the_last_good_reading_is_kept_with_its_age() -> None:
    told = state(40, hang()).as_json()
    assert (told["ageSeconds"], told["takenAt"]) == (40, "2026-11-30T11:59:20+00:00")
    assert [gpu["uuid"] for gpu in told["gpus"]] == ["GPU-0", "GPU-1"]


def test_pods_are_told_where_the_kubelet_told_them() -> None:
    told = state()
    assert "pods" not in told.as_json()["gpus"][0]
    told.given = (Given("llm/glm-0", "engine", "nvidia.com/gpu", "GPU-1"),)
    assert [gpu["pods"] for gpu in told.as_json()["gpus"]] == [[], ["llm/glm-0"]]


def test_a_gpu_without_a_name_is_the_one_of_its_index_unless_that_is_here() -> None:
    told = state()
    told.take(Reading(gpus=[GPUS[0], {"index": 1, "errors": {"handleByIndex": 15}}]))
    assert told.gpus[1]["uuid"] == "GPU-1"
    told.take(Reading(gpus=[GPUS[1] | {"index": 0}, {"index": 1, "errors": {"handleByIndex": 15}}]))
    assert "uuid" not in told.gpus[1]
