"""A list and watch server that has everything ready, in a process of its own: what it costs is one write a page.

    python -m tests.bench.page_server NODES PODS      prints its port, then serves until its standard input closes

`?limit=` is taken to be 500. A watch of pods sends `?events=` changes of pods as fast as they are read, then ends.
"""

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.bench import objects

PAGE = 500
VERSION = 2_000_000


def pages(made: Iterator[bytes], total: int) -> list[bytes]:
    """The whole list as ready bodies."""
    items = list(made)
    return [_page(items[start : start + PAGE], start + PAGE, total) for start in range(0, max(total, 1), PAGE)]


def event(number: int, nodes: int) -> bytes:
    """A change of one pod as a line of a watch: each has a version of its own, so that nothing can be skipped."""
    body = objects.pod(number, nodes)
    return b'{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",' + body[1:] + b"}\n"


@contextmanager
def served(nodes: int, pods: int) -> Iterator[str]:
    """The address of such a server, for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.bench.page_server", str(nodes), str(pods)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def _page(items: list[bytes], until: int, total: int) -> bytes:
    more = f',"continue":"{until}","remainingItemCount":{total - until}' if until < total else ""
    head = f'{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"{VERSION}"{more}}},"items":['
    return head.encode() + b",".join(items) + b"]}\n"


def _serve(connection: socket.socket, bodies: dict[str, list[bytes]], nodes: int) -> None:
    received = b""
    with connection, suppress(ConnectionError):
        while True:
            while b"\r\n\r\n" not in received:
                got = connection.recv(65536)
                if not got:
                    return
                received += got
            request, _, received = received.partition(b"\r\n\r\n")
            target = request.split(b" ", 2)[1].decode()
            if "watch=" in target:
                _watch(connection, target, nodes)
                return
            _send(connection, _body(target, bodies))


def _body(target: str, bodies: dict[str, list[bytes]]) -> bytes:
    path, _, query = target.partition("?")
    found = re.search(r"continue=(\d+)", query)
    return bodies.get(path.rpartition("/")[2], [_page([], 0, 0)])[int(found[1]) // PAGE if found else 0]


def _send(connection: socket.socket, body: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode())
    connection.sendall(body)


def _watch(connection: socket.socket, target: str, nodes: int) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    found = re.search(r"events=(\d+)", target)
    for number in range(int(found[1]) if found else 0):
        line = event(number, nodes)
        connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
    if found:
        connection.sendall(b"0\r\n\r\n")
    else:
        connection.recv(1)  # until the client goes


def main() -> None:
    nodes, pods = int(sys.argv[1]), int(sys.argv[2])
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {1})
    bodies = {
        "nodes": pages((objects.node(number) for number in range(nodes)), nodes),
        "pods": pages((objects.pod(number, nodes) for number in range(pods)), pods),
    }
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        print(listening.getsockname()[1], flush=True)
        while True:
            connection, _ = listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=_serve, args=(connection, bodies, nodes), daemon=True).start()


if __name__ == "__main__":
    main()
