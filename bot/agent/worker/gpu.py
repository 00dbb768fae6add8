"""One GPU: asked each time, and what was told in the last dear round."""

from typing import Any

import pynvml

from bot.agent.worker import fields
from bot.agent.worker.call import Progress, Told, ask
from bot.agent.worker.dear import DEAR, SLICES
from bot.agent.worker.questions import EACH


class Gpu:
    """The GPU of that index, as long as the worker lives."""

    def __init__(self, index: int, progress: Progress) -> None:
        self._index = index
        self._progress = progress
        self._dear = Told()

    def read(self, *, dear: bool) -> dict[str, Any]:
        """A GPU of the reading. Without a handle there is nothing but the error: it is lost, or not to be had."""
        self._progress.enter("handleByIndex", self._index)
        try:
            handle = pynvml.nvmlDeviceGetHandleByIndex(self._index)
        except pynvml.NVMLError as error:
            return {"index": self._index, "errors": {"handleByIndex": error.value}}
        told = self._each(handle)
        if dear or not self._dear.values:
            self._dear = self._rarely(handle, sliced=bool(told.values.get("migMode", {}).get("currentMode")))
        whole = {"index": self._index} | self._dear.values | told.values
        errors = self._dear.errors | told.errors
        return whole | {"errors": errors} if errors else whole

    def _each(self, handle: Any) -> Told:
        told = Told()
        ask(EACH, handle, self._index, self._progress, told)
        self._progress.enter("fieldValues", self._index)
        fields.ask(fields.EACH, handle, told)
        return told

    def _rarely(self, handle: Any, *, sliced: bool) -> Told:
        told = Told()
        ask(DEAR, handle, self._index, self._progress, told)
        if sliced:
            ask(SLICES, handle, self._index, self._progress, told)
        self._progress.enter("fieldValues", self._index)
        fields.ask(fields.DEAR, handle, told)
        _count_retired(told.values)
        return told


def _count_retired(values: dict[str, Any]) -> None:
    """Retired pages of both causes together."""
    counts = [count for count in values.pop("retiredPagesBy", {}).values() if count is not None]
    if counts:
        values["retiredPages"] = sum(counts)
