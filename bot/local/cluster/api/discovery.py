"""Discovery: which groups, versions and resources there are, in the plain and the aggregated form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiohttp import web

from bot.local.cluster.api.media import answer
from bot.local.cluster.store import Resource
from bot.local.cluster.store.errors import no_such_path

Json = dict[str, Any]
Resources = Mapping[tuple[str, str], Resource]
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_SUBRESOURCE_KINDS = {
    "scale": ("autoscaling", "v1", "Scale"),
    "eviction": ("policy", "v1", "Eviction"),
    "binding": ("", "v1", "Binding"),
}
_SUBRESOURCE_VERBS = {"log": ["get"], "binding": ["create"], "eviction": ["create"]}
_HEALTH = ("/healthz", "/livez", "/readyz")


def discover(path: str, accept: str, resources: Resources, version: str) -> web.Response:
    """Answer a path that names no object; ApiError 404."""
    path = path.rstrip("/")
    if path.startswith(_HEALTH):
        return web.Response(text="ok")
    if path == "/version":
        return answer(_version(version))
    if path in ("/api", "/apis") and "as=APIGroupDiscoveryList" in accept:
        return answer(_aggregated(path == "/api", resources), content_type=_AGGREGATED)
    if path == "/api":
        return answer({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
    if path == "/apis":
        groups = [_group(group, versions) for group, versions in _versions(resources).items() if group]
        return answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
    return answer(_one(path, resources))


def _version(version: str) -> Json:
    major, minor, *_ = version.removeprefix("v").split(".")
    return {"major": major, "minor": minor, "gitVersion": version, "platform": "linux/amd64"}


def _versions(resources: Resources) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for resource in resources.values():
        versions = found.setdefault(resource.group, [])
        if resource.version not in versions:
            versions.append(resource.version)
    return found


def _group(group: str, versions: list[str]) -> Json:
    told = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": told, "preferredVersion": told[0]}


def _one(path: str, resources: Resources) -> Json:
    parts = path.split("/")[1:]
    if parts[0] == "apis" and len(parts) == 2 and parts[1] in (versions := _versions(resources)):
        return {"kind": "APIGroup", "apiVersion": "v1", **_group(parts[1], versions[parts[1]])}
    group, version = _group_version(parts)
    served = [resource for resource in resources.values() if (resource.group, resource.version) == (group, version)]
    if not served:
        raise no_such_path()
    rows = [row for resource in served for row in _rows(resource)]
    kind = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": served[0].api_version}
    return {**kind, "resources": rows}


def _group_version(parts: list[str]) -> tuple[str, str]:
    if parts[0] == "api" and len(parts) == 2:
        return "", parts[1]
    if parts[0] == "apis" and len(parts) == 3:
        return parts[1], parts[2]
    raise no_such_path()


def _rows(resource: Resource) -> Iterable[Json]:
    row: Json = {"name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced}
    row |= {"kind": resource.kind, "verbs": list(resource.verbs)}
    row |= {"shortNames": list(resource.short_names)} if resource.short_names else {}
    yield row | ({"categories": list(resource.categories)} if resource.categories else {})
    for name in sorted(resource.subresources):
        group, version, kind = _SUBRESOURCE_KINDS.get(name, (resource.group, resource.version, resource.kind))
        row = {"name": f"{resource.plural}/{name}", "singularName": "", "namespaced": resource.namespaced}
        row |= {"kind": kind, "verbs": _subresource_verbs(name)}
        yield row | ({"group": group, "version": version} if name in _SUBRESOURCE_KINDS else {})


def _subresource_verbs(name: str) -> list[str]:
    return _SUBRESOURCE_VERBS.get(name, ["get", "patch", "update"])


def _aggregated(core: bool, resources: Resources) -> Json:
    items = []
    for group, versions in _versions(resources).items():
        if (group == "") == core:
            told = [_aggregated_version(group, version, resources) for version in versions]
            items.append({"metadata": {"name": group, "creationTimestamp": None}, "versions": told})
    kind = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}}
    return {**kind, "items": items}


def _aggregated_version(group: str, version: str, resources: Resources) -> Json:
    served = [r for r in resources.values() if (r.group, r.version) == (group, version)]
    return {"version": version, "resources": [_aggregated_resource(r) for r in served], "freshness": "Current"}


def _aggregated_resource(resource: Resource) -> Json:
    scope = "Namespaced" if resource.namespaced else "Cluster"
    row: Json = {"resource": resource.plural, "responseKind": _kind(resource.group, resource.version, resource.kind)}
    row |= {"scope": scope, "singularResource": resource.singular, "verbs": list(resource.verbs)}
    row |= {"shortNames": list(resource.short_names)} if resource.short_names else {}
    row |= {"categories": list(resource.categories)} if resource.categories else {}
    subresources = [_aggregated_subresource(resource, name) for name in sorted(resource.subresources)]
    return row | ({"subresources": subresources} if subresources else {})


def _aggregated_subresource(resource: Resource, name: str) -> Json:
    kind = _SUBRESOURCE_KINDS.get(name, (resource.group, resource.version, resource.kind))
    return {"subresource": name, "responseKind": _kind(*kind), "verbs": _subresource_verbs(name)}


def _kind(group: str, version: str, kind: str) -> Json:
    return {"group": group, "version": version, "kind": kind}
