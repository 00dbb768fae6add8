"""Pods on the same node that can use GPUs although the scheduler counts none for them.

A container with the nvidia runtime class or NVIDIA_VISIBLE_DEVICES sees GPUs without a request. The accounting calls
these GPUs free, and the pod that gets one finds its memory taken. The same happens where device plugin and DRA driver
both hand out a node's GPUs. Told where a pod's own words or the driver speak of GPU memory that is not there, and of a
node as something to know. Parts of the GPU operator are no such pods.

What it cannot see: images that set the variable themselves, host processes, privileged containers.
"""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.evidence import LogRef, Wanted
from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.faults import doubled
from bot.gpu.stack.pods import asks_gpu, stuck
from bot.gpu.stack.untracked import Untracked, untracked
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.gpu_nodes import in_question
from bot.why.standing import of_pod as standing

TOLD = 4
_MEMORY = Pattern(
    r"free memory on device .{0,80}less than|CUDA out of memory|CUDA error: out of memory|cudaErrorMemoryAllocation"
    r"|No available memory for the cache blocks|OutOfMemoryError: .{0,40}CUDA",
    re.IGNORECASE,
)


def judge(case: Case) -> Iterator[Finding]:
    """A root where the pod misses GPU memory; else a note, for a node that is asked about."""
    node = case.subject.node or (case.view.nodes.get(case.pod.node) if case.pod and case.pod.node else None)
    if node is None:
        return
    found = [one for one in untracked(case.view, case.view.on_node(node.name)) if one.link is None]
    found.sort(key=lambda one: one.pod.key)
    if found and case.subject.node is not None:
        yield _note(node, found)
    elif (line := _misses_memory(case)) and (double := doubled.find(in_question(case)[0])):
        yield _twice(double, line)
    elif found and line:
        yield _root(node, [one for one in found if one.pod is not case.pod], line)


def wants(case: Case) -> Wanted:
    """The last words of a pod that uses GPUs and does not come up."""
    return Wanted(tuple(_logs(case)))


def _logs(case: Case) -> Iterator[LogRef]:
    pod = case.pod
    if pod is None or not pod.node or not asks_gpu(pod) or standing(pod, case).well:
        return
    state = stuck(pod) or next((one for one in pod.states if one.restarts), None)
    if state is not None:
        yield LogRef(pod.namespace, pod.name, state.name)
        yield LogRef(pod.namespace, pod.name, state.name, previous=True)


def _misses_memory(case: Case) -> str:
    """The line in its logs that says so."""
    for ref in _logs(case):
        lines = case.evidence.texts.get(ref, "").splitlines()
        if line := next((one for one in reversed(lines) if _MEMORY.search(one)), ""):
            return line.strip()
    return ""


def _root(node: Node, others: list[Untracked], line: str) -> Finding:
    who = names([one.pod.key for one in others])
    sees = "sees" if len(others) == 1 else "see"
    them = "it" if len(others) == 1 else "them"
    return Finding(
        "untracked_gpus.memory",
        f"{node.name} also runs {who}, which {sees} its GPUs without a GPU request: nobody counts what {them} "
        f"{'takes' if len(others) == 1 else 'take'} of their memory",
        Level.ROOT,
        evidence=(*(one.told for one in others[:TOLD]), f"its own log: “{inert(line)}”"),
        remedies=(*_ends(others), *_requests(others)),
        useless=("Asking for less memory does not help for long: what others take is not bounded",),
        unknown=("which of them holds how much: only the node's own readings tell",),
        numbers={"pods": len(others)},
    )


def _twice(fault: Fault, line: str) -> Finding:
    """The GPU that it got is another pod's as well."""
    return Finding(
        f"untracked_gpus.{fault.id}",
        fault.sentence,
        Level.ROOT,
        evidence=(*fault.evidence, f"its own log: “{inert(line)}”"),
        remedies=fault.remedies,
        useless=("Asking for less memory does not help for long: what the other one takes is not bounded",),
    )


def _note(node: Node, found: list[Untracked]) -> Finding:
    return Finding(
        "untracked_gpus.present",
        f"{count(len(found), 'pod')} there {'sees' if len(found) == 1 else 'see'} its GPUs without a GPU request: "
        f"{names([one.pod.key for one in found])}",
        Level.NOTE,
        evidence=tuple(one.told for one in found[:TOLD]),
        numbers={"pods": len(found)},
    )


def _ends(others: list[Untracked]) -> Iterator[Remedy]:
    for one in others[:TOLD]:
        if one.daemon:
            yield Remedy(
                f"Have DaemonSet {one.pod.namespace}/{one.daemon} leave the GPUs alone: no nvidia runtime, no variable"
            )
        else:
            yield Remedy(
                f"Stop or move {one.pod.key}, if its owner agrees",
                commands.delete(one.pod),
                cost="what it does is lost",
            )


def _requests(others: list[Untracked]) -> Iterator[Remedy]:
    if others:
        yield Remedy(
            f"For good: have {others[0].pod.key} request a GPU (`nvidia.com/gpu: 1`), and refuse "
            "NVIDIA_VISIBLE_DEVICES in pods that request none"
        )


STAGE = Stage(
    "untracked_gpus",
    77,
    judge,
    wants,
    needs=frozenset({"nodes", "pods", "runtimeclasses"}),
    docs=__doc__ or "",
)
