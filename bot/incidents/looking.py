"""A sweep as a look: bundles of alerts with whom they hit, and what the sweep could see of what it did not find."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from bot.alerts.fingerprint import bundle, fingerprint
from bot.domain.alert import Alert, Bundle, Content, Look, Seen
from bot.domain.answer import Remedy
from bot.domain.evidence import Evidence, LogRef, Wanted
from bot.domain.pod import Pod
from bot.domain.severity import Severity
from bot.domain.source import Reading
from bot.domain.text import inert
from bot.domain.view import View
from bot.gpu.owners import team, top_owner
from bot.gpu.policy import Policy
from bot.incidents import blast
from bot.sweep.owners import owners
from bot.sweep.suspects import groups
from bot.sweep.sweep import NEEDED
from bot.sweep.trouble import Sweep

_FRESH = frozenset({Reading.LIVE, Reading.READ})  # a connection that is gone shows what was, not what is


def look_of(
    swept: Sweep,
    view: View,
    policy: Policy,
    asked: Wanted,
    evidence: Evidence,
    now: datetime,
    tokens: Mapping[str, float] | None = None,
) -> Look:
    """Of the same view as the sweep. tokens: see `bot.incidents.blast`."""
    found = []
    for entry in swept.entries:
        hits = blast.hits(entry, view, policy, tokens)
        teams = {one.owner: one.team for one in hits}
        for pod in entry.pods:
            teams.setdefault(f"{pod.namespace}/{top_owner(view, pod)[1]}", team(view, pod, policy))
        found.append(bundle(entry, teams, hits))
    found += [own_failure("check", f"The check {one}") for one in swept.failed]
    return Look(bundles=tuple(found), seen=seen(swept, view, asked, evidence, now))


def own_failure(what: str, who: str, error: Exception | None = None) -> Bundle:
    """An alert about gpubot itself: a bug that keeps it from seeing something. what: `check` or `sweep`."""
    cause = f"gpubot.{what}"
    severity = Severity.CRITICAL if what == "sweep" else Severity.WARNING
    told = f": {type(error).__name__}" if error is not None else ""
    title = f"{inert(who)} failed{told}; {'nothing is watched' if what == 'sweep' else 'the others go on'}"
    alert = Alert(fingerprint=fingerprint(cause, who), cause=cause, severity=severity, subject=who)
    remedy = Remedy(
        "Report it with the log of gpubot, which has the trace: this is a bug in gpubot, not in the cluster"
    )
    return Bundle(alerts=(alert,), content=Content(title=title, cause=cause, severity=severity, remedies=(remedy,)))


def seen(swept: Sweep, view: View, asked: Wanted, evidence: Evidence, now: datetime) -> Seen:
    """What may be taken for well where nothing was found."""
    return Seen(
        told=swept.told and all(view.source(kind).reading in _FRESH for kind in NEEDED),
        nodes=frozenset(view.nodes),
        blind=swept.blind,
        ill=frozenset(_ill(swept, view, now)),
        unread=frozenset(_unread(view, asked.refs, evidence)),
    )


def _ill(swept: Sweep, view: View, now: datetime) -> set[str]:
    """Owners whose pods do not all run. Those that only stand in a line, with nothing wrong, are well enough."""
    ill = {one.owner for one in groups(view, now)} | {one.key for one in owners(view, now)}
    return ill - {one.who for one in swept.waits if not one.until}


def _unread(view: View, refs: Iterable[object], evidence: Evidence) -> Iterable[str]:
    for ref in refs:
        if isinstance(ref, LogRef) and ref not in evidence.texts and not ref.previous:
            pod = view.pods.get(f"{ref.namespace}/{ref.pod}")
            if isinstance(pod, Pod):
                yield f"{pod.namespace}/{top_owner(view, pod)[1]}"
