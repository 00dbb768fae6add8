"""What the kubelet gave to whom, asked of a real gRPC server and of servers that are no kubelet."""

import asyncio
from pathlib import Path

import pytest

from bot.agent.pods.kubelet import DRA_DRIVER, Given, given
from bot.agent.pods.unary import CallError
from bot.agent.pods.wire import WireError
from tests.agent.kubelet_server import kubelet, pod


async def test_what_a_kubelet_gave_out(tmp_path: Path) -> None:
    pods = [
        pod("whole", ("nvidia.com/gpu", ["GPU-1", "GPU-2"]), ("rdma/hca", ["mlx5_0"])),
        pod("cut", ("nvidia.com/mig-1g.18gb", ["MIG-1"])),
        pod("claimed", claims=["gpu-3"]),
        pod("none"),
    ]
    with kubelet(tmp_path, *pods) as socket:
        found = await given(socket, 10)
    assert found == (
        Given("llm/whole", "engine", "nvidia.com/gpu", "GPU-1"),
        Given("llm/whole", "engine", "nvidia.com/gpu", "GPU-2"),
        Given("llm/cut", "engine", "nvidia.com/mig-1g.18gb", "MIG-1"),
        Given("llm/claimed", "engine", DRA_DRIVER, "gpu-3"),
    )


async def test_an_answer_of_megabytes_comes_whole(tmp_path: Path) -> None:
    """A full node in the worst case; the server must not wait for room that it is never given."""
    pods = [
        pod(f"pod-{number}", ("nvidia.com/gpu", [f"GPU-{number:036}::{replica}" for replica in range(100)]))
        for number in range(1000)
    ]
    with kubelet(tmp_path, *pods) as socket:
        found = await given(socket, 30)
    assert len(found) == 100_000
    assert found[-1] == Given("llm/pod-999", "engine", "nvidia.com/gpu", f"GPU-{999:036}::99")


async def test_an_empty_node(tmp_path: Path) -> None:
    with kubelet(tmp_path) as socket:
        assert await given(socket, 10) == ()


async def test_a_refusal_is_told(tmp_path: Path) -> None:
    with kubelet(tmp_path, refuse=True) as socket, pytest.raises(CallError, match="refused"):
        await given(socket, 10)


async def test_no_socket_is_told(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="no such file"):
        await given(f"{tmp_path}/kubelet.sock", 10)


@pytest.mark.parametrize(
    ("bytes_sent", "why"),
    [
        pytest.param(b"", "ended before", id="it hangs up"),
        pytest.param(b"HTTP/1.1 400 Bad Request\r\n\r\n", "ended before", id="not HTTP/2"),
        pytest.param(b"\0\0\x08\x07\0\0\0\0\0" + b"\0" * 8, "refused", id="it goes away"),
        pytest.param(b"\0\0\x04\x03\0\0\0\0\x01" + b"\0" * 4, "refused", id="it resets the stream"),
        pytest.param(b"\0\0\x07\0\x01\0\0\0\x01" + b"\x01\0\0\0\x02{}", "plain message", id="compressed"),
        pytest.param(b"\0\0\x06\0\x01\0\0\0\x01" + b"\0\0\0\0\x09x", "plain message", id="shorter than it says"),
    ],
)
async def test_a_server_that_is_no_kubelet_is_told(tmp_path: Path, bytes_sent: bytes, why: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"/v1.PodResourcesLister/List")
        writer.write(bytes_sent)
        writer.close()

    path = f"{tmp_path}/kubelet.sock"
    async with await asyncio.start_unix_server(serve, path):
        with pytest.raises(CallError, match=why):
            await given(path, 10)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(b"\x0a\x7f", id="a field that is longer than what there is"),
        pytest.param(b"\xff" * 11, id="a number without an end"),
        pytest.param(b"\x0b", id="a wire type that is not in use"),
        pytest.param(b"\x09\0\0", id="a fixed number that is cut off"),
    ],
)
def test_bytes_that_are_no_message(message: bytes) -> None:
    from bot.agent.pods.kubelet import read

    with pytest.raises(WireError):
        read(message)
