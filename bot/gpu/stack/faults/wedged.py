"""The driver hangs: the GPU's firmware does not answer, and whoever asks the driver waits for ever in the kernel.

Xid 119 and 120 are GSP firmware faults; they often follow a monitoring process that was killed while it talked to the
driver (NVIDIA/dcgm-exporter#84). Kubernetes still counts all GPUs. Only a reboot helps, often a forced one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.time import read_time
from bot.domain.words import names
from bot.gpu import xid
from bot.gpu.kernel_log import XidLine
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import clock
from bot.gpu.stack.sight import Sight

ID = "driver_hangs"
FIRMWARE = frozenset({119, 120})
LONGEST_BEFORE_SECONDS = 120.0  # between a killed process and the fault that it leaves behind
EXPLAINS = frozenset({"xid", "unhealthy", "missing", "operand", "plugin", "plugin_stopped", "condition", "rejects"})


@dataclass(frozen=True, slots=True)
class Killed:
    """A monitoring process that was killed; `pod` where it is known."""

    name: str
    time: datetime
    pod: Pod | None = None


def find(sight: Sight) -> Fault | None:
    firmware = [one for one in sight.kernel.xids if one.code in FIRMWARE]
    hung = sight.kernel.hung
    if not firmware and not hung:
        return None
    start = firmware[0].time if firmware else hung[0].time
    killed = _killed_before(sight, start)
    return Fault(
        ID,
        sight.name,
        _sentence(sight, firmware, start, killed),
        evidence=tuple(_evidence(sight, firmware, killed)),
        remedies=tuple(_remedies(sight, killed)),
        useless=(
            f"Deleting pods that do not start on {sight.name} does not help: each new one waits for the same driver",
            "A GPU reset may hang as well: the reset goes through the same driver",
        ),
        explains=EXPLAINS,
    )


def _sentence(sight: Sight, firmware: list[XidLine], start: datetime | None, killed: Killed | None) -> str:
    since = f" since {clock(start)}" if start else ""
    after = f", right after {killed.name} was killed for its memory" if killed else ""
    if not firmware:
        return f"{sight.name}'s GPU driver hangs{since}: programs that ask it do not come back{after}"
    codes = names([str(code) for code in dict.fromkeys(one.code for one in firmware)])
    buses = names(list(dict.fromkeys(one.bus for one in firmware)))
    what = f"Xid {codes} on GPU {buses} (its firmware, GSP, does not answer)"
    return f"{sight.name}'s GPU driver hangs{since}: {what}{after}"


def _evidence(sight: Sight, firmware: list[XidLine], killed: Killed | None) -> Iterator[str]:
    if killed is not None:
        pod = f" ({killed.pod.key})" if killed.pod else ""
        yield f"{killed.time:%H:%M:%S} {killed.name}{pod} killed, out of memory (OOMKilled, exit code 137)"
    for code in dict.fromkeys(one.code for one in firmware):
        lines = [one for one in firmware if one.code == code]
        at = f"{lines[0].time:%H:%M:%S} " if lines[0].time else ""
        yield f"{at}kernel: {xid.of(code).told} on {lines[0].bus}{f', {len(lines)} times' if len(lines) > 1 else ''}"
    tasks = {task.name: task for task in sight.kernel.hung}
    for task in list(tasks.values())[:2]:
        yield f"kernel: `{task.name}` is blocked for more than {task.seconds} s, {sight.ago(task.time)}"
    if sight.offered:
        yield f"Kubernetes still counts {sight.offered} GPUs there as healthy: it does not see the hang"


def _remedies(sight: Sight, killed: Killed | None) -> Iterator[Remedy]:
    yield commands.cordon(sight.name)
    yield commands.drain(sight)
    yield commands.reboot(
        sight.name, "from the cloud or its BMC if it does not go down by itself; a process that hangs can hold it up"
    )
    if killed is not None and killed.pod is not None and killed.pod.owner is not None:
        owner = killed.pod.owner
        yield Remedy(
            f"Give {killed.name} more memory: a kill while it talks to the driver is what left it hanging",
            f"kubectl -n {commands.quoted(killed.pod.namespace)} set resources "
            f"{owner.kind.lower()}/{commands.quoted(owner.name)} --limits=memory=512Mi{_container(killed.pod)}",
            cost="its pods are restarted; do it after the reboot",
        )
    yield Remedy("Update driver and exporter when it happens again: firmware hangs were mended in later releases")


def _container(pod: Pod) -> str:
    main = next((one.name for one in pod.containers if not one.init), "")
    return f" -c {commands.quoted(main)}" if main else ""


def _killed_before(sight: Sight, start: datetime | None) -> Killed | None:
    """The monitoring process that was killed shortly before."""
    if start is None:
        return None
    known = [*_by_kernel(sight), *_by_status(sight)]
    near = [one for one in known if 0 <= (start - one.time).total_seconds() <= LONGEST_BEFORE_SECONDS]
    return max(near, key=lambda one: (one.pod is not None, one.time), default=None)


def _by_kernel(sight: Sight) -> Iterator[Killed]:
    for task in sight.kernel.killed:
        if task.time is not None:
            yield Killed(task.name, task.time, _exporter(sight))


def _by_status(sight: Sight) -> Iterator[Killed]:
    pod = _exporter(sight)
    if pod is None:
        return
    whole: Fields = sight.evidence.object("Pod", pod.namespace, pod.name)
    for status in whole.each("status", "containerStatuses"):
        ended = status.at("lastState", "terminated")
        time = read_time(ended.text("finishedAt"))
        if ended.text("reason") == "OOMKilled" and time is not None:
            yield Killed(pod.owner.name if pod.owner else pod.name, time, pod)


def _exporter(sight: Sight) -> Pod | None:
    found = [*sight.links.get(Link.EXPORTER, ()), *sight.links.get(Link.DCGM, ())]
    return max(found, key=lambda pod: max((state.restarts for state in pod.states), default=0), default=None)
