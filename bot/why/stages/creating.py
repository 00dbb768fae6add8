"""Containers that are still being created, and nobody says why: young, silent, or events could not be read.

Sandbox, volumes and images have their stages; this one speaks where none of their events is there.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.containers import any_began, containers
from bot.why.finding import Finding, Stage
from bot.why.shell import kubectl
from bot.why.started.kubelet_events import before_start, of

YOUNG_SECONDS = 120
_CREATING = frozenset({"", "ContainerCreating", "PodInitializing"})
_TOLD = (
    "FailedMount",
    "FailedAttachVolume",
    "FailedMapVolume",
    "FailedPrepareDynamicResources",
    "FailedCreatePodSandBox",
    "FailedPodSandBoxStatus",
    "NetworkNotReady",
    "VolumePermissionChangeInProgress",
)


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or pod.phase != "Pending" or not pod.node or pod.deleted or any_began(case):
        return
    node = case.view.nodes.get(pod.node)
    if any(one.waiting not in _CREATING for one in containers(case)) or (node is not None and node.ready is not True):
        return
    if before_start(case, *_TOLD) or any(True for _ in of(case, "Pulling", "Failed")):
        return
    seconds = case.age_seconds(pod.started or pod.created)
    yield _young(pod, seconds) if seconds is not None and seconds < YOUNG_SECONDS else _silent(case, pod)


def _young(pod: Pod, seconds: float) -> Finding:
    return Finding(
        "creating.young",
        f"its containers are being created on {pod.node}, for {duration(max(1.0, seconds))} so far, which is nothing "
        "unusual",
        until="they run; volumes, network and image come first",
    )


def _silent(case: Case, pod: Pod) -> Finding:
    unread = case.not_read("events")
    look = Remedy("See its events", kubectl("-n", pod.namespace, "describe", "pod", pod.name))
    if unread:
        words = "its containers are still being created; what holds them up only events tell, which could not be read"
        return Finding("creating.events-not-read", words, remedies=(look,), unknown=unread)
    return Finding(
        "creating.silent",
        f"its containers are still being created on {pod.node}, and no event says what holds them up (events are kept "
        "for an hour)",
        remedies=(
            look,
            Remedy(f"Look at what the kubelet on {pod.node} does", kubectl("describe", "node", pod.node)),
            Remedy("On the machine", "journalctl -u kubelet --no-pager -n 100"),
        ),
        unknown=("the volumes, network and devices it may be waiting for: the kubelet's own log tells",),
    )


STAGE = Stage("creating", 98, judge, needs=frozenset({"pods", "nodes", "events"}), docs=__doc__ or "")
