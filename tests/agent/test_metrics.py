"""The reading as Prometheus metrics."""

import msgspec

from bot.agent import metric
from bot.agent.metrics import families
from bot.agent.pods.kubelet import Given
from bot.agent.state import State
from bot.agent.xids import Source
from bot.gpu.reading import read
from tests.agent.nodes import NOW, hang, state


def samples(told: State) -> list[str]:
    node = read(msgspec.json.encode(told.as_json()), "gpu-a")
    return metric.text(families(node, told.age_seconds, 30)).splitlines()


def test_metrics_of_a_fresh_reading() -> None:
    told = state(5)
    told.given = (Given("llm/glm-0", "engine", "nvidia.com/gpu", "GPU-1"),)
    told.xids.note(79, "0000:19:00", NOW, Source.KERNEL)
    found = samples(told)
    assert 'gpubot_gpu_temperature_celsius{gpu="1",uuid="GPU-1"} 42' in found
    assert 'gpubot_gpu_pod{gpu="1",uuid="GPU-1",namespace="llm",pod="glm-0"} 1' in found
    assert 'gpubot_gpu_xid_events{pci_bus_id="0000:19:00",uuid="GPU-1",xid="79"} 1' in found
    assert "gpubot_node_reading_age_seconds 5" in found
    assert "gpubot_node_nvml_answers 1" in found
    assert not [line for line in found if "ecc" in line], "what was not told is not there, and not zero"


def test_metrics_of_an_old_reading_tell_no_values_of_gpus() -> None:
    found = samples(state(40, hang()))
    assert not [line for line in found if line.startswith("gpubot_gpu_") and "xid" not in line]
    assert "gpubot_node_nvml_answers 0" in found
    assert "gpubot_node_gpus 2" in found


def test_a_label_cannot_break_out_of_its_line() -> None:
    family = metric.Family("a", "About.")
    family.add(1.5, {"pod": 'x"} 1\nb{c="\\'})
    assert metric.text([family]).splitlines()[2] == 'a{pod="x\\"} 1\\nb{c=\\"\\\\"} 1.5'
