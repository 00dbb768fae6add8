"""A volume that only one node may have, and another one has: who holds it there, and how it comes free."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.attachment import Attachment
from bot.why.started.frames import unframed
from bot.why.started.kubelet_events import times
from bot.why.started.say import clock, quote

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"


def held_elsewhere(case: Case, pod: Pod, found: Attachment, event: Event) -> Finding:
    """A holder that is ending frees it; one on a node that does not answer never ends by itself."""
    claim = f"claim `{found.claim}`" if found.claim else f"volume `{found.volume}`"
    modes = f" is {names(found.modes)}: one node at a time" if found.one_node_only else " is attached to one node only"
    users = names([one.key for one in found.users]) or found.said_users
    lost = _lost(case, found)
    comes_free = found.leaving and lost is None
    return Finding(
        "mounts.held-by-lost-node" if lost else "mounts.multi-attach",
        f"its {claim}{modes}{_where(case, found, lost)}{f' (for {users})' if users else ''}, so it cannot be mounted "
        f"on {pod.node}",
        evidence=(
            f"{event.source or 'kubelet'}{times(event)}, last {clock(case, event.time)}: "
            f"{quote(unframed(event.message))}",
            *_idle(pod),
        ),
        remedies=tuple(_free(case, lost) if lost else _ways_out(case, pod, found)),
        useless=(_useless(lost, comes_free),),
        until=f"{users} has ended and the volume is detached" if comes_free else "",
        unknown=case.not_read("persistentvolumeclaims", "volumeattachments"),
    )


def _lost(case: Case, found: Attachment) -> Node | None:
    """The node that has it, where nobody has heard of it lately."""
    held = (case.view.nodes.get(name) for name in found.nodes)
    return next((node for node in held if node is not None and node.ready is not True), None)


def _where(case: Case, found: Attachment, lost: Node | None) -> str:
    if lost is None:
        return f", and {found.nodes[0]} has it" if found.nodes else ", and another node has it"
    ready = lost.condition("Ready")
    since = clock(case, ready.since) if ready else ""
    return f", and {lost.name} has it, which does not answer any more{f' since {_at(since)}' if since else ''}"


def _at(moment: str) -> str:
    return moment.partition(" ")[2]


def _idle(pod: Pod) -> Iterator[str]:
    gpus = sum(amount for resource, amount in pod.requests.items() if is_gpu_resource(resource))
    if gpus:
        yield f"meanwhile {count(gpus, 'GPU')} of {pod.node} stay reserved for this pod and do nothing"


def _free(case: Case, lost: Node) -> Iterator[Remedy]:
    """kubernetes.io/docs/concepts/cluster-administration/node-shutdown (non-graceful shutdown)."""
    yield Remedy(f"Bring {lost.name} back: its kubelet then ends the old pod and the volume is detached")
    yield Remedy(
        f"If {lost.name} is surely switched off and stays so: mark it, which detaches its volumes at once",
        kubectl("taint", "nodes", lost.name, OUT_OF_SERVICE),
        False,
        "data, if the machine still runs and writes; take the taint away once it is back",
    )


def _useless(lost: Node | None, comes_free: bool) -> str:
    if lost is not None:
        return f"Deleting the old pod does not help: only the kubelet of {lost.name} can say that it has ended"
    return (
        f"Other images or nodes with more GPUs{'' if comes_free else ' or more time'} do not help: the volume stays "
        "where it is"
    )


def _ways_out(case: Case, pod: Pod, found: Attachment) -> Iterator[Remedy]:
    owner = case.owners[-1] if case.owners else None
    wanted = case.fields(owner).number("spec", "replicas") if owner is not None else None
    if owner is not None and wanted and wanted > 1 and owner.kind in ("Deployment", "StatefulSet", "ReplicaSet"):
        back = kubectl("-n", owner.namespace, "scale", f"{owner.kind.lower()}/{owner.name}", "--replicas=1")
        yield Remedy("Until the storage is changed: scale back to 1", back, False, cost="one replica serves alone")
    elif owner is not None and owner.kind == "Deployment":
        yield Remedy(f"Set `strategy: Recreate` on deployment {owner.key}: the old pod ends before the new one starts")
    yield Remedy("Put the data on shared storage (ReadWriteMany, or ReadOnlyMany for weights that are only read)")
    yield Remedy("Or give each replica a volume of its own (volumeClaimTemplates), or download per node")
