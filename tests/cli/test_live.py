"""`gpubot ask` and `gpubot capture` on a cluster that speaks the Kubernetes API."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.local.cluster.api import ApiServer
from bot.local.cluster.api.access import User
from bot.local.cluster.store import RESOURCES, Store
from tests.cli.conftest import Ran

Gpubot = Callable[..., Ran]
FORBIDDEN = {"cannot-pods": {"pods"}, "cannot-nodes": {"nodes"}, "cannot-slices": {"resourceslices"}}


def allow(user: User, verb: str, group: str, resource: str, namespace: str) -> bool:
    return resource not in FORBIDDEN.get(user.name, set())


def node(name: str) -> dict[str, Any]:
    room = {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": "NVIDIA-H200"}},
        "spec": {},
        "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def pod(name: str, gpus: int) -> dict[str, Any]:
    asks = {"nvidia.com/gpu": str(gpus)}
    container = {
        "name": "vllm",
        "image": "vllm:1",
        "env": [{"name": "HF_TOKEN", "value": "hf_abcdefghijklmnopqrstuvwxyz012345"}],
        "resources": {"limits": asks, "requests": asks},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "llm", "labels": {"team": "serving"}},
        "spec": {"nodeName": "gpu-1", "containers": [container]},
        "status": {"phase": "Running"},
    }


@pytest.fixture
def server() -> Iterator[ApiServer]:
    """The embedded API server on a thread of its own: the commands bring their own event loop."""
    store = Store(clock=lambda: datetime.now(UTC))
    store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "llm"}})
    for name in ("gpu-1", "gpu-2"):
        store.create(RESOURCES["", "nodes"], "", node(name))
    store.create(RESOURCES["", "pods"], "llm", pod("glm-0", 3))
    tokens = {name: User(name) for name in ("admin", *FORBIDDEN)}
    api = ApiServer(store, tokens=tokens, allow=allow)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(api.start(), loop).result(10)
    yield api
    asyncio.run_coroutine_threadsafe(api.stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def kubeconfig(server: ApiServer, tmp_path: Path) -> Callable[[str], str]:
    def write(token: str) -> str:
        path = tmp_path / f"kc-{token}"
        server.write_kubeconfig(path, token)
        return str(path)

    return write


def test_a_live_cluster_is_asked(gpubot: Gpubot, kubeconfig: Callable[[str], str]) -> None:
    ran = gpubot("ask", "--kubeconfig", kubeconfig("admin"), "gpu status")
    assert ran.status == 0
    assert ran.out.startswith("H200: 13 of 16 free, at most 8 together (on gpu-2).")


@pytest.mark.parametrize("refusal", [429, 503, 504])
def test_a_server_that_asks_for_another_try_gets_one(
    gpubot: Gpubot, server: ApiServer, kubeconfig: Callable[[str], str], refusal: int
) -> None:
    server.fail("/api/v1/pods", refusal, times=1)
    assert gpubot("ask", "--kubeconfig", kubeconfig("admin"), "gpu status").status == 0


@pytest.mark.parametrize(
    ("who", "status", "says"),
    [
        ("cannot-pods", 2, "How many are free cannot be told: pods could not be read (needs `list pods`"),
        ("cannot-nodes", 2, "How many GPUs there are cannot be told: the nodes could not be read (needs `list nodes`"),
        ("cannot-slices", 0, "resourceslices (devices handed out by claims (DRA)): needs `list resourceslices"),
    ],
)
def test_a_missing_permission_is_named_and_never_a_zero(
    gpubot: Gpubot, kubeconfig: Callable[[str], str], who: str, status: int, says: str
) -> None:
    ran = gpubot("ask", "--kubeconfig", kubeconfig(who), "gpu status")
    assert ran.status == status
    assert says in ran.out


def test_a_token_that_is_not_accepted_is_one_sentence(gpubot: Gpubot, kubeconfig: Callable[[str], str]) -> None:
    ran = gpubot("ask", "--kubeconfig", kubeconfig("expired"), "gpu status")
    assert ran.status == 2
    assert "401" in ran.err or "credentials" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def numbers(ran: Ran) -> Any:
    answer = json.loads(ran.out)
    return answer["numbers"], answer["cause"]["id"], sorted(answer["unknown"])


@pytest.mark.parametrize("rename", [[], ["--rename"]], ids=["with its names", "renamed"])
def test_a_capture_gives_the_answer_of_the_live_cluster(
    gpubot: Gpubot, kubeconfig: Callable[[str], str], tmp_path: Path, rename: list[str]
) -> None:
    live = gpubot("ask", "--json", "--kubeconfig", kubeconfig("admin"), "gpu status --by team")
    taken = gpubot("capture", str(tmp_path / "taken"), "--kubeconfig", kubeconfig("admin"), *rename)
    assert taken.status == 0, taken.err
    again = gpubot("ask", "--json", "--from", str(tmp_path / "taken"), "gpu status --by team")
    theirs, ours = numbers(live), numbers(again)
    if rename:  # the node with the most free GPUs has another name there
        for found in (theirs[0], ours[0]):
            found["H200"].pop("largest_on")
    assert ours == theirs
    everything = b"".join(file.read_bytes() for file in (tmp_path / "taken").rglob("*") if file.is_file())
    assert b"hf_abcdefghijklmnopqrstuvwxyz012345" not in everything
    assert (b"glm-0" in everything) is not bool(rename)


def test_a_folder_with_something_in_it_is_not_written_over(
    gpubot: Gpubot, kubeconfig: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    ran = gpubot("capture", str(tmp_path / "full"), "--kubeconfig", kubeconfig("admin"))
    assert ran.status == 3
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "full").iterdir()) == ["mine.txt"]
