"""What a capture leaves out of an object, and what it keeps of managedFields."""

from typing import Any

from bot.adapters.capture.prune import pruned
from bot.adapters.capture.secrets import MASK

CORDON = {
    "manager": "kubectl-cordon",
    "operation": "Update",
    "time": "2026-11-30T08:00:00Z",
    "apiVersion": "v1",
    "fieldsV1": {"f:spec": {"f:taints": {}, "f:unschedulable": {}}},
}


def test_of_managed_fields_only_the_cordon_stays() -> None:
    entries = [CORDON, {"manager": "kubelet", "fieldsV1": {"f:status": {}}}, "odd", {"fieldsV1": {"f:spec": "odd"}}]
    metadata = pruned({"metadata": {"name": "a", "managedFields": entries}}, "Node")["metadata"]
    assert metadata["managedFields"] == [
        {
            "manager": "kubectl-cordon",
            "operation": "Update",
            "time": "2026-11-30T08:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:unschedulable": {}}},
        }
    ]


def test_copies_of_the_object_inside_itself_go() -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "stays"}
    assert pruned({"metadata": {"annotations": annotations}}, "Pod")["metadata"] == {"annotations": {"note": "stays"}}


def test_of_a_config_map_only_the_keys_stay() -> None:
    item = {"metadata": {}, "data": {"a": "b"}, "binaryData": None}
    assert pruned(item, "ConfigMap") == {"metadata": {}, "data": {"a": MASK}, "binaryData": {}}


def test_the_argument_stays_as_it_was() -> None:
    item: dict[str, Any] = {"metadata": {"managedFields": [CORDON], "annotations": {}}, "data": {"a": "b"}}
    pruned(item, "ConfigMap")
    assert item == {"metadata": {"managedFields": [CORDON], "annotations": {}}, "data": {"a": "b"}}


def test_metadata_that_is_none_is_not_kept() -> None:
    assert pruned({"metadata": ["odd"]}, "Pod") == {"metadata": {}}
