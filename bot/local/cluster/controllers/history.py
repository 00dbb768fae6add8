"""Revisions of a Deployment: which ReplicaSet belongs to which template, and in which order they came."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from bot.local.cluster.controllers.access import Obj
from bot.local.cluster.controllers.owned import owned_by

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MAXIMUM = "deployment.kubernetes.io/max-replicas"
HASH = "pod-template-hash"
NOT_COPIED = ("kubectl.kubernetes.io/last-applied-configuration", REVISION, HISTORY, DESIRED, MAXIMUM)
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def template_hash(template: Mapping[str, Any], length: int = 10) -> str:
    """A name for a template, in letters that spell no words."""
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:length])


def same_template(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Equal but for the hash label, which only ReplicaSets carry."""
    return without_hash(one) == without_hash(other)


def without_hash(template: Mapping[str, Any]) -> Obj:
    meta = dict(template.get("metadata") or {})
    meta["labels"] = {k: v for k, v in (meta.get("labels") or {}).items() if k != HASH}
    return {**template, "metadata": {k: v for k, v in meta.items() if v}}


def revision_of(obj: Mapping[str, Any]) -> int:
    return int((obj["metadata"].get("annotations") or {}).get(REVISION, 0))


def current(deployment: Obj, replica_sets: Iterable[Obj]) -> Obj | None:
    """The ReplicaSet of the template as it is now; the oldest, should there be two."""
    same = [r for r in replica_sets if same_template(r["spec"]["template"], deployment["spec"]["template"])]
    return min(same, key=lambda r: r["metadata"].get("creationTimestamp", ""), default=None)


def new_replica_set(deployment: Obj, replicas: int, revision: int) -> Obj:
    spec, meta = deployment["spec"], deployment["metadata"]
    bare = without_hash(spec["template"])
    label = {HASH: template_hash(bare)}
    labels = {**((spec["template"].get("metadata") or {}).get("labels") or {}), **label}
    match = {**(spec["selector"].get("matchLabels") or {}), **label}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{meta['name']}-{label[HASH]}",
            "namespace": meta["namespace"],
            "labels": labels,
            "annotations": annotations(deployment, {}, revision),
            "ownerReferences": owned_by(deployment),
        },
        "spec": {
            "replicas": replicas,
            "minReadySeconds": spec.get("minReadySeconds", 0),
            "selector": {**spec["selector"], "matchLabels": match},
            "template": {**bare, "metadata": {**(bare.get("metadata") or {}), "labels": labels}},
        },
    }


def annotations(deployment: Obj, own: Mapping[str, str], revision: int) -> dict[str, str]:
    """The Deployment's annotations (change-cause above all) and the revision; an earlier one goes into the history."""
    copied = {k: v for k, v in (deployment["metadata"].get("annotations") or {}).items() if k not in NOT_COPIED}
    result = {**own, **copied, REVISION: str(revision)}
    before = own.get(REVISION)
    if before and before != str(revision):
        result[HISTORY] = ",".join(filter(None, (own.get(HISTORY), before)))
    return result
