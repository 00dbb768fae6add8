"""The driver is older than it was: an upgrade that silently went back, by a wrong image tag as a rule.

Nothing fails at once; long requests die at random days later.
"""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.words import duration
from bot.serving.driver import version


def _judge(scene: Scene) -> Iterator[Finding]:
    earlier = next((one for one in reversed(scene.before) if one.driver_version != scene.driver_version), None)
    now, then = version(scene.driver_version), version(earlier.driver_version) if earlier else None
    if not scene.before or now is None:
        yield _unknown(scene)
    if earlier is None or now is None or then is None or now >= then:
        return
    age = earlier.age_seconds(scene.now)
    when = f" {duration(max(1.0, age))} ago" if age is not None else " before"
    yield Finding(
        state=State.FIRING,
        severity=Severity.WARNING,
        subject=scene.subject(),
        sentence=f"{scene.name}'s driver went back from {earlier.driver_version}{when} to {scene.driver_version}",
        evidence=("an upgrade with a wrong version looks like one that worked",),
        remedies=(
            Remedy(
                "See which version is asked for (ClusterPolicy `driver.version`, or the host's packages)",
                "kubectl get clusterpolicies -o jsonpath='{.items[*].spec.driver}'",
            ),
        ),
    )


def _unknown(scene: Scene) -> Finding:
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name}: not known which driver it had before",
        missing=("an earlier reading of its agent",) if not scene.before else ("the driver's version",),
    )


CHECK = Check(
    id="driver.stepped_back",
    title="its driver went back a version",
    severity=Severity.WARNING,
    source="a step back is seen only by who remembers: readings of the node agent",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)
