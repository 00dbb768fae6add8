"""The kubelet ended the pod because its node ran short of something, or the pod passed a limit of its own."""

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import volume
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.eviction import DISK, Eviction, User, read_eviction
from bot.why.started.kubelet_words import message
from bot.why.started.model_cache import Cache, cache_of
from bot.why.started.owned import counted, replaced
from bot.why.started.say import quote, size

_RESOURCES = {
    "memory": "memory",
    DISK: "disk space (ephemeral-storage)",
    "inodes": "inodes on its disk",
    "pids": "process ids",
}


def evicted(case: Case, pod: Pod) -> Finding:
    """One finding for every way in which kubelets evict."""
    text = message(case)
    found = read_eviction(text)
    user = found.user
    memory = bool(found.volume) and volume(case, found.volume).text("emptyDir", "medium") == "Memory"
    on_disk = DISK in (found.resource, _whose(found)) and not found.by_others and not found.volume
    cache = cache_of(case, user.container if user else "") if on_disk else None
    return Finding(
        f"kubelet.evicted-{found.resource or 'limit' if found.limit_of else found.resource or 'condition'}",
        _sentence(pod, found, user, cache, memory),
        evidence=(
            *([f"kubelet: {quote(text, 300)}"] if text else []),
            *(_disk_evidence(user, cache) if user and found.resource == DISK and not found.by_others else ()),
            *counted(case, pod, "evicted"),
            f"an evicted pod does not run again: {replaced(pod)}",
        ),
        remedies=tuple(_of_volume(found, memory) if found.volume else _remedies(pod, found, user, cache)),
        useless=() if found.volume else _useless(found),
    )


def _whose(found: Eviction) -> str:
    return DISK if found.limit_of else ""


def _sentence(pod: Pod, found: Eviction, user: User | None, cache: Cache | None, memory: bool) -> str:
    if found.limit_of and found.volume:
        lies = "memory" if memory else "the node's disk"
        return (
            f"the kubelet on {pod.node} evicted it because {found.limit_of}, which lies in {lies}, passed its "
            f"sizeLimit of {size(found.limit)}"
        )
    if found.limit_of:
        limit = f"its limit of {size(found.limit)} of disk space (ephemeral-storage)"
        return f"the kubelet on {pod.node} evicted it because {found.limit_of} passed {limit}"
    if not found.resource:
        condition = f" ({found.condition})" if found.condition else ""
        return f"the kubelet on {pod.node} evicted it because the node was short of something{condition}"
    what = _RESOURCES.get(found.resource, f"`{found.resource}`")
    left = f", {size(found.available)} left where it evicts below {size(found.threshold)}" if found.available else ""
    return f"{pod.node} ran short of {what}{left}{_user(found, user, cache)}"


def _user(found: Eviction, user: User | None, cache: Cache | None) -> str:
    if user is None:
        return ""
    if found.by_others:
        return f"; `{user.container}` had written only {size(user.used)} itself, so something else filled that disk"
    asked = f"requests no {found.resource}" if user.asked_nothing else f"requests {size(user.asked)}"
    if found.resource != DISK:
        return f"; `{user.container}` used {size(user.used)} and {asked}"
    what = "downloaded model files" if cache and cache.downloads else "files"
    return f"; `{user.container}` had written {size(user.used)} of {what} to its own root disk and {asked}"


def _disk_evidence(user: User, cache: Cache | None) -> tuple[str, ...]:
    lines = [f"the {size(user.used)} are on the container's own root disk (and its logs): volumes are counted apart"]
    if cache is not None:
        lines += cache.evidence
    return tuple(lines)


def _remedies(pod: Pod, found: Eviction, user: User | None, cache: Cache | None) -> list[Remedy]:
    if found.by_others:
        return _others(pod)
    if found.resource == DISK or found.limit_of:
        amount = f" of more than {size(user.used)}" if user else ""
        return [
            *(cache.remedies if cache else ()),
            Remedy(f"Request and limit `{DISK}`{amount}, so that the scheduler picks a node with that much disk"),
            Remedy(f"Use a node with a larger disk than {pod.node}"),
        ]
    look = kubectl("describe", "node", pod.node)
    if found.resource == "memory":
        return [
            Remedy("Set the memory request to what the container really uses: such pods are evicted last"),
            Remedy(f"See what else uses the memory of {pod.node}", look),
        ]
    return [Remedy(f"See what {pod.node} is short of, and whether it still is", look)]


def _of_volume(found: Eviction, memory: bool) -> list[Remedy]:
    counts = ", and the container's memory limit with it: files there count" if memory else ""
    return [
        Remedy(f"Raise the sizeLimit of emptyDir `{found.volume}` in the pod's template{counts}"),
        Remedy("Or see what fills it: files of earlier runs live as long as the pod"),
    ]


def _others(pod: Pod) -> list[Remedy]:
    """Pods that stay below their request go last (kubernetes.io/docs/concepts/scheduling-eviction)."""
    every = kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={pod.node}")
    disk = kubectl("debug", f"node/{pod.node}", "-it", "--image=busybox", "--", "df", "-h", "/host")
    return [
        Remedy(f"See how full the disk of {pod.node} is now", disk),
        Remedy("Look for what fills it: large images, logs, downloads of the other pods there", every),
        Remedy(f"Give this pod a small request of `{DISK}` (1Gi): pods below their request are evicted last"),
    ]


def _useless(found: Eviction) -> tuple[str, ...]:
    if found.resource == DISK or found.limit_of:
        return ("This has nothing to do with memory, neither the host's nor the GPU's",)
    return ()
