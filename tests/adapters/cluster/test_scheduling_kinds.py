"""The kinds that only scheduling reads, as they come from API servers of several ages."""

import json
from fractions import Fraction
from typing import Any

import pytest

from bot.adapters.cluster import kinds
from bot.domain.dra import Allocated, DeviceClass, DeviceTaint, ResourceClaim, ResourceSlice
from bot.domain.dra_request import Constraint, DeviceRequest, DeviceToleration
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim, StorageClass

META = {"name": "x", "namespace": "ml"}


def decoded(plural: str, **fields: Any) -> Any:
    metadata = META | fields.pop("metadata", {})
    return kinds.decode(kinds.collect()[plural], json.dumps({"metadata": metadata, **fields}).encode())[1]


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({"exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}}, id="v1"),
        pytest.param({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}, id="v1beta1"),
        pytest.param({"deviceClassName": "gpu", "count": 2}, id="a file without the default"),
    ],
)
def test_a_request_means_the_same_in_every_version(request_: dict[str, Any]) -> None:
    claim: ResourceClaim = decoded("resourceclaims", spec={"devices": {"requests": [{"name": "r", **request_}]}})
    assert claim.requests == (DeviceRequest("r", device_class="gpu", count=2),)


def test_what_a_claim_asks_for_and_what_it_was_given() -> None:
    exact = {
        "deviceClassName": "gpu",
        "selectors": [{"cel": {"expression": "true"}}, {}],
        "tolerations": [{"key": "bad", "operator": "Exists"}],
        "adminAccess": True,
        "capacity": {"requests": {"memory": "1Ki"}},
    }
    results = [
        {"driver": "d", "pool": "p", "device": "seen", "adminAccess": True},
        {"driver": "d", "pool": "p", "device": "part", "shareID": "s", "consumedCapacity": {"memory": "1Ki"}},
        {"driver": "d", "pool": "p", "device": "whole"},
    ]
    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}
    claim: ResourceClaim = decoded(
        "resourceclaims",
        metadata={"annotations": {"resource.kubernetes.io/extended-resource-claim": "true"}},
        spec={
            "devices": {
                "requests": [{"name": "r", "firstAvailable": [{"name": "s", **exact}]}, {"name": "odd"}],
                "constraints": [{"matchAttribute": "d/a", "requests": ["r"]}, {"distinctAttribute": "d/b"}, {}],
            }
        },
        status={
            "allocation": {"devices": {"results": results}, "nodeSelector": selector},
            "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}, {"resource": "podgroups", "uid": "g"}],
        },
    )
    choice = DeviceRequest(
        "s",
        device_class="gpu",
        admin=True,
        selectors=("true", ""),
        tolerations=(DeviceToleration("bad", "Exists"),),
        capacity=(("memory", Fraction(1024)),),
    )
    assert claim.requests == (DeviceRequest("r", alternatives=(choice,)), DeviceRequest("odd", known=False))
    assert claim.constraints == (
        Constraint("d/a", requests=frozenset({"r"})),
        Constraint("d/b", distinct=True),
        Constraint("", distinct=True),
    )
    assert claim.allocated == (Allocated("d", "p", "part"), Allocated("d", "p", "whole"))
    assert claim.portions == ((Allocated("d", "p", "part"), (("memory", Fraction(1024)),)),)
    assert (claim.reserved_for, claim.reserved_uids) == (("p",), ("u", "g"))
    assert claim.is_allocated
    assert claim.extended
    assert claim.node_terms is not None
    assert claim.node_terms[0].matches("n", {})


@pytest.mark.parametrize("wrap", [False, True], ids=["v1", "v1beta1"])
def test_a_device_means_the_same_in_every_version(wrap: bool) -> None:
    details = {
        "attributes": {"model": {"string": "A"}, "index": {"int": 1}, "odd": {"strings": ["a"]}},
        "capacity": {"memory": {"value": "1Ki"}},
        "taints": [{"key": "bad", "effect": "NoSchedule"}],
    }
    one = {"name": "d0", **({"basic": details} if wrap else details)}
    spec = {"driver": "d", "pool": {"name": "p"}, "allNodes": True, "devices": [one]}
    piece: ResourceSlice = decoded("resourceslices", spec=spec)
    [device] = piece.devices
    assert device.attributes == {"model": "A", "index": "1", "odd": '["a"]'}
    assert device.types == {"model": "string", "index": "int", "odd": "strings"}
    assert device.capacity["memory"].value == 1024
    assert (device.taints, device.tainted) == ((DeviceTaint("bad", effect="NoSchedule"),), True)
    assert piece.all_nodes


def test_old_annotations_still_name_the_class() -> None:
    notes = {"volume.beta.kubernetes.io/storage-class": "old"}
    claim: PersistentVolumeClaim = decoded(
        "persistentvolumeclaims", metadata={"annotations": notes}, spec={"storageClassName": "new"}
    )
    volume: PersistentVolume = decoded(
        "persistentvolumes", metadata={"annotations": notes}, spec={"storageClassName": "new"}
    )
    assert (claim.storage_class, volume.storage_class) == ("old", "old")


def test_a_claim_is_bound_once_that_is_completed() -> None:
    done = {"pv.kubernetes.io/bind-completed": "yes"}
    half: PersistentVolumeClaim = decoded("persistentvolumeclaims", spec={"volumeName": "v"})
    whole: PersistentVolumeClaim = decoded(
        "persistentvolumeclaims", metadata={"annotations": done}, spec={"volumeName": "v"}
    )
    assert (half.bound, whole.bound) == (False, True)


def test_what_a_file_leaves_out_is_what_a_server_fills_in() -> None:
    storage_class: StorageClass = decoded("storageclasses", provisioner="p")
    device_class: DeviceClass = decoded("deviceclasses")
    assert storage_class.binding_mode == "Immediate"
    assert (device_class.selectors, device_class.extended_resource) == ((), "")
