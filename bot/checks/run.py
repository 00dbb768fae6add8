"""Asking checks: each gives its answer, and one that cannot does not keep the others from theirs."""

from collections.abc import Iterable, Iterator

import msgspec

from bot.checks.check import About, AnyCheck, Check, FleetCheck
from bot.checks.finding import Finding, Severity, State, Subject, order
from bot.checks.scene import FleetScene, Reads, Scene
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.stack.vendor import NVIDIA


def run(scene: Scene | FleetScene, checks: Iterable[AnyCheck]) -> list[Finding]:
    """The answers of those checks that are about such a scene, the worst first. Never raises for what a check does."""
    found = [finding for check in checks for finding in _asked(scene, check)]
    well = [one for one in found if one.state is State.OK]  # nearly all of them, and of no order
    return [*sorted((one for one in found if one.state is not State.OK), key=order), *well]


def _asked(scene: Scene | FleetScene, check: AnyCheck) -> Iterator[Finding]:
    for finding in _answers(scene, check):
        if finding.check:
            yield finding
            continue
        yield msgspec.structs.replace(finding, check=check.id, title=check.title, source=finding.source or check.source)


def _answers(scene: Scene | FleetScene, check: AnyCheck) -> list[Finding]:
    if isinstance(scene, Scene) != isinstance(check, Check):
        return []
    subject = Subject(node=scene.name) if isinstance(scene, Scene) else Subject()
    blind = tuple(_kinds_missing(scene.view, check))
    if blind:
        return [unknown(subject, check, blind)]
    try:
        if isinstance(check, FleetCheck):
            found = list(check.judge(scene)) if isinstance(scene, FleetScene) else []
        else:
            found = list(check.judge(scene)) if isinstance(scene, Scene) else []
    except Exception as error:  # noqa: BLE001  # a bug in one check must not hide what the others see
        return [unknown(subject, check, (f"the check itself failed: {type(error).__name__}: {error}",))]
    if found:
        return found
    silent = tuple(_readings_missing(scene, check)) if isinstance(scene, Scene) else ()
    return [unknown(subject, check, silent) if silent else _well(subject, check)]


def unknown(subject: Subject, check: About, missing: tuple[str, ...]) -> Finding:
    """The third answer, with what would have told."""
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=subject,
        sentence=f"{subject}: not known whether {check.title} (not told: {names(missing)})",
        missing=missing,
        check=check.id,
        title=check.title,
        source=check.source,
    )


def _well(subject: Subject, check: About) -> Finding:
    return Finding(
        state=State.OK,
        severity=Severity.INFO,
        subject=subject,
        sentence=f"{subject}: no sign that {check.title}",
        check=check.id,
        title=check.title,
        source=check.source,
    )


def _kinds_missing(view: View, check: About) -> Iterator[str]:
    for kind in sorted(check.needs):
        source = view.source(kind)
        if not source.known:
            yield f"{kind} ({source.detail or source.reading})"


def _readings_missing(scene: Scene, check: About) -> Iterator[str]:
    """Empty where one of those who can tell did."""
    if check.reads & scene.at_hand:
        return
    if scene.sight.vendor is not NVIDIA:
        yield f"the driver of {scene.sight.vendor.name} GPUs, which nobody here reads"
        return
    yield from (scene.why_missing(one) for one in Reads if one in check.reads)
