"""Scenarios: a volume that keeps the pod from its GPUs. Only the real scheduler knows volumes."""

from __future__ import annotations

from typing import Any

from tests.cluster.api import Object
from tests.why.applying.bench import Bench
from tests.why.applying.scenario import WAITS, Act, Expected, Scenario, anew
from tests.why.applying.things import ZONE, a_node, a_pod

LATE = "late.test.gpubot.dev"
DRIVER = "by-hand.test.gpubot.dev"
SELECTED = "volume.kubernetes.io/selected-node"
WITH_DATA: dict[str, Any] = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
WITH_COPY: dict[str, Any] = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "copy"}}]}


def a_class(name: str) -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": DRIVER, "volumeBindingMode": "WaitForFirstConsumer",
    }  # fmt: skip


def a_driver() -> Object:
    """Installed, but its part is played by hand."""
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": {}}


def a_claim(
    name: str, *, storage_class: str = "", volume: str = "", mode: str = "ReadWriteOnce", **meta: Any
) -> Object:
    spec: Object = {
        "accessModes": [mode],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": "1Gi"}},
    }
    if volume:
        spec["volumeName"] = volume
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, **meta}, "spec": spec}


def a_volume(
    name: str, namespace: str, claim: str, *, zone: str = "", storage_class: str = "", mode: str = "ReadWriteOnce"
) -> Object:
    spec: Object = {
        "capacity": {"storage": "1Gi"},
        "accessModes": [mode],
        "storageClassName": storage_class,
        "csi": {"driver": DRIVER, "volumeHandle": name},
        "claimRef": {"namespace": namespace, "name": claim},
        "persistentVolumeReclaimPolicy": "Retain",
    }
    if zone:
        term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


async def bound(bench: Bench, claim: str) -> None:
    def done(claims: list[Object]) -> bool:
        return any(one["metadata"]["name"] == claim and one.get("status", {}).get("phase") == "Bound" for one in claims)

    await bench.until("PersistentVolumeClaim", done)


async def provision(bench: Bench, claim: str) -> None:
    """As a storage driver does: a volume for the node that the scheduler has chosen."""
    chosen: list[str] = []

    def selected(claims: list[Object]) -> bool:
        told = [one["metadata"].get("annotations", {}) for one in claims if one["metadata"]["name"] == claim]
        chosen.extend(one[SELECTED] for one in told if SELECTED in one)
        return bool(chosen)

    await bench.until("PersistentVolumeClaim", selected)
    zone = (await bench.get("Node", chosen[-1]))["metadata"]["labels"][ZONE]
    name = f"{bench.namespace}-{claim}"
    await bench.create(a_volume(name, bench.namespace, claim, zone=zone, storage_class=LATE))


async def _two_zones(bench: Bench) -> None:
    await bench.create(a_node("gpu-1", labels={ZONE: "a"}), a_node("cpu-1", gpus=0, labels={ZONE: "b"}), a_class(LATE))


async def _other_zone(bench: Bench) -> None:
    await _two_zones(bench)
    name = f"{bench.namespace}-data"
    await bench.create(a_volume(name, bench.namespace, "data", zone="b"), a_claim("data", volume=name))
    await bound(bench, "data")
    await bench.create(a_pod(WAITS, 2, **WITH_DATA))
    await bench.refused(WAITS)


async def _chosen_before(bench: Bench) -> None:
    """Its volume was to be made on a node whose GPUs are taken by now."""
    await bench.create(a_node("gpu-1", gpus=2, labels={ZONE: "a"}), a_node("gpu-2", gpus=2, labels={ZONE: "b"}))
    await bench.create(a_driver(), a_class(LATE), a_pod("held", 2, nodeSelector={"kubernetes.io/hostname": "gpu-1"}))
    await bench.running("held")
    await bench.create(a_claim("data", storage_class=LATE, annotations={SELECTED: "gpu-1"}))
    await bench.create(a_pod(WAITS, 2, **WITH_DATA))
    await bench.refused(WAITS)


def _new_claim() -> Act:
    async def act(bench: Bench) -> None:
        await bench.create(a_claim("copy", storage_class=LATE))
        await anew(a_pod, 2, **WITH_COPY)(bench)
        await provision(bench, "copy")

    return act


def _shared() -> Act:
    async def act(bench: Bench) -> None:
        name = f"{bench.namespace}-copy"
        many = "ReadWriteMany"
        await bench.create(a_volume(name, bench.namespace, "copy", mode=many), a_claim("copy", volume=name, mode=many))
        await bound(bench, "copy")
        await anew(a_pod, 2, **WITH_COPY)(bench)

    return act


async def _provision_data(bench: Bench) -> None:
    await provision(bench, "data")


SCENARIOS = (
    Scenario("a volume in a zone without GPUs", _other_zone, (
        Expected("Have the data where the GPUs are", to=("gpu-1",), by_hand=_new_claim()),
        Expected("Or keep it on storage that every zone reaches", to=("gpu-1",), by_hand=_shared()),
    ), real=True),
    Scenario("a volume that was to be made elsewhere", _chosen_before, (
        Expected("Let the scheduler choose another node", to=("gpu-2",), then=_provision_data),
        Expected("End ", to=("gpu-1",), then=_provision_data),
    ), real=True),
)  # fmt: skip
