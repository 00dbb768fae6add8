"""The embedded API server makes what is exported, and a second time changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
import yaml

from bot.changes.deploy_steps import target
from bot.deploying.yaml_text import dump
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import RESOURCES, Store
from tests.deploying.test_manifests import LOOKS, made

Json = dict[str, Any]
CUSTOM = (  # group, version, plural, kind
    ("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet"),
    ("keda.sh", "v1alpha1", "scaledobjects", "ScaledObject"),
    ("monitoring.coreos.com", "v1", "servicemonitors", "ServiceMonitor"),
    ("gateway.networking.k8s.io", "v1", "httproutes", "HTTPRoute"),
)
APPLIES = {"Content-Type": "application/apply-patch+yaml"}


def definition(group: str, version: str, plural: str, kind: str) -> Json:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    one = {"name": version, "served": True, "storage": True, "schema": schema}
    spec = {"group": group, "scope": "Namespaced", "names": {"plural": plural, "kind": kind}, "versions": [one]}
    return {"metadata": {"name": f"{plural}.{group}"}, "spec": spec}


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    store = Store(clock=lambda: datetime(2026, 6, 1, 12, tzinfo=UTC), graceful_pods=False)
    store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "llm"}})
    for one in CUSTOM:
        store.create(RESOURCES["apiextensions.k8s.io", "customresourcedefinitions"], "", definition(*one))
    api = ApiServer(store)
    await api.start()
    yield api
    await api.stop()


def path(one: Json) -> str:
    where = target(one)
    root = "/apis/" if "/" in where.api_version else "/api/"
    return f"{root}{where.api_version}/namespaces/{where.namespace}/{where.resource}/{where.name}"


@pytest.mark.parametrize("name", LOOKS)
async def test_what_is_exported_is_made_and_made_again_stays_as_it_is(name: str, server: ApiServer) -> None:
    query = {"fieldManager": "gpubot", "fieldValidation": "Strict"}
    async with aiohttp.ClientSession(server.url) as session:
        for one in yaml.safe_load_all(dump(made(name).rendering.objects)):
            versions = []
            for _ in range(2):
                text = yaml.safe_dump(one)
                async with session.patch(path(one), data=text, headers=APPLIES, params=query) as answer:
                    told = await answer.json()
                    assert answer.status in (200, 201), told
                    versions.append(told["metadata"]["resourceVersion"])
            assert versions[0] == versions[1], f"{one['kind']} is brought to what it is"
