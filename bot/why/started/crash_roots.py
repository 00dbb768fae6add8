"""What lies behind a crash: a pod that is not there, or files that outlive restarts."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.serving.reading import Reading
from bot.why.case import Case
from bot.why.containers import Container, volume
from bot.why.finding import Finding, Level
from bot.why.shell import kubectl
from bot.why.standing import crashing
from bot.why.started.full_disk import full_disk
from bot.why.started.logs import last_words
from bot.why.started.memory_kill import memory_kill
from bot.why.started.needed import Needed, needed
from bot.why.started.not_placed import not_placed
from bot.why.started.plain import plain
from bot.why.started.pull import REASONS
from bot.why.started.say import delete_pod, quote, size

SHM = "/dev/shm"
_FULL = Pattern(r"/dev/shm.{0,80}\b\d{1,3}%")


def roots(case: Case, pod: Pod, one: Container, read: Reading) -> Iterator[Finding]:
    """At most one of each kind."""
    if (missing := needed(case, one, read.tail)) is not None:
        yield not_there(case, missing, "The crash is a consequence")
    if read.cause is not None and read.cause.signature.id.startswith("shared-memory"):
        yield from _left_over(case, pod, one)
    yield from memory_kill(case, pod, one)
    yield from full_disk(case, pod, one, read)


def not_there(case: Case, missing: Needed, what: str) -> Finding:
    """`what` begins the sentence: a crash that is a consequence, or a wait."""
    first = missing.pods[0]
    who = names([one.key for one in missing.pods])
    why = _why(case, first)
    return Finding(
        "crash.needs-other-pod",
        f"{what}: {missing.what} comes from {who} ({missing.how}), and {first.name} {_stands(first)}"
        f"{f': {why}' if why else ''}",
        Level.ROOT,
        remedies=(
            Remedy(
                f"Get {first.key} to run first; this pod then comes up by itself",
                kubectl("-n", first.namespace, "describe", "pod", first.name),
            ),
        ),
        useless=("Restarting this pod does not help before that",),
        numbers={"pods": [one.key for one in missing.pods]},
    )


def _stands(pod: Pod) -> str:
    if not pod.node:
        return "is pending: no node takes it"
    if any(one.waiting in REASONS for one in pod.states):
        return f"does not run: its image cannot be pulled on {pod.node}"
    if (worst := crashing(pod)) is not None:
        how = f"{worst.terminated}, exit code {worst.exit_code}" if worst.terminated else worst.waiting
        return f"does not run: its container `{plain(worst.name)}` crashes ({plain(how)})"
    return f"does not run (phase {pod.phase})" if pod.phase != "Running" else "is not ready"


def _why(case: Case, pod: Pod) -> str:
    """The scheduler's words about it, or the newest warning."""
    if words := not_placed(pod):
        return words
    event = next(iter(case.view.events_on("Pod", pod.namespace, pod.name)), None)
    return quote(event.message) if event is not None and event.kind == "Warning" else ""


def _left_over(case: Case, pod: Pod, one: Container) -> Iterator[Finding]:
    """An emptyDir lives as long as the pod, not the container (kubernetes.io/docs/concepts/storage/volumes)."""
    kept = volume(case, one.mounts.get(SHM, ""))
    if not isinstance(kept.get("emptyDir"), dict) or not one.restarts:
        return
    limit = kept.text("emptyDir", "sizeLimit")
    called = f"the emptyDir `{plain(kept.text('name'))}`{f' of {size(limit)}' if limit else ''}"
    full = [line for line in last_words(case, one).splitlines()[-2000:] if _FULL.search(line)]
    yield Finding(
        "crash.shared-memory-left-over",
        f"`{SHM}` is {called}, which lives as long as the pod: what crashed runs leave there stays over all "
        f"{one.restarts} restarts of the container and fills it up",
        Level.ROOT,
        evidence=(f"log: {quote(full[-1])}",) if full else (),
        remedies=(Remedy(f"Delete the pod, so that it begins with an empty `{SHM}`", delete_pod(pod), False),),
        useless=(
            f"Waiting for a container restart does not clear `{SHM}`, and a larger sizeLimit alone only fills up later",
        ),
    )
