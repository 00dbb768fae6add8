"""metrics.k8s.io: what `kubectl top` shows. What a pod uses is told by a callback, by default what it requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from aiohttp import web

from bot.local.cluster.api import parameters
from bot.local.cluster.api.context import Call
from bot.local.cluster.api.media import answer
from bot.local.cluster.store import RESOURCES
from bot.local.cluster.store.errors import not_found
from bot.local.cluster.store.facets import Facets

Json = dict[str, Any]
_PODS, _NODES = RESOURCES["", "pods"], RESOURCES["", "nodes"]
_WINDOW = "15s"
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(m|[kMGTPE]i?)?")
_SCALE = {"": Fraction(1), "m": Fraction(1, 1000)}
_SCALE |= {prefix: Fraction(1000) ** (i + 1) for i, prefix in enumerate("kMGTPE")}
_SCALE |= {f"{prefix}i": Fraction(1024) ** (i + 1) for i, prefix in enumerate(("K", "M", "G", "T", "P", "E"))}


async def metrics(call: Call) -> web.StreamResponse:
    """GET of the usage of one or all nodes or pods."""
    resource, name = call.target.resource, call.target.name
    measured = _nodes(call) if resource.plural == "nodes" else _pods(call)
    if name:
        found = next((item for item in measured if item["metadata"]["name"] == name), None)
        if found is None:
            raise not_found(resource, name)
        return answer(found)
    kind = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": {}}
    return answer({**kind, "items": list(measured)})


def _item(call: Call, metadata: Json) -> Json:
    kind = {"kind": call.target.resource.kind, "apiVersion": call.target.resource.api_version}
    kept = {key: metadata[key] for key in ("name", "namespace", "labels") if key in metadata}
    return {**kind, "metadata": kept, "timestamp": call.store.now().strftime("%Y-%m-%dT%H:%M:%SZ"), "window": _WINDOW}


def _selected(call: Call, objects: list[Json]) -> Iterator[Json]:
    query = parameters.selection({"labelSelector": call.query.get("labelSelector", "")}, _PODS)
    return (obj for obj in objects if query.selects(Facets(obj["metadata"].get("labels") or {}, ())))


def _nodes(call: Call) -> Iterator[Json]:
    totals: dict[str, list[Fraction]] = {}
    for pod in _running(call, ""):
        node = totals.setdefault(pod["spec"].get("nodeName", ""), [Fraction(0), Fraction(0)])
        for container in pod["spec"]["containers"]:
            cpu, memory = _requested(container)
            node[0], node[1] = node[0] + cpu, node[1] + memory
    for obj in _selected(call, call.store.list(_NODES)):
        name = obj["metadata"]["name"]
        usage = _told(call, "nodes", "", name) or _usage(*totals.get(name, (Fraction(0), Fraction(0))))
        yield {**_item(call, obj["metadata"]), "usage": usage}


def _pods(call: Call) -> Iterator[Json]:
    for pod in _selected(call, list(_running(call, call.target.namespace))):
        metadata, containers = pod["metadata"], pod["spec"]["containers"]
        told = _told(call, "pods", metadata["namespace"], metadata["name"])
        used = [told if told and i == 0 else _usage(*_requested(c)) for i, c in enumerate(containers)]
        rows = [{"name": c["name"], "usage": usage} for c, usage in zip(containers, used, strict=True)]
        yield {**_item(call, metadata), "containers": rows}


def _running(call: Call, namespace: str) -> Iterator[Json]:
    pods = call.store.state.walk(_PODS, namespace)
    return (pod for pod in pods if (pod.get("status") or {}).get("phase") == "Running")


def _told(call: Call, plural: str, namespace: str, name: str) -> Mapping[str, str] | None:
    return call.serving.usage(plural, namespace, name) if call.serving.usage else None


def _requested(container: Json) -> tuple[Fraction, Fraction]:
    requests = (container.get("resources") or {}).get("requests") or {}
    return _amount(requests.get("cpu", "0")), _amount(requests.get("memory", "0"))


def _amount(quantity: Any) -> Fraction:
    found = _QUANTITY.fullmatch(str(quantity))
    return Fraction(found[1]) * _SCALE[found[2] or ""] if found else Fraction(0)


def _usage(cpu: Fraction, memory: Fraction) -> dict[str, str]:
    return {"cpu": f"{int(cpu * 1000)}m", "memory": f"{int(memory / 1024)}Ki"}
