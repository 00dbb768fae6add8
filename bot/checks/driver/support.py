"""The driver's branch is no longer supported, or that version is known to be bad. It works; nobody mends it."""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.driver.versions import BAD, ENDS, EXACT
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.serving.driver import Version, version

MIG = "nvidia.com/mig-"
_NEXT = "the branch 580 (until June 2028) or newer; test it on one node first"


def _judge(scene: Scene) -> Iterator[Finding]:
    found = version(scene.driver_version)
    if found is None:
        yield _finding(scene, State.UNKNOWN, f"{scene.name}: its driver's version was not told")
        return
    end = ENDS.get(found.major)
    if end is not None and end < scene.now.date():
        since = f" since {end:%B %Y}" if found.major in EXACT else ""
        runs = f"{scene.name} runs driver {scene.driver_version}"
        fact = f"{runs}; its branch {found.major} is not supported any more{since}"
        yield _finding(scene, State.FIRING, fact, Remedy(f"Plan an upgrade to {_NEXT}"))
    yield from _bad(scene, found)


def _bad(scene: Scene, found: Version) -> Iterator[Finding]:
    for first, last, what, source in BAD:
        if first <= found <= last and any(name.startswith(MIG) for name in scene.node.capacity):
            fact = f"{scene.name} runs driver {scene.driver_version}, with which {what} ({source})"
            yield _finding(scene, State.FIRING, fact, Remedy("Take a newer version of the branch, or 570.86.15"))


def _finding(scene: Scene, state: State, sentence: str, *helps: Remedy) -> Finding:
    return Finding(
        state=state,
        severity=Severity.WARNING if state is State.FIRING else Severity.INFO,
        subject=scene.subject(),
        sentence=sentence,
        remedies=helps,
        missing=("the driver's version (label, agent, exporter or kernel messages)",) if state is State.UNKNOWN else (),
    )


CHECK = Check(
    id="driver.support",
    title="its driver is not supported any more",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/datacenter/tesla/drivers/",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)
