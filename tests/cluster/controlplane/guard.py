"""Become another program that the kernel ends when the process that started it is gone, however that happened.

    python guard.py PARENT_PID PROGRAM ARGUMENT...

Run as a small program of its own, because a hook between fork and exec is not safe in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""prctl(2); the wish survives execve, and counts for the thread that started us."""


def main() -> None:
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:  # it died before the wish was heard
        sys.exit(1)
    os.execv(program[0], program)


if __name__ == "__main__":
    main()
