"""The real kubectl against the local API server: what people type must work, and take effect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.local.cluster.store import RESOURCES, Store
from tests.local.cluster.api_objects import DEPLOYMENTS, NODES, PODS, Json, Kubectl, definition, deployment, pod

EVENTS = RESOURCES["", "events"]


@pytest.fixture(autouse=True)
def objects(store: Store) -> None:
    uid = store.create(PODS, "default", pod("kp", {"app": "kp"}, "gpu-0"))["metadata"]["uid"]
    store.create(DEPLOYMENTS, "default", deployment("kd"))
    event = {"involvedObject": {"kind": "Pod", "name": "kp", "namespace": "default", "uid": uid}, "reason": "Pulled"}
    store.create(EVENTS, "default", {"metadata": {"name": "e"}, "type": "Normal", "message": "image is here", **event})


def run(line: str, *expected: str, name: str = "") -> Any:
    return pytest.param(line.split(), expected, id=name or line)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        run("get nodes", "gpu-0", "Ready", "v1.36.3"),
        run("get nodes -o wide", "10.0.0.1", "INTERNAL-IP"),
        run("get pods -A", "NAMESPACE", "READY", "STATUS", "RESTARTS", "kp"),
        run("get pods -l app=kp -o name", "pod/kp\n"),
        run("get pod kp -o json", '"kind": "Pod"'),
        run("get deploy kd -o yaml", "kind: Deployment"),
        run("get deploy,pods", "deployment.apps/kd", "pod/kp"),
        run("get all", "pod/kp", "deployment.apps/kd"),
        run("get deploy -o wide", "CONTAINERS", "vllm:1", "app=kd"),
        run("get events", "Pulled", "pod/kp", "image is here"),
        run("describe pod kp", "gpu-0", "nvidia.com/gpu", "image is here"),
        run("describe node gpu-0", "nvidia.com/gpu", "kp"),
        run("describe deploy kd", "RollingUpdateStrategy", "25% max unavailable"),
        run("logs kp -c main", "kp/main starts"),
        run("events", "Pulled"),
        run("auth can-i list pods", "yes"),
        run("auth whoami", "system:admin"),
        run("api-resources", "deployments", "deploy", "apps/v1"),
        run("explain pod.spec.containers", "List of containers", "<[]Container>"),
        run("explain deployment.spec.strategy", "<DeploymentStrategy>", "rollingUpdate"),
        run("top nodes", "gpu-0"),
        run("version", "Server Version: v1.36.3"),
        run("set image deploy/kd main=vllm:2", "image updated"),
        run("label pod kp x=y", "labeled"),
        run("annotate pod kp x=y", "annotated"),
        run("delete pod kp --timeout=5s", "deleted"),
        run("delete deploy kd --cascade=foreground", "deleted"),
        run("wait --for=jsonpath={.status.phase}=Running pod/kp --timeout=5s", "condition met"),
    ],
)
async def test_it_answers(kubectl: Kubectl, arguments: list[str], expected: tuple[str, ...]) -> None:
    ran = await kubectl(*arguments)
    assert ran.code == 0, ran.err
    for words in expected:
        assert words in ran.out


def replicas(store: Store) -> int:
    return int(store.get(DEPLOYMENTS, "default", "kd")["spec"]["replicas"])


def image(store: Store) -> str:
    return str(store.get(DEPLOYMENTS, "default", "kd")["spec"]["template"]["spec"]["containers"][0]["image"])


PATCH = '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"vllm:3"}]}}}}'


@pytest.mark.parametrize(
    ("arguments", "read", "value"),
    [
        pytest.param(["scale", "deploy/kd", "--replicas=4"], replicas, 4, id="scale"),
        pytest.param(["patch", "deploy", "kd", "-p", PATCH], image, "vllm:3", id="strategic patch"),
        pytest.param(
            ["patch", "deploy", "kd", "--type=json", '-p=[{"op":"replace","path":"/spec/replicas","value":7}]'],
            replicas,
            7,
            id="JSON patch",
        ),
        pytest.param(
            ["cordon", "gpu-0"], lambda s: s.get(NODES, "", "gpu-0")["spec"].get("unschedulable"), True, id="cordon"
        ),
        pytest.param(
            ["taint", "node", "gpu-0", "a=b:NoSchedule"],
            lambda s: s.get(NODES, "", "gpu-0")["spec"]["taints"],
            [{"effect": "NoSchedule", "key": "a", "value": "b"}],
            id="taint",
        ),
        pytest.param(
            ["drain", "gpu-0", "--force", "--timeout=5s"], lambda s: len(s.list(PODS, "default")), 0, id="drain"
        ),
    ],
)
async def test_it_takes_effect(
    kubectl: Kubectl, store: Store, arguments: list[str], read: Callable[[Store], Any], value: Any
) -> None:
    ran = await kubectl(*arguments)
    assert ran.code == 0, ran.err
    assert read(store) == value


async def test_files_are_created_applied_changed_and_compared(kubectl: Kubectl, store: Store) -> None:
    assert (await kubectl("create", "-f", "-", given=deployment("new"))).out == "deployment.apps/new created\n"
    assert (await kubectl("apply", "-f", "-", given=deployment("ka"))).out == "deployment.apps/ka created\n"
    changed = deployment("ka", 3)
    compared = await kubectl("diff", "-f", "-", given=changed)
    assert (compared.code, "+  replicas: 3" in compared.out) == (1, True)
    assert (await kubectl("apply", "-f", "-", given=changed)).out == "deployment.apps/ka configured\n"
    assert (await kubectl("apply", "-f", "-", given=changed)).out == "deployment.apps/ka unchanged\n"
    assert store.get(DEPLOYMENTS, "default", "ka")["spec"]["replicas"] == 3


async def test_a_dry_run_of_the_server_leaves_nothing(kubectl: Kubectl) -> None:
    ran = await kubectl("apply", "--dry-run=server", "-f", "-", given=deployment("dry"))
    assert ran.out == "deployment.apps/dry created (server dry run)\n"
    gone = await kubectl("get", "deploy", "dry")
    assert (gone.code, 'Error from server (NotFound): deployments.apps "dry" not found' in gone.err) == (1, True)


async def test_server_side_apply_names_the_manager_it_conflicts_with(kubectl: Kubectl) -> None:
    ran = await kubectl("apply", "--server-side", "--field-manager=gitops", "-f", "-", given=deployment("ss"))
    assert ran.out == "deployment.apps/ss serverside-applied\n"
    await kubectl("scale", "deploy/ss", "--replicas=9")
    again = await kubectl("apply", "--server-side", "--field-manager=gitops", "-f", "-", given=deployment("ss"))
    assert again.code == 1
    assert 'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas' in again.err
    forced = ["apply", "--server-side", "--force-conflicts", "--field-manager=gitops", "-f", "-"]
    assert (await kubectl(*forced, given=deployment("ss"))).code == 0


async def test_a_misspelt_field_is_refused(kubectl: Kubectl) -> None:
    bad: Json = deployment("bad")
    bad["spec"]["replikas"] = 3
    ran = await kubectl("apply", "-f", "-", given=bad)
    assert (ran.code, 'unknown field "spec.replikas"' in ran.err) == (1, True)


async def test_a_watch_streams(kubectl: Kubectl, store: Store) -> None:
    process = await kubectl.start("get", "pods", "-w", "-o", "name")
    assert process.stdout
    async with asyncio.timeout(10):
        assert await process.stdout.readline() == b"pod/kp\n"
        store.create(PODS, "default", pod("kw"))
        assert await process.stdout.readline() == b"pod/kw\n"
    process.terminate()
    await process.communicate()


async def test_custom_kinds_are_found_by_their_short_name(kubectl: Kubectl) -> None:
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **definition()}
    assert (await kubectl("apply", "-f", "-", given=crd)).code == 0
    job = {"apiVersion": "ml.example.com/v1", "kind": "TrainJob", "metadata": {"name": "t"}, "spec": {"workers": 1}}
    assert (await kubectl("apply", "-f", "-", given=job)).code == 0
    assert "PHASE" in (await kubectl("get", "tj")).out
