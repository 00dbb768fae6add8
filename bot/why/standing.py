"""How a thing stands, in a few words, before anybody asks why: waits, starts, crashes again and again, runs."""

from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.pod import ContainerState, Pod
from bot.domain.thing import Thing
from bot.domain.time import seconds_since
from bot.domain.words import count, duration
from bot.why.case import Case
from bot.why.lws_groups import groups_of
from bot.why.standing_queues import of_queueing
from bot.why.started.plain import plain
from bot.why.subject import Subject

SOON_SECONDS = 60.0
CRASHING = frozenset({"CrashLoopBackOff", "Error", "RunContainerError", "StartError", "CreateContainerError"})


@dataclass(frozen=True, slots=True)
class Standing:
    """`words` continue the subject's name: "waits 2 h". `well`: nobody needs to ask why."""

    words: str
    well: bool = False


def stands(case: Case) -> Standing:
    """Of the subject; where it is no pod, of the object itself."""
    subject = case.subject
    if subject.pod is not None:
        return of_pod(subject.pod, case)
    if subject.node is not None:
        return _node(case)
    return _owner(case)


def of_pod(pod: Pod, case: Case) -> Standing:
    age = since(case, pod.created)
    if pod.deleted:
        over = seconds_since(pod.deleted, case.now)  # deletionTimestamp is when its grace period ends
        if over is not None and over < 0:
            return Standing("is being ended", well=over > -SOON_SECONDS)
        return Standing(f"has been terminating{since(case, pod.deleted, for_=True)}")
    if pod.phase == "Failed":
        return Standing(f"has failed ({pod.reason})" if pod.reason else "has failed")
    if pod.phase == "Succeeded":
        return Standing("has completed", well=True)
    if not pod.node:
        return Standing(f"waits{age}")
    if (worst := crashing(pod)) is not None:
        again = f", {count(worst.restarts, 'restart')}" if worst.restarts else ""
        return Standing(
            f"crashes again and again on {pod.node}{again}" if worst.restarts > 1 else f"crashed on {pod.node}"
        )
    if pod.phase == "Pending":
        return Standing(f"is on {pod.node} but has not started{since(case, pod.started or pod.created, for_=True)}")
    not_ready = pod.condition("Ready")
    if not_ready is not None and not_ready.status != "True":
        return Standing(f"runs on {pod.node} but is not ready{since(case, not_ready.since or pod.started, for_=True)}")
    return Standing(f"runs and is ready on {pod.node}", well=True)


def crashing(pod: Pod) -> ContainerState | None:
    """The container that has ended and is held back, or ended last; None where none has."""
    bad = [one for one in pod.states if one.waiting in CRASHING or (one.terminated and one.exit_code and not one.ready)]
    return max(bad, key=lambda one: one.restarts, default=None)


def rank(pod: Pod) -> tuple[int, str, str]:
    """Sorts the pod that is worst off first: waiting, failing, starting, not ready, well."""
    if pod.phase == "Succeeded":
        place = 9
    elif not pod.node and pod.phase != "Failed":
        place = 0
    elif crashing(pod) is not None:
        place = 1
    elif pod.phase == "Pending":
        place = 2
    elif pod.phase == "Failed":
        place = 3
    else:
        ready = pod.condition("Ready")
        place = 4 if ready is not None and ready.status != "True" else 8
    return place, pod.created, pod.key


def since(case: Case, time: str, *, for_: bool = False) -> str:
    """` 2 h 10 min`, with ` for` before it where the sentence wants it; nothing where the time is not known."""
    seconds = seconds_since(time, case.now)
    if seconds is None:
        return ""
    return f"{' for' if for_ else ''} {duration(max(1.0, seconds))}"


def _node(case: Case) -> Standing:
    node = case.subject.node
    assert node is not None
    ready = {True: "is Ready", False: "is not Ready", None: "does not report"}[node.ready]
    return Standing(
        f"{ready} and cordoned" if node.unschedulable else ready, well=node.ready is True and not node.unschedulable
    )


def _owner(case: Case) -> Standing:
    subject = case.subject
    if subject.thing is None:
        return Standing("is asked about")
    fields = case.fields(subject.thing)
    if subject.thing.kind == "Job" and fields.condition("Complete").text("status") == "True":
        return Standing("is complete", well=True)
    if subject.thing.kind == "Job" and (failed := fields.condition("Failed")).text("status") == "True":
        reason = plain(failed.text("reason"), 60)
        return Standing(f"has failed ({reason})" if reason else "has failed")
    wanted = fields.number("spec", "replicas")
    if wanted is None:
        wanted = fields.number("spec", "parallelism")
    if subject.thing.kind == "LeaderWorkerSet" and wanted is not None:
        return _groups(case, subject.thing, wanted)
    if wanted == 0:
        return Standing("is scaled to 0", well=not subject.pods)
    ready = sum(1 for pod in subject.pods if rank(pod)[0] == 8)
    if subject.thing.kind == "Job" and (done := fields.number("status", "succeeded")):
        return _job(subject, fields, done, ready)
    if subject.thing.kind == "DaemonSet":
        wanted = fields.number("status", "desiredNumberScheduled")
    if (queueing := of_queueing(case, subject.thing, ready)) is not None:
        return Standing(*queueing)
    if wanted is None:
        words = f"has {count(len(subject.pods), 'pod')}, {ready} ready" if subject.pods else "has no pods"
        return Standing(words, well=ready == len(subject.pods) > 0)
    return Standing(f"has {ready} of {count(wanted, 'pod')} ready", well=ready >= wanted > 0)


def _job(subject: Subject, fields: Fields, done: int, ready: int) -> Standing:
    """Some of its runs are over: the last ones need fewer pods at once than the first."""
    of_all = fields.number("spec", "completions")
    there = sum(1 for pod in subject.pods if not pod.finished)
    runs = "runs" if ready == 1 else "run"
    words = f"has done {done:,} of {of_all:,}" if of_all else f"has done {done:,}"
    return Standing(f"{words}, {ready} of {count(there, 'pod')} {runs}", well=ready == there > 0)


def _groups(case: Case, thing: Thing, wanted: int) -> Standing:
    """A leader without its workers is of no use, so whole groups are counted."""
    groups = groups_of(case.view, thing)
    complete = sum(one.complete for one in groups)
    return Standing(
        f"has {complete} of {count(wanted, 'group')} complete", well=complete >= wanted > 0 and complete == len(groups)
    )
