"""Run one command from a small process, so that its peak memory is its own.

    python -S -E tests/bench/launcher.py DESCRIPTOR COMMAND...

Linux counts what a process inherited when it was forked, so a child of a large process never seems small. Seconds of
wall and CPU, peak memory in KiB and the exit status are written to the descriptor as one line.
"""

import os
import sys
import time


def main() -> None:
    report, command = int(sys.argv[1]), sys.argv[2:]
    started = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    peak_kib = used.ru_maxrss if sys.platform != "darwin" else used.ru_maxrss // 1024
    line = f"{wall} {used.ru_utime + used.ru_stime} {peak_kib} {os.waitstatus_to_exitcode(status)}"
    os.write(report, line.encode())


if __name__ == "__main__":
    main()
