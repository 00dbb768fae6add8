"""The controllers as kubectl sees them."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from bot.local.cluster import LocalCluster

KUBECTL = Path(sys.executable).with_name("kubectl")
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: dev, annotations: {kubernetes.io/change-cause: first}}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "web:1"}]}
"""


@pytest.fixture
async def kubectl(tmp_path):
    cluster = LocalCluster(scenario="empty", speed=200)
    await cluster.start()
    (tmp_path / "web.yaml").write_text(WEB)

    async def run(line, expected=0):
        environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig_path), "HOME": str(tmp_path)}
        process = await asyncio.create_subprocess_exec(
            str(KUBECTL), *line.split(), cwd=tmp_path, env=environment, stdout=-1, stderr=-2
        )
        output, _ = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == expected, output.decode()
        return output.decode()

    yield run
    await cluster.stop()


async def test_a_rollout_from_its_start_to_its_undoing(kubectl):
    await kubectl("apply -f web.yaml")
    await kubectl("-n dev wait --for=condition=Available deployment/web --timeout=20s")
    await kubectl("-n dev set image deployment/web main=web:2")
    assert "successfully rolled out" in await kubectl("-n dev rollout status deployment/web --timeout=20s")
    history = await kubectl("-n dev rollout history deployment/web")
    assert [line.split() for line in history.splitlines()[2:4]] == [["1", "first"], ["2", "first"]]
    await kubectl("-n dev rollout undo deployment/web")
    assert "successfully rolled out" in await kubectl("-n dev rollout status deployment/web --timeout=20s")
    images = "jsonpath={.items[*].spec.containers[0].image}"
    assert "web:1" in await kubectl(f"-n dev get pods -l app=web -o {images}")
    assert [line.split()[0] for line in (await kubectl("-n dev rollout history deployment/web")).splitlines()[2:4]] == [
        "2",
        "3",
    ]
    await kubectl("-n dev rollout restart deployment/web")
    assert "successfully rolled out" in await kubectl("-n dev rollout status deployment/web --timeout=20s")
    await kubectl("-n dev scale deployment/web --replicas=1")
    await kubectl("-n dev wait --for=jsonpath={.status.replicas}=1 deployment/web --timeout=20s")


async def test_a_stateful_rollout_can_be_undone(kubectl, tmp_path):
    manifest = WEB.replace("kind: Deployment", "kind: StatefulSet").replace("replicas: 4", "replicas: 2")
    (tmp_path / "web.yaml").write_text(manifest)
    await kubectl("apply -f web.yaml")
    await kubectl("-n dev rollout status statefulset/web --timeout=20s")
    await kubectl("-n dev set image statefulset/web main=web:2")
    await kubectl("-n dev rollout status statefulset/web --timeout=20s")
    await kubectl("-n dev rollout undo statefulset/web")
    await kubectl("-n dev rollout status statefulset/web --timeout=20s")
    image = "jsonpath={.spec.containers[0].image}"
    assert await kubectl(f"-n dev get pod web-0 -o {image}") == "web:1"


async def test_a_drained_node_is_empty_and_its_pods_are_elsewhere(kubectl):
    await kubectl("apply -f web.yaml")
    await kubectl("-n dev rollout status deployment/web --timeout=20s")
    await kubectl("drain cpu-1 --ignore-daemonsets --timeout=20s")
    taint = await kubectl("get node cpu-1 -o jsonpath={.spec.taints[*].key}")
    assert taint == "node.kubernetes.io/unschedulable"
    assert await kubectl("get pods -A --field-selector=spec.nodeName=cpu-1 -o name") == ""
    await kubectl("uncordon cpu-1")
    await kubectl("-n dev rollout status deployment/web --timeout=20s")
    assert await kubectl("get node cpu-1 -o jsonpath={.spec.taints}") == ""
