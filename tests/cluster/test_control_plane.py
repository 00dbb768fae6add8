"""The control plane itself: other tests lean on what is shown here."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.api import Api, ApiError, Object
from tests.cluster.controlplane import build as builder
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.objects import gpu_node, gpu_pod
from tests.cluster.sandbox import Sandbox, sandbox

READ_PODS = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]


async def kubectl(kubeconfig: Path, *arguments: str) -> str:
    """The real kubectl, with nothing of the user's home."""
    program = Path(sys.executable).with_name("kubectl")
    environment = {"PATH": os.environ["PATH"], "HOME": str(kubeconfig.parent), "KUBECONFIG": str(kubeconfig)}
    process = await asyncio.create_subprocess_exec(
        program, *arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return out.decode()


async def test_the_real_scheduler_binds_a_pod_to_the_node_with_gpus(cluster: Sandbox) -> None:
    await cluster.add_nodes(gpu_node("plain", gpus=0), gpu_node("with-gpus", gpus=4))
    await cluster.add_pods(gpu_pod("fits", gpus=4))
    assert await cluster.scheduled("fits") == {"fits": "with-gpus"}


async def test_the_real_scheduler_says_why_a_pod_fits_nowhere(cluster: Sandbox) -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    await cluster.add_nodes(gpu_node("small", gpus=4), gpu_node("tainted", gpus=8, taints=[taint]))
    await cluster.add_pods(gpu_pod("too-big", gpus=8))
    message = (await cluster.unschedulable("too-big"))["too-big"]
    assert message == (
        "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint(s). "
        "no new claims to deallocate, preemption: 0/2 nodes are available: "
        "2 Preemption is not helpful for scheduling."
    )


async def test_two_hundred_pods_are_made_and_placed(cluster: Sandbox) -> None:
    await cluster.add_nodes(*(gpu_node(f"node-{number}") for number in range(25)))
    names = [f"pod-{number}" for number in range(200)]
    await cluster.add_pods(*(gpu_pod(name) for name in names))
    placed = await cluster.scheduled(*names)
    assert {list(placed.values()).count(node) for node in placed.values()} == {8}


async def test_a_test_leaves_no_node_behind(api: Api) -> None:
    async with sandbox(api, "left-behind") as made:
        await made.add_nodes(gpu_node("gone-afterwards"))
        await made.add_pods(gpu_pod("gone-too"))
        await made.scheduled("gone-too")
    nodes = await api.request("GET", "/api/v1/nodes")
    pods = await api.request("GET", "/api/v1/namespaces/left-behind/pods")
    assert (nodes["items"], pods["items"]) == ([], [])


async def test_kubectl_is_the_administrator_in_every_usual_way(control_plane: ControlPlane) -> None:
    kubeconfigs = await asyncio.to_thread(control_plane.access.administrators)
    for way, kubeconfig in kubeconfigs.items():
        assert await kubectl(kubeconfig, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}") == "admin", way
        assert "namespace/kube-system" in await kubectl(kubeconfig, "get", "namespaces", "-o", "name"), way


async def test_a_user_gets_403_for_all_but_its_rights(control_plane: ControlPlane) -> None:
    token = await asyncio.to_thread(control_plane.access.add_user, "pod-reader", READ_PODS)
    async with Api(control_plane.server, token) as api:
        assert (await api.request("GET", "/api/v1/pods"))["kind"] == "PodList"
        with pytest.raises(ApiError, match=r"pod-reader.*cannot list resource .*nodes") as refused:
            await api.request("GET", "/api/v1/nodes")
    assert refused.value.status == 403


async def test_a_wrong_token_gets_401(control_plane: ControlPlane) -> None:
    async with Api(control_plane.server, "forged") as api:
        with pytest.raises(ApiError, match="Unauthorized") as refused:
            await api.request("GET", "/api/v1/nodes")
    assert refused.value.status == 401


@pytest.mark.parametrize("disturb", [
    pytest.param(lambda plane: plane.restart_apiserver(), id="restarted in order"),
    pytest.param(lambda plane: (plane.kill_apiserver(), plane.start_apiserver()), id="killed"),
])  # fmt: skip
async def test_data_and_scheduler_outlive_an_api_server_that_was(
    disturb: Callable[[ControlPlane], object], control_plane: ControlPlane, cluster: Sandbox
) -> None:
    await cluster.add_nodes(gpu_node("kept"))
    await cluster.add_pods(gpu_pod("before"))
    await cluster.scheduled("before")
    await asyncio.to_thread(disturb, control_plane)
    await cluster.add_pods(gpu_pod("after"))
    assert await cluster.scheduled("before", "after") == {"before": "kept", "after": "kept"}


async def test_a_running_watch_ends_when_the_api_server_restarts(control_plane: ControlPlane, api: Api) -> None:
    watch = api.watch("/api/v1/namespaces")
    first = await anext(watch)
    assert first["type"] == "ADDED"
    await asyncio.to_thread(control_plane.restart_apiserver)
    async with asyncio.timeout(10):
        rest = [event["type"] async for event in watch]
    assert "ERROR" not in rest


async def test_old_watches_and_pages_are_gone_once_history_is_forgotten(control_plane: ControlPlane, api: Api) -> None:
    page = await api.request("GET", "/api/v1/namespaces", limit="1")
    version, token = page["metadata"]["resourceVersion"], page["metadata"]["continue"]
    await asyncio.to_thread(control_plane.forget_history)
    event = await anext(api.watch("/api/v1/pods", resourceVersion=version))
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
    with pytest.raises(ApiError) as gone:
        await api.request("GET", "/api/v1/namespaces", **{"limit": "1", "continue": token})
    assert gone.value.status == 410


async def test_kwok_plays_the_kubelet(new_control_plane: Callable[..., ControlPlane]) -> None:
    plane = await asyncio.to_thread(new_control_plane, "etcd", "apiserver", "scheduler", "kwok")
    pull_fails = {"test.gpubot.dev/pull": "fail"}
    async with Api(plane.server, "admin") as api, sandbox(api, "kwok") as made:
        await made.add_nodes(gpu_node("played"))
        await made.add_pods(gpu_pod("starts"), gpu_pod("no-image", annotations=pull_fails))
        pods = await api.until(made.pods_path, lambda pods: {_state(pod) for pod in pods.values()} == {
            "Running", "ImagePullBackOff",
        }, timeout_seconds=60)  # fmt: skip
    assert {name: _state(pod) for name, pod in pods.items()} == {"starts": "Running", "no-image": "ImagePullBackOff"}


def _state(pod: Object) -> object:
    for container in pod["status"].get("containerStatuses", []):
        if waiting := container["state"].get("waiting"):
            return waiting["reason"]
    return pod["status"]["phase"]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal is Linux's own")
def test_nothing_outlives_a_run_that_was_killed(binaries: Path) -> None:
    script = (
        "import sys, pathlib; from tests.cluster.controlplane.launch import ControlPlane\n"
        f"plane = ControlPlane(pathlib.Path({str(binaries)!r})); plane.start(['etcd'])\n"
        "print(plane.children.pid('etcd'), plane.folder, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pid, folder = run.stdout.readline().split()
        child = os.pidfd_open(int(pid))
        run.send_signal(signal.SIGKILL)
    _wait_for_end(child)
    subprocess.run(["rm", "-r", folder])


def _wait_for_end(process_handle: int) -> None:
    ready, _, _ = select.select([process_handle], [], [], 10)
    os.close(process_handle)
    assert ready, "the process still runs"


def test_without_go_one_sentence_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(builder.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = builder.why_not()
    assert reason is not None
    assert reason.startswith("the control plane is not built and there is no Go to build it: install Go")
    with pytest.raises(builder.CannotBuildError, match="install Go"):
        builder.build()
