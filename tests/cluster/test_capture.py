"""A capture of the real cluster answers as the cluster does, and no secret is in any byte of it."""

from __future__ import annotations

import asyncio
import base64
import random
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.objects import gpu_pod
from tests.cluster.probing import fleet
from tests.cluster.sandbox import Sandbox
from tests.cluster.terminal import gpubot

ASK = ("ask", "--json", "gpu status")
SECRETS = {
    "in an environment variable": "Sup3rS3cretPassw0rdOfTheDatabase",
    "in a Secret": "AnotherVeryPrivateValue4711",
    "in a Secret's stringData": "StringDataIsPrivateToo0815",
    "in an argument": "hf_abcdefghijklmnopqrstuvwxyz012345",
    "in a command line": "sk-proj-0123456789abcdefghijklmnopqrst",
    "in an annotation": "xoxb-1234567890-abcdefghijklmnop",
    "in a ConfigMap": "ConfigMapsHoldTokensNowAndThen42",
    "in a URL": "PasswordInsideTheUrl99",
}
SEE_NO_NODES = [{"apiGroups": ["*"], "resources": ["pods", "namespaces", "jobs"], "verbs": ["list"]}]


@pytest.mark.parametrize("rename", [
    pytest.param((), id="as it is"), pytest.param(("--rename",), id="with other names"),
])  # fmt: skip
async def test_a_capture_answers_with_the_numbers_of_the_live_cluster(
    rename: tuple[str, ...], control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    async with fleet(cluster, random.Random(7)):
        folder = tmp_path / "captured"
        live = await gpubot(*ASK, "--kubeconfig", control_plane.kubeconfig, home=tmp_path)
        taken = await gpubot("capture", folder, "--kubeconfig", control_plane.kubeconfig, *rename, home=tmp_path)
        assert (live.status, taken.status, taken.errors) == (0, 0, "")
        copy = await gpubot(*ASK, "--from", folder, home=tmp_path)
        assert (copy.status, copy.errors) == (0, "")
        assert _numbers(copy.answer, named=not rename) == _numbers(live.answer, named=not rename)


def _numbers(answer: dict[str, dict[str, dict[str, object]]], *, named: bool) -> dict[str, dict[str, object]]:
    """Without the name of the node with the most free GPUs where names were replaced."""
    numbers = answer["numbers"]
    assert numbers
    hidden = set() if named else {"largest_on"}
    return {kind: {key: value for key, value in each.items() if key not in hidden} for kind, each in numbers.items()}


@pytest.mark.parametrize("rename", [
    pytest.param((), id="as it is"), pytest.param(("--rename",), id="with other names"),
])  # fmt: skip
async def test_no_secret_is_in_any_byte_of_a_capture(
    rename: tuple[str, ...], control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    await _plant(cluster.api, cluster)
    folder = tmp_path / "captured"
    taken = await gpubot("capture", folder, "--kubeconfig", control_plane.kubeconfig, *rename, home=tmp_path)
    assert (taken.status, taken.errors) == (0, "")
    files = [file for file in folder.rglob("*") if file.is_file()]
    everything = b"".join(file.read_bytes() for file in files)
    assert b"kind: Pod" in everything or b'kind: "Pod"' in everything
    for place, secret in SECRETS.items():
        assert secret.encode() not in everything, place
        assert base64.b64encode(secret.encode()) not in everything, place
    for name in (cluster.namespace, "planted"):
        assert (name.encode() in everything) is not bool(rename), name


async def _plant(api: Api, cluster: Sandbox) -> None:
    told = iter(SECRETS.values())
    container = {
        "name": "engine",
        "image": "registry.example.com/engine:1",
        "env": [{"name": "DATABASE_PASSWORD", "value": next(told)}],
    }
    secret = {"metadata": {"name": "private"}, "data": {"value": base64.b64encode(next(told).encode()).decode()}}
    also = {"metadata": {"name": "private-too"}, "stringData": {"value": next(told)}}
    container["args"] = ["--hf-token", next(told)]
    container["command"] = ["sh", "-c", f"export API_KEY={next(told)} && serve"]
    annotations = {"example.com/slack-token": next(told)}
    settings = {"metadata": {"name": "settings"}, "data": {"token": next(told)}}
    container["env"] += [{"name": "UPSTREAM", "value": f"https://user:{next(told)}@db.example.com/x"}]
    own = f"/api/v1/namespaces/{cluster.namespace}"
    for kind, body in (("secrets", secret), ("secrets", also), ("configmaps", settings)):
        await api.request("POST", f"{own}/{kind}", body)
    await cluster.add_pods(gpu_pod("planted", annotations=annotations, spec={"containers": [container]}))


async def test_what_may_not_be_read_is_told_and_is_unknown_in_the_copy(
    control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    async with fleet(cluster, random.Random(8)):
        token = await asyncio.to_thread(control_plane.access.add_user, "sees-no-nodes", SEE_NO_NODES)
        folder = tmp_path / "captured"
        taken = await gpubot("capture", folder, "--kubeconfig", control_plane.access.with_token(token), home=tmp_path)
        assert taken.status == 2
        assert "not in it: Node (" in taken.out
        copy = await gpubot(*ASK, "--from", folder, home=tmp_path)
        assert (copy.status, copy.answer["cause"]["id"]) == (2, "gpu.unknown.nodes")
