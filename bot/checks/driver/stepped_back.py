"""Driver, CUDA or device plugin are older than they were: an upgrade that silently went back, by a wrong image tag as a
rule.

Nothing fails at once; long requests die at random days later. So what ran out of memory on the node since then is named
with it, and makes it urgent. After a month it is how the node is, and worth knowing only.
"""

from collections.abc import Iterator
from datetime import timedelta

from bot.checks import out_of_memory
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.node_past import Held
from bot.domain.words import duration, names
from bot.gpu.past import Moved, number, steps_back
from bot.gpu.versions import DRIVER, PLUGIN

LASTING = timedelta(days=30)  # ours
MEMORY_SHOWN = 3
_LOOK = {
    DRIVER: Remedy(
        "See which version is asked for (ClusterPolicy `driver.version`, or the host's packages)",
        "kubectl get clusterpolicies -o jsonpath='{.items[*].spec.driver}'",
    ),
    PLUGIN: Remedy(
        "See which plugin is asked for (ClusterPolicy `devicePlugin.version`, or its DaemonSet's image)",
        "kubectl get daemonsets -A -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[*].image",
    ),
}


def _judge(scene: Scene) -> Iterator[Finding]:
    back = _remembered(scene)
    if back:
        yield _fires(scene, back)
    elif not _known(scene):
        yield _unknown(scene)


def _remembered(scene: Scene) -> list[Moved]:
    """The driver first; by the store, else by earlier readings of the agent."""
    back = steps_back(scene.past) if scene.past is not None else []
    if not any(one.part == DRIVER for one in back) and (now := _just_now(scene)) is not None:
        back.insert(0, now)
    return back


def _just_now(scene: Scene) -> Moved | None:
    """The driver as it is read now, against what was remembered of it last."""
    earlier = [Held(value=one.driver_version, since=one.taken_at or scene.now) for one in scene.before]
    if scene.past is not None:
        earlier = [one for one in (scene.past.now(DRIVER),) if one is not None] or earlier
    last = next((one for one in reversed(earlier) if one.value and one.value != scene.driver_version), None)
    if last is None or not scene.driver_version:
        return None
    since = last.since if scene.past is None else scene.now
    moved = Moved(scene.name, DRIVER, last, Held(value=scene.driver_version, since=since))
    return moved if moved.back else None


def _known(scene: Scene) -> bool:
    """Whether there is a driver's version to compare, and an earlier one."""
    return number(scene.driver_version) is not None and bool(scene.before or scene.past)


def _fires(scene: Scene, back: list[Moved]) -> Finding:
    first = back[0]
    memory = out_of_memory.after(scene, first.now.since)
    return Finding(
        state=State.FIRING,
        severity=_severity(scene, first, memory),
        subject=scene.subject(),
        sentence=f"{scene.name}'s {_said(scene, back)}{_then(memory)}",
        evidence=(
            *_evidence(back),
            *memory[:MEMORY_SHOWN],
            "an upgrade with a wrong version looks like one that worked",
        ),
        remedies=tuple(dict.fromkeys(_LOOK[PLUGIN if one.part == PLUGIN else DRIVER] for one in back)),
        at=first.now.since,
    )


def _severity(scene: Scene, first: Moved, memory: list[str]) -> Severity:
    if memory:
        return Severity.CRITICAL
    return Severity.INFO if scene.now - first.now.since > LASTING else Severity.WARNING


def _said(scene: Scene, back: list[Moved]) -> str:
    """`driver went back from 595.71.05 1 h ago to 580.105.08, CUDA from 13.2 to 13.0`."""
    first, *others = back
    age = max(1.0, (scene.now - first.now.since).total_seconds())
    told = f"{first.part} went back from {first.before.value} {duration(age)} ago to {first.now.value}"
    return ", ".join([told, *(f"{one.part} from {one.before.value} to {one.now.value}" for one in others)])


def _then(memory: list[str]) -> str:
    if memory[1:]:
        return f"; since then pods there ran out of memory ({len(memory)} times)"
    return "; since then a pod there ran out of memory" if memory else ""


def _evidence(back: list[Moved]) -> Iterator[str]:
    for one in back:
        if one.before.until is not None:
            ran = f"{one.before.since:%Y-%m-%d %H:%M} to {one.before.until:%Y-%m-%d %H:%M}"
            yield f"{one.part} {one.before.value} ran from {ran}, as it was seen here"


def _unknown(scene: Scene) -> Finding:
    missing = []
    if number(scene.driver_version) is None:
        missing.append("the driver's version")
    if not scene.before and scene.past is None:
        missing.append("what it ran before (an earlier reading of its agent, or the bot's memory)")
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name}: not known whether its driver went back ({names(missing)} not told)",
        missing=tuple(missing),
    )


CHECK = Check(
    id="driver.stepped_back",
    title="its driver, CUDA or device plugin went back a version",
    severity=Severity.CRITICAL,
    source="a step back is seen only by who remembers: the store's record of each node, readings of the node agent",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)
