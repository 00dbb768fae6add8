"""What a capture leaves out of an object: bookkeeping, copies of the object inside itself, contents of ConfigMaps."""

from collections.abc import Mapping
from typing import Any

from bot.adapters.capture.secrets import MASK

# Annotations in which tools keep the whole object, or an earlier one, once more.
COPIES = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "objectset.rio.cattle.io/applied",
        "kapp.k14s.io/original",
        "kapp.k14s.io/original-diff",
        "banzaicloud.com/last-applied",
        "kopf.zalando.org/last-handled-configuration",
        "deployment.kubernetes.io/last-applied-template",
    }
)
CONTENTS = ("data", "binaryData", "stringData")


def pruned(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A copy without what nobody needs to answer a question; `kind` is the object's own (`Pod`)."""
    result = {**item, "metadata": _metadata(item.get("metadata"))}
    if kind in (
        "ConfigMap",
        "Secret",
    ):  # Secrets are never listed; should one come all the same, its keys are all it shows
        result |= {part: dict.fromkeys(result[part] or (), MASK) for part in CONTENTS if part in result}
    return result


def _metadata(metadata: Any) -> dict[str, Any]:
    """Anything but a mapping is no metadata, and nothing of it is kept."""
    if not isinstance(metadata, Mapping):
        return {}
    result = dict(metadata)
    cordons = _cordons(result.pop("managedFields", None))
    if cordons:
        result["managedFields"] = cordons
    annotations = result.get("annotations")
    if isinstance(annotations, Mapping):
        result["annotations"] = {name: text for name, text in annotations.items() if name not in COPIES}
    return result


def _cordons(managed_fields: Any) -> list[dict[str, Any]]:
    """Of managedFields only who wrote spec.unschedulable and when: that tells whose cordon a node has."""
    entries = managed_fields if isinstance(managed_fields, list) else []
    return [
        {name: entry[name] for name in ("manager", "operation", "time") if name in entry}
        | {"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}
        for entry in entries
        if isinstance(entry, Mapping) and _owns_unschedulable(entry.get("fieldsV1"))
    ]


def _owns_unschedulable(fields: Any) -> bool:
    spec = fields.get("f:spec") if isinstance(fields, Mapping) else None
    return isinstance(spec, Mapping) and "f:unschedulable" in spec
