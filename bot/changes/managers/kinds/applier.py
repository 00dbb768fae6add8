"""Whoever applies manifests and is none of those that are known: a pipeline, Terraform, a person with kubectl.

Only those that apply: who merely updated a field once (`kubectl edit`, `kubectl scale`) will not come back for it.
"""

from collections.abc import Iterator

from bot.changes.managers.entries import Entry
from bot.changes.managers.manager import Manager, ManagerKind, Object, is_claimed

CLIENT_SIDE_APPLY = "kubectl-client-side-apply"
_COMES_BACK = ("terraform*", "Terraform*", "pulumi*", CLIENT_SIDE_APPLY)
_NOBODY = ("gpubot", "kube-controller-manager", "kubelet", "kube-scheduler")


def appliers(obj: Object, claims: tuple[str, ...]) -> Iterator[Manager]:
    """`claims`: field managers that others have recognised as theirs."""
    seen: set[str] = set()
    for entry in obj.entries:
        if _comes_back(entry) and not is_claimed(entry.manager, (*claims, *_NOBODY)) and entry.manager not in seen:
            seen.add(entry.manager)
            yield _manager(obj, entry)


def _comes_back(entry: Entry) -> bool:
    whole = not entry.subresource
    return whole and (entry.operation == "Apply" or is_claimed(entry.manager, _COMES_BACK))


def _manager(obj: Object, entry: Entry) -> Manager:
    name = "whoever runs `kubectl apply`" if entry.manager == CLIENT_SIDE_APPLY else f"field manager {entry.manager}"
    last = f" (last on {entry.time[:10]})" if entry.time else ""
    return Manager(
        name=name,
        kind=ManagerKind.APPLIER,
        fields=obj.owned_by(entry.manager),
        reverts=f"when its manifest is applied the next time{last} it says again what stands in there",
        instead=f"change the manifest that {name} applies",
        source="the manifest of this object",
    )
