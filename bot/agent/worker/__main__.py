"""python -m bot.agent.worker: started by the agent only. Ends with it, and when NVML as a whole does not work."""

import ctypes
import os
import signal
import sys
import threading
import time
from typing import BinaryIO

import msgspec
import pynvml

from bot.agent.message import BEAT, PARENT, Ask, Beat, Failed, Said
from bot.agent.worker import events
from bot.agent.worker.call import Progress
from bot.agent.worker.node import Node

PR_SET_PDEATHSIG = 1


class Lines:
    """Messages to the parent; several threads write."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def tell(self, message: Said) -> None:
        line = msgspec.json.encode(message) + b"\n"
        with self._lock:
            self._stream.write(line)
            self._stream.flush()


def main() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # also where the agent is killed
    if os.environ.get(PARENT) != str(os.getppid()):
        return  # it was killed before that took hold
    lines = Lines(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what a library prints does not get between the messages
    lines.tell(Beat("start", 0.0))
    progress = Progress()
    threading.Thread(target=_beat, args=(progress, lines), daemon=True).start()
    try:
        _serve(Node(progress), progress, lines)
    except pynvml.NVMLError as error:
        call = progress.now[0] if progress.now else ""
        lines.tell(Failed(call, error.value, str(error)))
    os._exit(0)  # a thread that hangs in a call would hold up a normal end


def _serve(node: Node, progress: Progress, lines: Lines) -> None:
    node.open()
    events.listen(lines.tell, progress)
    progress.idle()
    for line in sys.stdin.buffer:
        lines.tell(node.read(dear=msgspec.json.decode(line, type=Ask).dear))


def _beat(progress: Progress, lines: Lines) -> None:
    """Says, while a call lasts, which one and for how long. ctypes lets other threads run during a call."""
    pause = float(os.environ[BEAT])
    while True:
        time.sleep(pause)
        if (now := progress.now) and (seconds := time.monotonic() - now[2]) >= pause:
            lines.tell(Beat(now[0], round(seconds, 3), now[1]))


if __name__ == "__main__":
    main()
