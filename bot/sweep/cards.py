"""What health checks say of nodes and GPUs, as roots: findings of one GPU belong together, and those of one node.

A fault of the stack that many nodes have in the same words (a plugin that does not come up anywhere, a driver branch
that is out of support) has one root. So has heat or power on several nodes: a hall or a rack is behind it.
"""

import re
from collections.abc import Hashable, Iterable

from bot.checks.finding import Finding, order
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.owners import top_owner
from bot.sweep.trouble import Trouble

NODES_NAMED = 4
# Findings of a node that are the other side of what one of its GPUs has.
_OF_CARDS = frozenset(
    """
    driver.hangs driver.mismatch driver.nvml gpu.count node.condition node.not_ready plugin.unhealthy pods.rejected
    """.split()
)
# Nothing went wrong just now: these stand alone, and never explain why a pod does not run.
LASTING = frozenset({"driver.support", "driver.persistence", "mig.pending"})
_AREA = ("heat.", "fabric.", "links.")  # several GPUs of a node with the same of these have one root
_SITE = ("heat.",)
_NUMBER = re.compile(r"\d+")


def roots(findings: Iterable[Finding], view: View) -> list[list[Trouble]]:
    """Alarming findings as troubles: each list has one root, which comes first."""
    alarming = sorted((one for one in findings if one.alarming), key=order)
    by_root: dict[Hashable, list[Finding]] = {}
    for one in alarming:
        by_root.setdefault(_root(one, _blamed(alarming)), []).append(one)
    across: dict[Hashable, list[list[Finding]]] = {}
    for group in by_root.values():
        across.setdefault(_words(group[0], view), []).append(group)
    return [_merged(groups, view) for groups in across.values()]


def _blamed(alarming: list[Finding]) -> frozenset[str]:
    """Nodes of which something is said that its GPUs are behind."""
    return frozenset(one.subject.node for one in alarming if one.check in _OF_CARDS and not one.subject.pod)


def _root(one: Finding, blamed: frozenset[str]) -> Hashable:
    """Equal for findings with one root on one node."""
    subject = one.subject
    if subject.pod or one.check.startswith("fleet."):
        return one.check, subject.pod, subject.pool, one.sentence
    if one.check in LASTING:
        return one.check, subject.node
    card = subject.uuid or subject.bus_id or ("" if subject.gpu is None else str(subject.gpu))
    if not card or subject.node in blamed:
        return ("node", subject.node)
    return (subject.node, one.check) if one.check.startswith(_AREA) else (subject.node, "card", card)


def _words(one: Finding, view: View) -> Hashable:
    """Equal for the same fault on different nodes."""
    subject = one.subject
    if subject.pod or (subject.gpu is not None and not one.check.startswith(_SITE)):
        return one.check, str(subject), one.sentence
    if one.check.startswith(_SITE):
        return one.check, subject.gpu is not None
    text = one.sentence
    for pod in view.on_node(subject.node):
        text = text.replace(pod.key, "a pod").replace(pod.name, "a pod")
    return one.check, _NUMBER.sub("#", text.replace(subject.node, "a node") if subject.node else text)


def _merged(groups: list[list[Finding]], view: View) -> list[Trouble]:
    """The first in full, of the others the names; what else is said of those nodes comes behind it."""
    first, *others = groups[0]
    elsewhere = [group[0] for group in groups[1:]]
    head = _trouble(first, view, elsewhere)
    return [head, *(_trouble(one, view) for one in (*others, *(one for group in groups[1:] for one in group[1:])))]


def _trouble(one: Finding, view: View, elsewhere: list[Finding] | None = None) -> Trouble:
    same = list(
        dict.fromkeys(str(other.subject) for other in elsewhere or () if str(other.subject) != one.subject.node)
    )
    pod = view.pods.get(one.subject.pod)
    nodes = dict.fromkeys((one.subject.node, *(other.subject.node for other in elsewhere or ())))
    return Trouble(
        id=one.check,
        severity=one.severity,
        sentence=one.sentence + (f"; the same on {names(same, NODES_NAMED)}" if same else ""),
        since=one.at.isoformat() if one.at else "",
        nodes=tuple(node for node in nodes if node),
        about=_about(one),
        owner=f"{pod.namespace}/{top_owner(view, pod)[1]}" if pod else one.subject.pod,
        pods=(pod,) if pod else (),
        evidence=one.evidence,
        remedies=one.remedies,
        useless=one.useless,
        unknown=one.missing,
        root=one.sentence,
    )


def _about(one: Finding) -> str:
    """The GPU or the pool, by a name that stays; what has one root for several GPUs is about their node."""
    subject = one.subject
    if one.check.startswith(_AREA):
        return subject.pool
    return subject.uuid or subject.bus_id or ("" if subject.gpu is None else f"GPU {subject.gpu}") or subject.pool
