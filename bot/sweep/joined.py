"""One entry for each root: a node's fault with the pods that it stops, a webhook or quota with all owners it stops."""

from collections.abc import Iterable

from bot.domain.text import natural
from bot.gpu.kind import gpus_of
from bot.sweep.trouble import Entry, Trouble

Group = list[Trouble]
# What pods on a node say when the node itself is at fault, whoever judged them.
_OF_THE_NODE = ("node.", "gpu_stack.", "driver_upgrade.", "kubelet.node-", "sandbox.", "terminating.")
_OF_ITS_GPUS = ("crash.cuda-", "crash.nvml", "crash.gpu-", "crash.nccl", "engine.", "readiness.")
# What pods say when a card failed under them, and what is found of a card then.
_A_CARD_FAILED = ("crash.gpu-", "engine.gpu-", "engine.no_tokens", "crash.nccl")
_OF_A_CARD = ("plugin.unhealthy", "memory.", "gpu.", "links.", "fabric.")
# What keeps a node's pods from working, whatever else is said of them.
GRAVE = frozenset(
    """
    driver.hangs driver.mismatch driver.missing driver.nvml fabric.manager fabric.state gpu.count gpu.lost
    node.condition node.not_ready plugin.missing pods.rejected
    """.split()
)


def entries(cards: list[Group], stuck: Iterable[Trouble]) -> list[Entry]:
    """The worst first: by severity, what is broken before what only waits, by GPUs and pods that are hit, by time."""
    groups = [list(one) for one in cards]
    for one in stuck:
        home = _home(groups, one)
        if home is None:
            groups.append([one])
        elif home[0].id.startswith("pods.") and home[0].pods and home[0].id != "pods.rejected":
            home.insert(0, one)  # a check saw it, and `/why` knows more of it
        else:
            home.append(one)
    groups = _under_what_they_need(groups)
    return sorted((Entry(group[0], tuple(group[1:])) for group in _pods_together(groups)), key=_order)


def _home(groups: list[Group], one: Trouble) -> Group | None:
    """The group that it belongs to: by what is behind it, by what it shares, by its node, by its pods."""
    finders = (_by_words, _by_share, _by_node, _by_pod)
    return next((group for find in finders for group in groups if find(group, one)), None)


def _by_words(group: Group, one: Trouble) -> bool:
    """A check and `/why` judge a node by the same rules, so they say the same."""
    return bool(one.root) and any(
        other.nodes and other.root and one.root.startswith(other.root) for other in group if not other.pods
    )


def _by_share(group: Group, one: Trouble) -> bool:
    """A thing that several name; or one owner whose pods stand differently for one reason."""
    same = (other for other in group if other.owner and other.same is not None and other.same == one.same)
    return any(same) or any(other.owner == one.owner and other.id == one.id and other.owner for other in group)


def _by_node(group: Group, one: Trouble) -> bool:
    """A pod on a node that is gravely at fault, or has a bad card, where what the pod says fits that."""
    return any(set(one.nodes) & set(other.nodes) and _fits(other, one) for other in group if not other.pods)


def _fits(fault: Trouble, one: Trouble) -> bool:
    if fault.id in GRAVE:
        return one.id.startswith((*_OF_THE_NODE, *(_OF_ITS_GPUS if fault.id != "node.not_ready" else ())))
    return fault.id.startswith(_OF_A_CARD) and one.id.startswith(_A_CARD_FAILED)


def _by_pod(group: Group, one: Trouble) -> bool:
    """Checks of pods look at the same logs."""
    return any(other.id.startswith("pods.") and set(other.pods) & set(one.pods) for other in group)


def _pods_together(groups: list[Group]) -> list[Group]:
    """What a check says of a pod comes under the entry that its pod is in already."""
    alone = [one for one in groups if len(one) == 1 and one[0].id.startswith("pods.") and one[0].pods]
    rest = [one for one in groups if not any(one is other for other in alone)]
    for group in alone:
        home = next((one for one in rest if any(set(group[0].pods) & set(other.pods) for other in one)), None)
        if home is not None:
            home.extend(group)
        else:
            rest.append(group)
    return rest


def _under_what_they_need(groups: list[Group]) -> list[Group]:
    """A pod that crashes for want of another is under that one."""
    kept: list[Group] = []
    for group in groups:
        needs = group[0].needs
        home = next((one for one in groups if one is not group and needs & {p.key for t in one for p in t.pods}), None)
        if home is None or home[0].needs & {pod.key for one in group for pod in one.pods}:
            kept.append(group)
        else:
            home.extend(group)
    return kept


def _order(entry: Entry) -> tuple[object, ...]:
    pods = entry.pods
    return (
        entry.severity.rank,
        not entry.nodes,
        -sum(map(gpus_of, pods)),
        -len(pods),
        entry.since or "~",
        natural(entry.root.sentence),
    )
