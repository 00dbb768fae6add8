"""Xids by NVML's own events: what the driver tells from the moment of registering on, without its text."""

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import pynvml

from bot.agent.message import Xid
from bot.agent.worker.call import Progress

Places = dict[int | None, tuple[str, str]]  # handle → bus id, uuid
WAIT_MILLISECONDS = 5_000
AFTER_ERROR_SECONDS = 5.0


def listen(tell: Callable[[Xid], None], progress: Progress) -> None:
    """Registers, and starts the thread that waits. Where the driver has no events there is none."""
    progress.enter("eventSetCreate")
    try:
        events = pynvml.nvmlEventSetCreate()
        places = _register(events, progress)
    except pynvml.NVMLError:
        return  # the kernel log still tells them
    if places:
        threading.Thread(target=_wait, args=(events, places, tell), name="nvml-events", daemon=True).start()


def _wait(events: object, places: Places, tell: Callable[[Xid], None]) -> None:
    while True:
        try:
            found = pynvml.nvmlEventSetWait_v2(events, WAIT_MILLISECONDS)
        except pynvml.NVMLError as error:
            if error.value != pynvml.NVML_ERROR_TIMEOUT:
                time.sleep(AFTER_ERROR_SECONDS)  # a lost GPU makes the wait fail at once, again and again
            continue
        if found.eventType == pynvml.nvmlEventTypeXidCriticalError:
            bus, uuid = places.get(_address(found.device), ("", ""))
            tell(Xid(int(found.eventData), bus, uuid))


def _register(events: object, progress: Progress) -> Places:
    """GPUs that will tell: handle → bus id, uuid. One unsupported type would register none: ask first."""
    places: Places = {}
    for index in range(pynvml.nvmlDeviceGetCount()):
        progress.enter("registerEvents", index)
        try:
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            if pynvml.nvmlDeviceGetSupportedEventTypes(handle) & pynvml.nvmlEventTypeXidCriticalError:
                place = (pynvml.nvmlDeviceGetPciInfo(handle).busId, pynvml.nvmlDeviceGetUUID(handle))
                pynvml.nvmlDeviceRegisterEvents(handle, pynvml.nvmlEventTypeXidCriticalError, events)
                places[_address(handle)] = place
        except pynvml.NVMLError:
            continue  # lost, or without events: the others still tell
    return places


def _address(handle: Any) -> int | None:
    """Handles are pointers that ctypes does not compare."""
    return ctypes.cast(handle, ctypes.c_void_p).value
