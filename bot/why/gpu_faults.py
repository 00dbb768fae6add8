"""Faults of nodes as findings: how much each explains for the subject, and many nodes with one fault told once."""

from collections.abc import Callable, Iterator

from bot.domain.evidence import LogRef, Wanted
from bot.domain.words import names
from bot.gpu.stack import chain
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.recognise import of_pod
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.gpu_nodes import in_question
from bot.why.standing import crashing

NODES_LOOKED_UP = 3
NODES_LOOKED_AT = 40  # a fleet may lack GPUs on hundreds of nodes: the first tell enough, the others are counted
LOGS_LOOKED_UP = 8
GROUPS_TOLD = 3
EVIDENCE_TOLD = 6
_IMAGE = frozenset(
    "ErrImagePull ImagePullBackOff InvalidImageName ErrImageNeverPull CreateContainerConfigError".split()
)
_DRIVER = frozenset("driver_mismatch driver_hangs driver driver_not_installed driver_not_loaded driver_in_use".split())
_GONE = frozenset(
    "rejects unhealthy plugin_stopped missing plugin image unscheduled kubelet_restarted registering".split()
)
_UPGRADE = frozenset(
    {
        "driver_upgrade_runs",
        "driver_upgrade_failed",
        "driver_upgrade_blocked",
        "mig_changes",
        "mig_stuck",
        "driver_installs",
    }
)
# What can be the reason for a pod in each state; other faults of its node are none of its business.
_EXPLAINS: dict[str, frozenset[str]] = {
    "rejected": _DRIVER | _GONE,
    "starting": _DRIVER | _UPGRADE | {"handler", "operand"},
    "crashing": _DRIVER | {"fabric_manager"},
    "unready": frozenset({"driver_hangs"}),
    "leaving": frozenset({"driver_hangs"}),
}


def wants(case: Case) -> Wanted:
    """Logs of the stack on the nodes in question, their kernel messages, and what else tells of their GPUs."""
    refs = [ref for sight in in_question(case)[:NODES_LOOKED_UP] for ref in (*chain.wanted(sight), *sight.extra)]
    logs = [ref for ref in refs if isinstance(ref, LogRef)][:LOGS_LOOKED_UP]
    return Wanted(tuple(dict.fromkeys((*logs, *(ref for ref in refs if not isinstance(ref, LogRef))))))


def findings(case: Case, stage: str, belongs: Callable[[str], bool]) -> Iterator[Finding]:
    """Those faults that belong to the stage, the one of most nodes first."""
    grouped: dict[str, list[Fault]] = {}
    sights = in_question(case)
    for sight in sights[:NODES_LOOKED_AT]:
        for fault in _relevant(case, chain.faults(sight)):
            grouped.setdefault(fault.id, []).append(fault)
    order = sorted(grouped.values(), key=len, reverse=True)  # stable: of equals the deepest first
    for place, group in enumerate(order[:GROUPS_TOLD]):
        if belongs(group[0].id):
            yield _finding(case, stage, group, place, len(sights))


def _relevant(case: Case, faults: list[Fault]) -> list[Fault]:
    """For a waiting pod the deepest fault of each node; for a node all; for a bound pod what can be its reason."""
    pod = case.pod
    if case.subject.node is not None or pod is None:
        return faults
    if not pod.node or of_pod(pod) is not None:
        return faults[:1]
    known = _EXPLAINS.get(_state(case), frozenset())
    return [fault for fault in faults if fault.id in known][:1]


def _state(case: Case) -> str:
    pod = case.pod
    if pod is None or any(state.waiting in _IMAGE for state in pod.states):
        return ""
    if pod.phase == "Failed":
        return "rejected" if pod.reason == "UnexpectedAdmissionError" else "crashing"
    if pod.deleted:
        return "leaving"
    if crashing(pod) is not None:
        return "crashing"
    return "starting" if pod.phase == "Pending" else "unready"


def _finding(case: Case, stage: str, group: list[Fault], place: int, total: int) -> Finding:
    first = group[0]
    others = [fault.node for fault in group[1:]]
    same = f"; the same on {names(others, 2)}" if others else ""
    if total > NODES_LOOKED_AT and not place:
        same += f" ({total:,} nodes in all offer too few GPUs, {NODES_LOOKED_AT} were looked at)"
    return Finding(
        f"{stage}.{first.id}",
        _sentence(case, first) + same,
        _level(case, first, place),
        evidence=first.evidence[:EVIDENCE_TOLD],
        remedies=first.remedies,
        useless=first.useless,
        unknown=first.unknown,
        until=first.until,
        weight=len(group),
        numbers={"nodes": len(group)},
    )


def _sentence(case: Case, fault: Fault) -> str:
    """Of a node that is asked about as `it`: its name stands before."""
    node = case.subject.node
    if node is None or _level(case, fault, 0) is not Level.CAUSE:
        return fault.sentence
    for head, short in ((f"{node.name}'s ", "its "), (f"{node.name} ", "it ")):
        if fault.sentence.startswith(head):
            return short + fault.sentence.removeprefix(head)
    return fault.sentence


def _level(case: Case, fault: Fault, place: int) -> Level:
    """A node that is down or cordoned has that as its cause; of one that is up the fault itself is the cause."""
    node = case.subject.node
    if place or _behind_cordon(case, fault):
        return Level.ALSO
    if node is None:
        return Level.ROOT
    if fault.passes:
        return Level.NOTE
    return Level.CAUSE if node.ready is True and not node.unschedulable else Level.ROOT


def _behind_cordon(case: Case, fault: Fault) -> bool:
    """A pod waits for a node that an upgrade has cordoned: that is its cause already, and the upgrade no fault."""
    node = case.view.nodes.get(fault.node)
    return fault.passes and case.waits and node is not None and node.unschedulable
