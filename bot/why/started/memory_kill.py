"""The kernel killed one process of a container for the container's memory limit, and the program ended by itself then.

The container's own reason is not OOMKilled where only a worker was killed. The kernel's words are
torvalds/linux:mm/oom_kill.c and mm/memcontrol.c; a group's path holds the pod's uid (kubelet's cgroup driver).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.quantity import parsed
from bot.domain.time import read_time
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.finding import Finding, Level
from bot.why.started.gpu_words import kernel_lines
from bot.why.started.plain import plain
from bot.why.started.say import clock, of_it, quote, size

_KILLED = Pattern(r"Memory cgroup out of memory: Killed process (\d{1,9}) \(([^)]{1,40})\)(.{0,300})")
_LIMIT = Pattern(r"memory: usage \d{1,15}kB, limit (\d{1,15})kB")
_RSS = Pattern(r"\b(anon|shmem)-rss:(\d{1,15})kB")
_BEFORE = timedelta(seconds=10)  # lines of one kill stand close together
_AFTER_END = timedelta(seconds=60)
_REPORT_LINES = 400  # of one kill: the list of the group's processes is in it


@dataclass(frozen=True, slots=True)
class Kill:
    """`kib`: resident memory by kind (anon, shmem)."""

    moment: datetime
    process: str
    kib: dict[str, int]
    line: str


def memory_kill(case: Case, pod: Pod, one: Container) -> Iterator[Finding]:
    """At most one: the newest kill in the run that ended last, where the log says that it was this pod's."""
    kill = _newest(case, pod, one)
    if kill is None:
        return
    limit = one.limits.get("memory", "")
    whose = f" of {size(limit)}" if limit else ""
    shared = kill.kib.get("shmem", 0) * 1024
    yield Finding(
        "crash.memory-kill",
        f"The kernel of {pod.node} killed its process `{plain(kill.process)}`, as the memory limit{whose} of "
        f"`{one.name}`{of_it(case)} was reached, and the program ended for that",
        Level.ROOT,
        evidence=(
            f"kernel log {clock(case, kill.moment.isoformat())}: {quote(kill.line)}",
            *([f"{size(shared)} of its memory is shared memory (`/dev/shm`), which counts"] if shared > 2**30 else []),
        ),
        remedies=(Remedy(f"Raise the memory limit of `{one.name}`, as far as {pod.node} has room"),),
        useless=("GPU memory has nothing to do with it: this is memory of the host",),
    )


def _newest(case: Case, pod: Pod, one: Container) -> Kill | None:
    began, over = read_time(one.ended.text("startedAt")), read_time(one.ended.text("finishedAt"))
    lines = list(kernel_lines(case, pod.node))
    for index in range(len(lines) - 1, -1, -1):
        moment, text = lines[index]
        found = _KILLED.search(text)
        if found is None or (over is not None and moment > over + _AFTER_END) or (began is not None and moment < began):
            continue
        report = [said for at, said in lines[max(0, index - _REPORT_LINES) : index + 1] if at >= moment - _BEFORE]
        if _is_ours(pod, one, report):
            return Kill(moment, found[2], {kind: int(kib) for kind, kib in _RSS.findall(found[3])}, found[0])
    return None


def _is_ours(pod: Pod, one: Container, report: list[str]) -> bool:
    """By the pod's uid in a group's path, else by the very limit of the container."""
    marks = {pod.uid, pod.uid.replace("-", "_")} - {""}
    if any(mark in text for text in report for mark in marks):
        return True
    limit = parsed(one.limits.get("memory", ""))
    told = [int(found[1]) * 1024 for text in report if (found := _LIMIT.search(text))]
    return limit is not None and bool(told) and told[-1] == limit
