"""The driver's branch is no longer supported, or that version is known to be bad. It works; nobody mends it."""

from collections.abc import Iterator
from datetime import timedelta

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.version import Version, version
from bot.serving.matrix import matrix

MIG = "nvidia.com/mig-"


def _judge(scene: Scene) -> Iterator[Finding]:
    found = version(scene.driver_version)
    if found is None:
        yield _finding(scene, State.UNKNOWN, f"{scene.name}: its driver's version was not told")
        return
    branch = matrix().branches.get(found.major)
    if branch is not None and branch.ends is not None and branch.ends < scene.now.date():
        since = f" since {branch.ends:%B %Y}" if branch.exact else ""
        runs = f"{scene.name} runs driver {scene.driver_version}"
        fact = f"{runs}; its branch {found.major} is not supported any more{since}"
        yield _finding(
            scene, State.FIRING, fact, Remedy(f"Plan an upgrade to {_next(scene)}; test it on one node first")
        )
    yield from _bad(scene, found)


def _next(scene: Scene) -> str:
    """The oldest long-term branch that lasts a year yet asks for the smallest step."""
    year = scene.now.date() + timedelta(days=365)
    lasting = [one for one in matrix().branches.values() if one.kind == "long-term" and one.ends and one.ends > year]
    first = min(lasting, key=lambda one: one.number, default=None)
    return f"the branch {first.number} (until {first.ends:%B %Y}) or newer" if first else "a branch that is supported"


def _bad(scene: Scene, found: Version) -> Iterator[Finding]:
    has_slices = any(name.startswith(MIG) for name in scene.node.capacity)
    for bad in matrix().bad:
        if bad.first <= found <= bad.last and (has_slices or not bad.mig):
            fact = f"{scene.name} runs driver {scene.driver_version}, with which {bad.what} ({bad.source})"
            yield _finding(scene, State.FIRING, fact, Remedy(f"Take {bad.instead}"))


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
