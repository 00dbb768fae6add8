"""Client libraries against the local API server, unchanged: the official one and lightkube."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import Store
from tests.local.cluster.api_objects import DEPLOYMENTS, PODS, deployment, pod


def official(url: str) -> Any:
    from kubernetes import client

    configuration = client.Configuration()
    configuration.host = url
    return client.ApiClient(configuration)


async def test_the_official_client_creates_scales_patches_and_lists(server: ApiServer, store: Store) -> None:
    from kubernetes import client

    def use() -> list[str]:
        with official(server.url) as api:
            apps, core = client.AppsV1Api(api), client.CoreV1Api(api)
            apps.create_namespaced_deployment("default", deployment("web"))
            apps.patch_namespaced_deployment_scale("web", "default", {"spec": {"replicas": 7}})
            core.create_namespaced_pod("default", pod("p"))
            core.patch_namespaced_pod("p", "default", {"metadata": {"labels": {"x": "y"}}})
            return [item.metadata.name for item in core.list_namespaced_pod("default", label_selector="x=y").items]

    assert await asyncio.to_thread(use) == ["p"]
    assert store.get(DEPLOYMENTS, "default", "web")["spec"]["replicas"] == 7


async def test_the_official_client_watches(server: ApiServer, store: Store) -> None:
    from kubernetes import client, watch

    version = str(store.version)
    store.create(PODS, "default", pod("seen"))

    def use() -> tuple[str, str]:
        with official(server.url) as api:
            listing = client.CoreV1Api(api).list_namespaced_pod
            event = next(watch.Watch().stream(listing, "default", resource_version=version, timeout_seconds=3))
            return event["type"], event["object"].metadata.name

    assert await asyncio.to_thread(use) == ("ADDED", "seen")


async def test_the_official_client_sees_expiry_as_410(server: ApiServer) -> None:
    from kubernetes import client, watch

    def use() -> None:
        with official(server.url) as api:
            listing = client.CoreV1Api(api).list_namespaced_pod
            next(watch.Watch().stream(listing, "default", resource_version="1", timeout_seconds=3))

    with pytest.raises(client.ApiException) as caught:
        await asyncio.to_thread(use)
    assert caught.value.status == 410


async def test_the_dynamic_client_applies(server: ApiServer, store: Store) -> None:
    from kubernetes import dynamic

    def use() -> None:
        with official(server.url) as api:
            kinds = dynamic.DynamicClient(api).resources.get(api_version="apps/v1", kind="Deployment")
            body = deployment("dyn", 3)
            kinds.server_side_apply(namespace="default", body=body, name="dyn", field_manager="gpubot")

    await asyncio.to_thread(use)
    stored = store.get(DEPLOYMENTS, "default", "dyn")
    assert stored["spec"]["replicas"] == 3
    assert [(e["manager"], e["operation"]) for e in stored["metadata"]["managedFields"]] == [("gpubot", "Apply")]


async def test_lightkube_reads_watches_and_patches(server: ApiServer, store: Store) -> None:
    from lightkube import AsyncClient, KubeConfig
    from lightkube.resources.core_v1 import Pod

    store.create(PODS, "default", pod("p", {"app": "a"}))
    client = AsyncClient(config=KubeConfig.from_dict(server.kubeconfig()), namespace="default", trust_env=False)
    assert [item.metadata.name async for item in client.list(Pod, labels={"app": "a"})] == ["p"]
    patched = await client.patch(Pod, "p", {"metadata": {"labels": {"x": "y"}}})
    assert patched.metadata.labels == {"app": "a", "x": "y"}
    async with asyncio.timeout(5):
        async for kind, seen in client.watch(Pod):
            assert (kind, seen.metadata.name) == ("ADDED", "p")
            break
    await client.close()
