"""All GPUs of the node, with the versions of what reads them."""

from collections.abc import Callable
from typing import Any

import pynvml

from bot.agent.message import Reading
from bot.agent.worker.call import Progress
from bot.agent.worker.gpu import Gpu


class Node:
    """Opened NVML. GPUs keep their index as long as the driver stays loaded, lost ones included."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._gpus: list[Gpu] = []

    def open(self) -> None:
        """Raises pynvml.NVMLError: without this nothing works."""
        self._progress.enter("init")
        pynvml.nvmlInit()

    def read(self, *, dear: bool) -> Reading:
        """Raises pynvml.NVMLError where not even the count can be had."""
        self._progress.enter("count")
        count = pynvml.nvmlDeviceGetCount()
        self._gpus = self._gpus[:count] + [Gpu(index, self._progress) for index in range(len(self._gpus), count)]
        gpus = [gpu.read(dear=dear) for gpu in self._gpus]
        driver = self._system("driverVersion", pynvml.nvmlSystemGetDriverVersion)
        cuda = self._system("cudaDriverVersion", pynvml.nvmlSystemGetCudaDriverVersion_v2)
        library = self._system("nvmlVersion", pynvml.nvmlSystemGetNVMLVersion)
        self._progress.idle()
        return Reading(
            gpus=gpus, driver_version=driver or "", cuda_driver_version=cuda, nvml_version=library or "", dear=dear
        )

    def _system(self, call: str, ask: Callable[[], Any]) -> Any:
        self._progress.enter(call)
        try:
            return ask()
        except pynvml.NVMLError:
            return None  # where the driver is gone, the count says so
