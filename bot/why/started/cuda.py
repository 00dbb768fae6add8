"""The CUDA inside an image against the driver of a node: docs.nvidia.com/deploy/cuda-compatibility.

GPU feature discovery labels nodes with their driver (NVIDIA/k8s-device-plugin:internal/lm/nvml.go).
"""

from dataclasses import dataclass

from bot.domain.node import Node
from bot.serving import driver
from bot.serving.driver import Version
from bot.why.started.numa import gpus_of

_FULL = "nvidia.com/cuda.driver-version.full"
_PARTS = tuple(f"nvidia.com/cuda.driver.{part}" for part in ("major", "minor", "rev"))


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides; None where one is not known."""

    image: Version | None
    driver: Version | None

    @property
    def fits(self) -> bool | None:
        """Whether such an image starts on such a driver; None where that cannot be said."""
        return driver.starts_on(self.image, self.driver) if self.image and self.driver else None

    @property
    def words(self) -> str:
        """`CUDA 13.0, which needs driver 580 or newer`, as far as both are known."""
        if self.image is None:
            return ""
        needed = driver.minimum_driver(self.image)
        return f"CUDA {self.image}" + (f", which needs driver {needed.major} or newer" if needed else "")

    @property
    def driver_words(self) -> str:
        if self.driver is None:
            return ""
        made_for = driver.newest_cuda(self.driver)
        return f"driver {self.driver}" + (f", made for CUDA {made_for}" if made_for else "")


def pair(image: str, node: Node | None, agent: str) -> Pair:
    return Pair(driver.cuda_of_image(image), _driver(node, agent))


def _driver(node: Node | None, agent: str) -> Version | None:
    """The agent asked the driver itself; labels are what was true when they were written."""
    said = next((text for gpu in gpus_of(agent) if (text := gpu.text("driverVersion"))), "")
    labels = node.labels if node else {}
    text = said or labels.get(_FULL, "") or ".".join(filter(None, (labels.get(part, "") for part in _PARTS)))
    return driver.version(text)
