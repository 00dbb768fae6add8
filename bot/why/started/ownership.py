"""The kubelet gives all files of a volume to the pod's group before it mounts it: minutes to hours for millions.

securityContext.fsGroup; releases 1.33 and newer tell of it by events (kubernetes/kubernetes:pkg/volume).
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.started.kubelet_events import before_start, newest, times
from bot.why.started.say import clock, quote

REASON = "VolumePermissionChangeInProgress"
_FILES = Pattern(r"processed (\d{1,15}) files")
_VOLUME = Pattern(r"/volumes/[^/\s]{1,80}/([\w.-]{1,253})")


def ownership(case: Case, pod: Pod) -> Iterator[Finding]:
    """One finding where such a change is under way."""
    event = newest(before_start(case, REASON))
    if event is None:
        return
    done = _FILES.search(event.message)
    files = f", {int(done[1]):,} files so far" if done else ""
    volume = _VOLUME.search(event.message)
    named = f" `{volume[1]}`" if volume else ""
    group = case.detail.number("spec", "securityContext", "fsGroup")
    whose = f"group {group} (fsGroup)" if group is not None else "the pod's group (fsGroup)"
    yield Finding(
        "mounts.ownership",
        f"the kubelet on {pod.node} is still giving every file of volume{named} to {whose}{files}",
        evidence=tuple(_evidence(case, event)),
        remedies=(
            Remedy(
                "For the next start: set `securityContext.fsGroupChangePolicy: OnRootMismatch` in the pod's template, "
                "so that only a volume whose root folder has another group is gone through"
            ),
            Remedy("Where the image can do without it: leave fsGroup out for volumes with millions of files"),
        ),
        useless=("Deleting the pod does not help: the next one begins with the first file again",),
        until="all files are done; then it starts by itself",
    )


def _evidence(case: Case, event: Event) -> Iterator[str]:
    yield f"kubelet{times(event)}, last {clock(case, event.time)}: {quote(event.message)}"
    first = min((one.first or one.time for one in before_start(case, REASON)), default="")
    if begun := clock(case, first):
        yield f"told of first {begun}"
