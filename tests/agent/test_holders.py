"""From ids of devices to GPUs and slices."""

from typing import Any

import pytest

from bot.agent.pods.holders import holders, with_pods
from bot.agent.pods.kubelet import Given

WHOLE = {"index": 0, "uuid": "GPU-1", "minorNumber": 0}


SECOND = {"index": 1, "uuid": "GPU-2", "minorNumber": 3}


CUT = {
    "index": 2,
    "uuid": "GPU-3",
    "minorNumber": 2,
    "migDevices": [{"uuid": "MIG-1", "gpuInstanceId": 7}, {"uuid": "MIG-2", "gpuInstanceId": 8}],
}


@pytest.mark.parametrize(
    ("device", "gpu", "cut"),
    [
        pytest.param("GPU-2", 1, None, id="a GPU by its uuid"),
        pytest.param("GPU-2::3", 1, None, id="a share of a GPU"),
        pytest.param("1", 1, None, id="an index"),
        pytest.param("nvidia3", 1, None, id="a minor number, as on GKE"),
        pytest.param("nvidia3/vgpu2", 1, None, id="a share on GKE"),
        pytest.param("gpu-3", 1, None, id="a device of the DRA driver"),
        pytest.param("MIG-2", 2, 1, id="a slice by its uuid"),
        pytest.param("MIG-2::0", 2, 1, id="a share of a slice"),
        pytest.param("nvidia2/gi8", 2, 1, id="a slice on GKE"),
        pytest.param("gpu-2-mig-9-4-4", 2, None, id="a slice of the DRA driver: the GPU is known, the slice is not"),
        pytest.param("GPU-9", None, None, id="a GPU that is not here any more"),
        pytest.param("nvidia2222", None, None, id="nonsense"),
    ],
)
def test_from_a_device_to_its_gpu(device: str, gpu: int | None, cut: int | None) -> None:
    gpus: list[dict[str, Any]] = [WHOLE, SECOND, CUT]
    found = holders([Given("llm/a", "engine", "nvidia.com/gpu", device)], gpus)
    told = [with_pods(one, found) for one in gpus]
    assert [one["pods"] for one in told] == [["llm/a"] if place == gpu else [] for place in range(3)]
    assert ["pod" in one for one in told[2]["migDevices"]] == [place == cut for place in range(2)]


def test_a_slice_that_two_pods_share_names_both_and_belongs_to_neither() -> None:
    both = [Given(f"llm/{name}", "engine", "nvidia.com/mig-1g.18gb.shared", f"MIG-1::{name}") for name in "ab"]
    told = with_pods(CUT, holders(both, [CUT]))
    assert told["pods"] == told["migDevices"][0]["pods"] == ["llm/a", "llm/b"]
    assert "pod" not in told["migDevices"][0]
