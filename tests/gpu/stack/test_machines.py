"""Machine types that have GPUs by their name."""

import pytest

from bot.gpu.stack.machines import vendor_of
from bot.gpu.stack.vendor import AMD, NVIDIA, Vendor


@pytest.mark.parametrize(
    ("kind", "vendor"),
    [
        pytest.param("p5.48xlarge", NVIDIA, id="EC2 H100"),
        pytest.param("p5en.48xlarge", NVIDIA, id="EC2 H200"),
        pytest.param("p4d.24xlarge", NVIDIA, id="EC2 A100"),
        pytest.param("p6-b200.48xlarge", NVIDIA, id="EC2 B200"),
        pytest.param("g6e.12xlarge", NVIDIA, id="EC2 L40S"),
        pytest.param("g4dn.metal", NVIDIA, id="EC2 bare metal"),
        pytest.param("g4ad.xlarge", AMD, id="EC2 with AMD's"),
        pytest.param("Standard_ND96isr_H100_v5", NVIDIA, id="Azure H100"),
        pytest.param("Standard_ND96isr_MI300X_v5", AMD, id="Azure MI300X"),
        pytest.param("a3-highgpu-8g", NVIDIA, id="Google H100"),
        pytest.param("g2-standard-48", NVIDIA, id="Google L4"),
        pytest.param("BM.GPU.H100.8", NVIDIA, id="Oracle H100"),
        pytest.param("BM.GPU.MI300X.8", AMD, id="Oracle MI300X"),
        pytest.param("ecs.gn7i-c8g1.2xlarge", NVIDIA, id="Alibaba A10"),
        pytest.param("m6i.2xlarge", None, id="EC2 without"),
        pytest.param("c7g.large", None, id="EC2 Graviton"),
        pytest.param("inf2.xlarge", None, id="EC2 accelerators that are no GPUs"),
        pytest.param("Standard_D8s_v5", None, id="Azure without"),
        pytest.param("n1-standard-8", None, id="Google, which may have some or none"),
        pytest.param("e2-standard-4", None, id="Google without"),
        pytest.param("VM.Standard.E5.Flex", None, id="Oracle without"),
        pytest.param("k3s", None, id="no type at all"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_whose_gpus_a_machine_has(kind: str, vendor: Vendor | None) -> None:
    assert vendor_of(kind) is vendor
