"""A node that a waiting pod could use, if feature discovery had set the label there that the pod selects on.

`nvidia.com/gpu.product` and its kin are written by a pod on the node. Where that pod fails, the label is missing and
the node counts as "didn't match": the pod waits although GPUs are free. Told where the node has the GPUs free, lacks
only labels that feature discovery sets, and other nodes of its machine type or pool carry what the pod asks for.
"""

from collections.abc import Iterator
from itertools import islice

from bot.domain.answer import Remedy
from bot.domain.evidence import LogRef, Wanted
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.selectors import Requirement
from bot.domain.text import inert, natural
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource
from bot.gpu.plugin_log import read
from bot.gpu.policy import first_label
from bot.gpu.stack import commands
from bot.gpu.stack.expected import INSTANCE_TYPE
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.recognise import of_pod
from bot.gpu.stack.setters import setter
from bot.scheduling.columns import with_room
from bot.scheduling.filters.node_affinity import Answers, Mismatch
from bot.scheduling.tolerance import untolerated
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage

LOOKED_UP = 2
_SETTERS = (Link.GPU_FEATURES, Link.NODE_FEATURES)


def judge(case: Case) -> Iterator[Finding]:
    """The first such node as a root, the others counted with it."""
    found = list(islice(_hidden(case), 40))
    if not found:
        return
    node, missing, twins = found[0]
    link = setter(missing[0].key) or Link.GPU_FEATURES
    writer = _writer(case, node, link)
    others = [one.name for one, _, _ in found[1:]]
    wanted = names([f"`{one.key}`" for one in missing])
    yield Finding(
        "feature_labels.missing",
        f"{node.name} has {_free(case, node)} free and lacks only the label {wanted}, which {link} sets: "
        f"{_state(node, link, writer)}" + (f"; the same on {names(others, 2)}" if others else ""),
        Level.ROOT,
        evidence=tuple(_evidence(case, missing, twins, writer)),
        remedies=tuple(_remedies(node, missing, twins, writer)),
        useless=("More nodes do not help while a free one is only not labelled",),
        numbers={"nodes": len(found)},
    )


def wants(case: Case) -> Wanted:
    """Logs of the pods that should have set the labels."""
    refs = []
    for node, missing, _ in islice(_hidden(case), LOOKED_UP):
        writer = _writer(case, node, setter(missing[0].key) or Link.GPU_FEATURES)
        held = stuck(writer) if writer else None
        if writer is not None and held is not None:
            refs.append(LogRef(writer.namespace, writer.name, held.name))
    return Wanted(tuple(refs))


def _hidden(case: Case) -> Iterator[tuple[Node, tuple[Requirement, ...], list[Node]]]:
    """Nodes with room, what they lack, and the nodes like them that have it; by name."""
    pod = case.pod
    asked = {name: amount for name, amount in pod.requests.items() if amount and is_gpu_resource(name)} if pod else {}
    if pod is None or not case.waits or not asked:
        return
    answers = Answers(pod.spec)
    roomy = [info.node for info in with_room(case.state.snapshot, sorted(asked.items()))]
    unlike = [node for node in roomy if answers(node) is not None]
    for node in sorted(unlike, key=lambda one: natural(one.name)):
        failure = answers(node) if node.ready is True and not node.unschedulable else None
        if failure is None or untolerated(node.taints, pod.spec.tolerations) is not None:
            continue
        missing = _missing(node, failure.detail) if isinstance(failure.detail, Mismatch) else ()
        twins = [one for one in _alike(case, node) if answers(one) is None] if missing else []
        if missing and twins:
            yield node, missing, twins


def _missing(node: Node, detail: Mismatch) -> tuple[Requirement, ...]:
    """What it lacks, where all of that is absent and feature discovery's business; else nothing."""
    selector = tuple(Requirement(key, "In", (value,)) for key, value in detail.selector)
    for term in detail.terms or ((),):
        lacked = tuple(dict.fromkeys((*selector, *term)))
        if lacked and all(one.key not in node.labels and setter(one.key) in _SETTERS for one in lacked):
            return lacked
    return ()


def _alike(case: Case, node: Node) -> Iterator[Node]:
    """Other nodes of its machine type, or of its pool where the type is not told."""
    kind = node.labels.get(INSTANCE_TYPE, "")
    pool = first_label(node.labels, case.policy.pool_labels)
    for one in case.view.nodes.values():
        same_kind = bool(kind) and one.labels.get(INSTANCE_TYPE, "") == kind
        same_pool = not kind and bool(pool) and first_label(one.labels, case.policy.pool_labels) == pool
        if one is not node and (same_kind or same_pool):
            yield one


def _free(case: Case, node: Node) -> str:
    held = case.view.requested_on(node.name)
    asked = [name for name in (case.pod.requests if case.pod else ()) if is_gpu_resource(name)]
    return names([f"{node.allocatable.get(name, 0) - held.get(name, 0)} `{name}`" for name in asked])


def _writer(case: Case, node: Node, link: Link) -> Pod | None:
    found = sorted((pod for pod in case.view.on_node(node.name) if of_pod(pod) is link), key=lambda pod: pod.key)
    return next((pod for pod in found if stuck(pod) is not None), found[0] if found else None)


def _state(node: Node, link: Link, writer: Pod | None) -> str:
    if writer is None:
        return f"no pod of it is on {node.name}"
    held = stuck(writer)
    if held is None:
        return f"its pod {writer.key} runs there and has not set it"
    how = (
        f"crashes ({count(held.restarts, 'restart')})"
        if held.restarts
        else f"is held up ({held.waiting or 'not ready'})"
    )
    return f"its pod {writer.key} {how}"


def _evidence(case: Case, missing: tuple[Requirement, ...], twins: list[Node], writer: Pod | None) -> Iterator[str]:
    key = missing[0].key
    like = [f"{one.name} (`{one.labels.get(key, '')}`)" for one in twins]
    yield f"nodes like it carry `{key}`: {names(like)}"
    held = stuck(writer) if writer else None
    if writer is not None and held is not None:
        log = read(case.evidence.texts.get(LogRef(writer.namespace, writer.name, held.name), ""))
        if log.last:
            yield f"log of {writer.key}: “{inert(log.said[-1].quote if log.said else log.last)}”"


def _remedies(node: Node, missing: tuple[Requirement, ...], twins: list[Node], writer: Pod | None) -> Iterator[Remedy]:
    held = stuck(writer) if writer else None
    if writer is not None and held is not None:
        yield Remedy("Read its log", commands.logs(writer, held.name, previous=held.restarts > 0))
    if writer is not None:
        yield Remedy(
            "Start it anew: it reads the driver once, when it starts", commands.delete(writer), cost="none for GPU pods"
        )
    values = {one.key: twins[0].labels.get(one.key, "") for one in missing}
    if all(values.values()):
        yield Remedy(
            f"Until it works, set the label by hand, if {node.name} has the same GPUs as {twins[0].name}",
            commands.label(node.name, values.items()),
            cost="kept by hand until feature discovery works again",
        )


STAGE = Stage(
    "feature_labels",
    74,
    judge,
    wants,
    needs=frozenset({"nodes", "pods"}),
    docs=__doc__ or "",
)
