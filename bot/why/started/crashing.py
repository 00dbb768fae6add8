"""Which container of a pod crashes, if one does, and whether a probe rather than itself ended it."""

from dataclasses import dataclass

from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import Container, containers
from bot.why.started.kubelet_events import of

CANNOT_START = frozenset(
    {"RunContainerError", "CreateContainerError", "StartError", "ContainerCannotRun", "PostStartHookError"}
)
HELD_BACK = frozenset({"CrashLoopBackOff", "Error", *CANNOT_START})
RECENT_SECONDS = 3600


def crashing(case: Case) -> Container | None:
    """The one with a GPU first, then the one that restarted most; None where all is well or another stage's matter."""
    pod = case.pod
    if pod is None or not pod.node or pod.phase == "Succeeded" or (pod.phase == "Failed" and pod.reason) or pod.deleted:
        return None
    own = [one for one in containers(case) if (not one.init or one.sidecar) and _crashes(case, pod, one)]
    return max(own, key=lambda one: (bool(one.gpus), one.restarts), default=None)


def _crashes(case: Case, pod: Pod, one: Container) -> bool:
    if one.waiting in HELD_BACK:
        return True
    if one.is_over:
        return bool(one.exit_code) or (pod.phase == "Running" and one.restarts > 0)
    if one.running and not one.ready and one.restarts and one.ended:
        ended = case.age_seconds(one.ended.text("finishedAt"))
        return ended is None or ended < RECENT_SECONDS
    return False


@dataclass(frozen=True, slots=True)
class Kill:
    """The kubelet ended a container because a probe failed. `probe` is liveness or startup."""

    probe: str
    event: Event


def killed_by_probe(case: Case, one: Container) -> Kill | None:
    """The newest such event about this container, unless it has ended in another way since."""
    for event in of(case, "Killing"):
        if not event.message.startswith(f"Container {one.name} failed "):
            continue
        probe = event.message.removeprefix(f"Container {one.name} failed ").partition(" ")[0]
        if probe in ("liveness", "startup") and one.exit_code not in (None, 0, 1, 2, 126, 127):
            return Kill(probe, event)
        if probe in ("liveness", "startup") and _soon_after(case, one, event):
            return Kill(probe, event)
    return None


def _soon_after(case: Case, one: Container, event: Event) -> bool:
    """An engine that ends itself when asked to has another exit code, within the grace period."""
    killed, ended = case.age_seconds(event.time), case.age_seconds(one.ended.text("finishedAt"))
    return killed is not None and ended is not None and -5 <= killed - ended < 120
