"""ControllerRevisions: the templates that a StatefulSet or DaemonSet has had, so that a rollout can be undone."""

from bot.local.cluster.controllers.access import REVISIONS, Obj, key_of
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.history import template_hash
from bot.local.cluster.controllers.owned import owned_by

LABEL = "controller-revision-hash"
LIMIT = 10


def ensure_revision(context: Context, owner: Obj) -> str:
    """The hash of the owner's present template; its ControllerRevision is made, or moved to the top."""
    found = context.access.children(owner["metadata"]["uid"], REVISIONS)
    template = owner["spec"]["template"]
    label = template_hash(template)
    newest = max((r["revision"] for r in found), default=0)
    same = next((r for r in found if r["metadata"]["labels"][LABEL] == label), None)
    if same is None:
        revision = _revision(owner, label, newest + 1)
        context.access.create(REVISIONS, owner["metadata"]["namespace"], revision)
        _trim(context, owner, found)
    elif same["revision"] < newest:
        context.access.put(REVISIONS, {**same, "revision": newest + 1})
    return label


def _revision(owner: Obj, label: str, number: int) -> Obj:
    meta, template = owner["metadata"], owner["spec"]["template"]
    cause = {k: v for k, v in (meta.get("annotations") or {}).items() if k == "kubernetes.io/change-cause"}
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"{meta['name']}-{label}",
            "namespace": meta["namespace"],
            "labels": {**((template.get("metadata") or {}).get("labels") or {}), LABEL: label},
            "annotations": cause,
            "ownerReferences": owned_by(owner),
        },
        "data": {"spec": {"template": {**template, "$patch": "replace"}}},
        "revision": number,
    }


def _trim(context: Context, owner: Obj, found: list[Obj]) -> None:
    limit = owner["spec"].get("revisionHistoryLimit", LIMIT)
    for old in sorted(found, key=lambda r: r["revision"])[: max(0, len(found) - limit)]:
        context.access.delete(REVISIONS, key_of(old))
