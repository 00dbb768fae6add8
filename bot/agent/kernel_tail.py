"""Follows the kernel's messages: what is kept of this boot first, then each as it comes.

/dev/kmsg gives one record for each read; a pipe gives whatever has been written. Both end at a line's end.
"""

import asyncio
import os
from collections.abc import Callable
from datetime import datetime

from bot.agent.kernel_record import Record, records

READ_BYTES = 8_192  # one record is at most 8 KiB (linux:kernel/printk/printk.c)
AT_ONCE = 500  # then the loop gets its turn


class KernelTail:
    """`open` begins; `trouble` says why there is nothing to follow."""

    def __init__(self, path: str, booted: datetime, hear: Callable[[Record], None]) -> None:
        self._path, self._booted, self._hear = path, booted, hear
        self._descriptor: int | None = None
        self._rest = b""
        self.trouble = ""

    @property
    def following(self) -> bool:
        return self._descriptor is not None

    def open(self) -> None:
        """From the oldest message that the kernel still has: what happened before the agent came counts as well."""
        try:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
            asyncio.get_running_loop().add_reader(self._descriptor, self._read)
        except OSError as error:  # PermissionError of epoll too: a plain file cannot be followed
            self.close()
            self.trouble = f"the kernel log cannot be read: {error.strerror or error}"

    def close(self) -> None:
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def _read(self) -> None:
        for _ in range(AT_ONCE):
            if self._descriptor is None:
                return
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except BlockingIOError:
                return
            except BrokenPipeError:
                continue  # older records were overwritten before we came to them; the next read goes on after those
            except OSError as error:
                self.trouble = f"the kernel log cannot be read any more: {error.strerror or error}"
                self.close()
                return
            if not data:  # the other end of a pipe was closed
                self.close()
                return
            self._take(data)

    def _take(self, data: bytes) -> None:
        whole, _, self._rest = (self._rest + data).rpartition(b"\n")
        for record in records(whole, self._booted):
            self._hear(record)
