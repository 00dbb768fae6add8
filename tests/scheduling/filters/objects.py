"""Kubernetes objects in short, and what one filter says of them."""

from typing import Any

import msgspec

from bot.adapters.cluster import kinds
from bot.adapters.cluster.shared import Shared
from bot.domain.view import View
from bot.scheduling.framework import Failure, Filter, profile
from bot.scheduling.state import State

Object = dict[str, Any]
HOST = "kubernetes.io/hostname"


def an_object(kind: str, name: str, *, namespace: str = "", **fields: Any) -> Object:
    metadata = {"name": name, "uid": f"uid-{name}", **({"namespace": namespace} if namespace else {})}
    metadata |= fields.pop("metadata", {})
    return {"kind": kind, "metadata": metadata, **fields}


def a_node(name: str = "n1", *, labels: dict[str, str] | None = None, **allocatable: str) -> Object:
    room = {"cpu": "8", "memory": "64Gi", "pods": "10"} | {
        key.replace("__", "/").replace("_", "."): value for key, value in allocatable.items()
    }
    return an_object("Node", name, metadata={"labels": {HOST: name} | (labels or {})}, status={"allocatable": room})


def a_pod(name: str = "p", *volumes: Object, node: str = "", namespace: str = "default", **spec: Any) -> Object:
    status = spec.pop("status", {})
    spec = {"containers": [{"name": "main"}], "volumes": list(volumes), **({"nodeName": node} if node else {}), **spec}
    return an_object("Pod", name, namespace=namespace, spec=spec, status=status)


def by_claim(claim: str) -> Object:
    return {"name": claim, "persistentVolumeClaim": {"claimName": claim}}


def a_claim(
    name: str = "c", *, volume: str = "", storage_class: str = "later", size: str = "10Gi", **more: Any
) -> Object:
    """Bound where a volume is named."""
    metadata = more.pop("metadata", {})
    notes = metadata.get("annotations", {}) | ({"pv.kubernetes.io/bind-completed": "yes"} if volume else {})
    spec = {"storageClassName": storage_class, "volumeName": volume, "resources": {"requests": {"storage": size}}}
    spec |= {"accessModes": ["ReadWriteOnce"]} | more.pop("spec", {})
    return an_object(
        "PersistentVolumeClaim",
        name,
        namespace="default",
        metadata=metadata | {"annotations": notes},
        spec=spec,
        status={"phase": "Bound" if volume else "Pending"} | more,
    )


def a_volume(
    name: str = "v", *, size: str = "10Gi", zone: str = "", host: str = "", phase: str = "Bound", **spec: Any
) -> Object:
    """`zone` is a label, `host` the only node that reaches it."""
    labels = {"topology.kubernetes.io/zone": zone} if zone else {}
    terms = [{"matchExpressions": [{"key": HOST, "operator": "In", "values": [host]}]}]
    fields: Object = {"csi": {"driver": "disk.example.com", "volumeHandle": name}} if not spec.get("source") else {}
    fields |= {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": "later"}
    fields |= {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}} if host else {}
    fields |= spec.pop("source", {})
    return an_object("PersistentVolume", name, metadata={"labels": labels}, spec=fields | spec, status={"phase": phase})


def a_class(name: str = "later", *, mode: str = "WaitForFirstConsumer", **fields: Any) -> Object:
    return an_object("StorageClass", name, **({"provisioner": "disk.example.com", "volumeBindingMode": mode} | fields))


def a_csi_node(name: str = "n1", *, most: int | None = None, **metadata: Any) -> Object:
    driver: Object = {"name": "disk.example.com", "nodeID": name}
    if most is not None:
        driver["allocatable"] = {"count": most}
    return an_object("CSINode", name, metadata=metadata, spec={"drivers": [driver]})


def a_view_of(*objects: Object) -> View:
    view, shared = View("test"), Shared()
    for one in objects:
        kind = kinds.of_object(one["kind"])
        assert kind is not None, one["kind"]
        view.put(kind.name, *kinds.decode(kind, msgspec.json.encode(one), shared))
    return view


def the_filter(name: str) -> Filter:
    return next(one for one in profile() if one.name == name)


def ask(name: str, *objects: Object, pod: str = "default/p", node: str = "n1") -> Failure | None:
    """What the filter says, in PreFilter or else of the node; None where it is content."""
    state, one = State(a_view_of(*objects)), the_filter(name)
    waiting = state.view.pods[pod]
    result = one.prefilter(waiting, state)
    if result.rejected is not None or result.skip:
        return result.rejected
    assert one.filter is not None
    return one.filter(waiting, state.info(node), result.data, state)


def reasons(failure: Failure | None) -> tuple[str, ...]:
    return failure.reasons if failure else ()
