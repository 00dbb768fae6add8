"""`gpubot ask` as a process of its own against the real API server: numbers, exit statuses, sentences."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.fleet import PRODUCT, PRODUCTS
from tests.cluster.objects import gpu_node, gpu_pod
from tests.cluster.probing import fleet
from tests.cluster.sandbox import Sandbox
from tests.cluster.terminal import gpubot
from tests.cluster.test_gpu_status import ask, sums

H200, _ = PRODUCTS
STATUS = ("ask", "--json", "gpu status")
SEE_ALL_BUT_PODS: list[dict[str, Any]] = [
    {"apiGroups": ["", "apps", "batch", "resource.k8s.io"], "verbs": ["list", "watch"], "resources": [
        "nodes", "namespaces", "replicasets", "jobs", "resourceslices", "resourceclaims",
    ]},
]  # fmt: skip


async def test_json_has_the_numbers_that_the_scheduler_agreed_to(
    control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    async with fleet(cluster, random.Random(1)):
        outcome = await gpubot("ask", "--kubeconfig", control_plane.kubeconfig, *STATUS[1:], home=tmp_path)
        assert (outcome.status, outcome.errors) == (0, "")
        told = await ask(control_plane)
        for product in PRODUCTS:
            expected = sums(told, product)
            numbers = outcome.answer["numbers"][product.removeprefix("NVIDIA-")]
            assert {name: numbers[name] for name in expected} == expected


async def test_the_text_says_the_same_as_the_json(
    control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    await _four_of_eight(cluster)
    answers = [
        await gpubot("ask", "--kubeconfig", control_plane.kubeconfig, *form, "gpu status", home=tmp_path)
        for form in ([], ["--json"])
    ]
    assert [outcome.status for outcome in answers] == [0, 0]
    assert answers[0].out.startswith("H200: 4 of 8 free")
    assert answers[1].answer["cause"]["sentence"].startswith("H200: 4 of 8 free")


async def test_kubeconfig_is_found_as_kubectl_finds_it(
    control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    await _four_of_eight(cluster)
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_bytes(control_plane.kubeconfig.read_bytes())
    assert (await gpubot(*STATUS, home=tmp_path)).answer["numbers"]["H200"]["free"] == 4


async def test_who_may_not_list_pods_is_told_so_and_gets_no_free_gpus(
    control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    await _four_of_eight(cluster)
    token = await asyncio.to_thread(control_plane.access.add_user, "sees-no-pods", SEE_ALL_BUT_PODS)
    kubeconfig = control_plane.access.with_token(token)
    outcome = await gpubot("ask", "--kubeconfig", kubeconfig, *STATUS[1:], home=tmp_path)
    assert outcome.status == 2
    answer = outcome.answer
    assert (answer["cause"]["id"], answer["told"]) == ("gpu.unknown.pods", False)
    assert answer["numbers"]["H200"]["total"] == 8
    assert "free" not in answer["numbers"]["H200"]
    assert "list pods" in " ".join(answer["unknown"])


@pytest.mark.parametrize(("line", "sentence"), [
    pytest.param("gpu status product=B300", "No GPU product here is called 'B300'", id="a product that is not there"),
    pytest.param("gpu status @nowhere", "@nowhere is not open here", id="a cluster that is not open"),
    pytest.param("gpu sttaus", "did you mean", id="a command with a slip of the finger"),
])  # fmt: skip
async def test_a_wrong_line_ends_with_status_3_and_one_sentence(
    line: str, sentence: str, control_plane: ControlPlane, cluster: Sandbox, tmp_path: Path
) -> None:
    await _four_of_eight(cluster)
    outcome = await gpubot("ask", "--kubeconfig", control_plane.kubeconfig, "--json", line, home=tmp_path)
    assert (outcome.status, outcome.out) == (3, "")
    assert sentence in outcome.errors
    assert outcome.errors.count("\n") == 1


async def test_a_wrong_token_ends_with_status_2_and_one_sentence(control_plane: ControlPlane, tmp_path: Path) -> None:
    kubeconfig = control_plane.access.with_token("forged")
    outcome = await gpubot("ask", "--kubeconfig", kubeconfig, *STATUS[1:], home=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert "does not accept the credentials (401)" in outcome.errors
    assert "forged" not in outcome.errors
    assert outcome.errors.count("\n") == 1


async def test_a_kubeconfig_that_is_not_there_ends_with_status_3(tmp_path: Path) -> None:
    outcome = await gpubot("ask", "--kubeconfig", tmp_path / "none", *STATUS[1:], home=tmp_path)
    assert (outcome.status, outcome.out) == (3, "")
    assert "There is no kubeconfig at ~/none" in outcome.errors


async def _four_of_eight(cluster: Sandbox) -> None:
    await cluster.add_nodes(gpu_node("eight", gpus=8, labels={PRODUCT: H200}))
    await cluster.add_pods(gpu_pod("four", gpus=4))
    await cluster.scheduled("four")
