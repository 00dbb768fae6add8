"""Files that do not come: a network file system that hangs under an engine while it loads."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.time import read_time
from bot.serving.phase import Phase
from bot.why.case import Case
from bot.why.shell import kubectl
from bot.why.started.gpu_words import kernel_lines
from bot.why.started.plain import plain
from bot.why.started.say import clock, quote
from bot.why.started.start import Start

_NOT_RESPONDING = Pattern(
    r"nfs: server (?P<nfs>[\w.:-]{1,120}) not responding|(?P<other>\w{2,12}): .{0,80}(?:not responding|lost connection)"
    r"|ceph: mds\d{1,4} (?:hung|caps stale)|Lustre: .{0,120}(?:timed out|lost)"
)
_BACK = Pattern(r"nfs: server [\w.:-]{1,120} OK")


def file_server(case: Case, pod: Pod, start: Start) -> tuple[str, str]:
    """(clause, line of evidence) about a file server that the node's kernel misses since the start; else two blanks."""
    began = read_time(start.container.since)
    newest = None
    for moment, text in kernel_lines(case, pod.node):
        if began is not None and moment < began:
            continue
        if _BACK.search(text):
            newest = None
        elif found := _NOT_RESPONDING.search(text):
            newest = (moment, text, found)
    if newest is None:
        return "", ""
    moment, text, found = newest
    name = plain(found["nfs"] or "")
    who = f"the file server `{name}`" if name else "its file system"
    return f"{who} does not answer {pod.node}", f"kernel log {clock(case, moment.isoformat())}: {quote(text)}"


def remedies(pod: Pod, start: Start) -> Iterator[Remedy]:
    """Only where it loads files from somewhere."""
    progress = start.progress
    if progress is None or progress.phase is not Phase.LOAD:
        return
    path = start.container.arguments.model
    if not path.startswith("/"):
        return
    look = ("exec", pod.name, "-c", start.container.name, "--", "timeout", "20", "ls", "-la", path)
    yield Remedy(
        "See whether the model's folder still answers; if not, look at the file server and the node's mounts",
        kubectl("-n", pod.namespace, *look),
    )
