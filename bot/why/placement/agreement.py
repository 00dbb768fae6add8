"""Whether the scheduler's message says what our own evaluation says. A difference is a finding, told and not hidden."""

from collections import Counter
from collections.abc import Iterator

from bot.domain.text import inert
from bot.domain.words import count, duration
from bot.scheduling.messages import KUBE_SCHEDULER, Reason, Said, parse
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.placement.nodes import Survey

OLD_SECONDS = 300  # after so long a pod that nothing keeps out has been looked at again


def findings(case: Case, found: Survey) -> Iterator[Finding]:
    """Nothing where both agree, or where the scheduler said nothing that can be compared."""
    said = case.said
    if said is None or said.speaker != KUBE_SCHEDULER or said.available is None or not found.verdict.message:
        return
    ours = parse(found.verdict.message)
    differences = list(_differences(said, ours))
    if not differences:
        return
    told = next((one for one in case.events if one.reason == "FailedScheduling"), None)
    age = case.age_seconds(told.time) if told else None
    when = f" {duration(age)} ago" if age else ""
    why = (
        "the cluster has changed since"
        if age is None or age > 60
        else "another profile, an extender or a feature gate may be at work"
    )
    yield Finding(
        "placement.disagrees",
        f"The scheduler's last message{when} says otherwise: {'; '.join(differences[:3])}. Perhaps {why}",
        level=Level.NOTE,
        evidence=(f"It said “{str(said)[:300]}”",),
    )


def last_word(case: Case) -> tuple[str, ...]:
    """What the scheduler said last, with its age: where our own reading says that the pod fits, or cannot tell."""
    told = next((one for one in case.events if one.reason == "FailedScheduling"), None)
    if case.said is None:
        return ()
    age = case.age_seconds(told.time) if told else None
    when = f" {duration(max(1.0, age))} ago" if age is not None else ""
    return (f"The scheduler's last word{when}: “{inert(str(case.said), 200)}”",)


def _differences(said: Said, ours: Said) -> Iterator[str]:
    theirs_nodes, our_nodes = said.total, ours.total
    if theirs_nodes and our_nodes and theirs_nodes != our_nodes:
        yield f"it counted {count(theirs_nodes, 'node')}, there {'is' if our_nodes == 1 else 'are'} {our_nodes} now"
        return  # every number after that differs too
    theirs, mine = _by_plugin(said.body), _by_plugin(ours.body)
    for plugin in sorted(theirs.keys() | mine.keys()):
        if theirs[plugin] != mine[plugin]:
            yield f"{plugin} turned down {count(theirs[plugin], 'node')} there, {mine[plugin]} by our reading"


def _by_plugin(body: tuple[Reason, ...]) -> Counter[str]:
    """How often each plugin is named; words change between releases, plugins do not."""
    found: Counter[str] = Counter()
    for one in body:
        if one.plugin and not one.cut:
            found[one.plugin] += one.count or 0
    return found
