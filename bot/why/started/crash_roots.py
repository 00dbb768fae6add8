"""What lies behind a crash: a pod that is not there, or files that outlive restarts."""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.serving.reading import Reading
from bot.why.case import Case
from bot.why.containers import Container, volume
from bot.why.finding import Finding, Level
from bot.why.started.logs import last_words
from bot.why.started.needed import Needed, needed
from bot.why.started.not_placed import not_placed
from bot.why.started.plain import plain
from bot.why.started.say import delete_pod, kubectl, quote, size

SHM = "/dev/shm"
_FULL = re.compile(r"/dev/shm.{0,80}\b\d{1,3}%")


def roots(case: Case, pod: Pod, one: Container, read: Reading) -> Iterator[Finding]:
    """At most one of each kind; all need the log's words."""
    if (missing := needed(case, one, read.tail)) is not None:
        yield _not_there(case, missing)
    if read.cause is not None and read.cause.signature.id.startswith("shared-memory"):
        yield from _left_over(case, pod, one)


def _not_there(case: Case, missing: Needed) -> Finding:
    first = missing.pods[0]
    who = names([one.key for one in missing.pods])
    why = _why(case, first)
    stands = "is pending: no node takes it" if not first.node else f"does not run (phase {first.phase})"
    return Finding(
        "crash.needs-other-pod",
        f"The crash is a consequence: {missing.what} comes from {who} ({missing.how}), and {first.name} {stands}"
        f"{f': {why}' if why else ''}",
        Level.ROOT,
        remedies=(
            Remedy(
                f"Get {first.key} to run first; this pod then comes up by itself at its next restart",
                kubectl("-n", first.namespace, "describe", "pod", first.name),
            ),
        ),
        useless=("Restarting this pod does not help before that",),
        numbers={"pods": [one.key for one in missing.pods]},
    )


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
