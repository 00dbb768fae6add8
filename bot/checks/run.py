"""Asking checks: each gives its answer, and one that cannot does not keep the others from theirs."""

from collections.abc import Iterable, Iterator

import msgspec

from bot.checks.check import About, AnyCheck, Check, EngineCheck, FleetCheck
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity, State, Subject, order
from bot.checks.scene import FleetScene, Reads, Scene
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.stack.vendor import NVIDIA

AnyScene = Scene | FleetScene | EngineScene


def run(scene: AnyScene, checks: Iterable[AnyCheck]) -> list[Finding]:
    """The answers of those checks that are about such a scene, the worst first. Never raises for what a check does."""
    found = [finding for check in checks if _is_about(check, scene) for finding in _asked(scene, check)]
    well = [one for one in found if one.state is State.OK]  # nearly all of them, and of no order
    return [*sorted((one for one in found if one.state is not State.OK), key=order), *well]


def _asked(scene: AnyScene, check: AnyCheck) -> Iterator[Finding]:
    for finding in _answers(scene, check):
        if finding.check:
            yield finding
            continue
        yield msgspec.structs.replace(finding, check=check.id, title=check.title, source=finding.source or check.source)


def _answers(scene: AnyScene, check: AnyCheck) -> list[Finding]:
    subject = _subject(scene)
    blind = tuple(_kinds_missing(scene.view, check))
    if blind:
        return [unknown(subject, check, blind)]
    try:
        found = list(_judged(scene, check))
    except Exception as error:  # noqa: BLE001  # a bug in one check must not hide what the others see
        return [unknown(subject, check, (f"the check itself failed: {type(error).__name__}: {error}",))]
    if found:
        return found
    silent = tuple(_not_told(scene, check))
    return [unknown(subject, check, silent) if silent else _well(subject, check)]


def _is_about(check: AnyCheck, scene: AnyScene) -> bool:
    kind = Scene if isinstance(check, Check) else EngineScene if isinstance(check, EngineCheck) else FleetScene
    return isinstance(scene, kind)


def _judged(scene: AnyScene, check: AnyCheck) -> Iterable[Finding]:
    if isinstance(scene, Scene) and isinstance(check, Check):
        return check.judge(scene)
    if isinstance(scene, EngineScene) and isinstance(check, EngineCheck):
        return check.judge(scene)
    return check.judge(scene) if isinstance(scene, FleetScene) and isinstance(check, FleetCheck) else ()


def _subject(scene: AnyScene) -> Subject:
    if isinstance(scene, EngineScene):
        return scene.subject
    return Subject(node=scene.name) if isinstance(scene, Scene) else Subject()


def _not_told(scene: AnyScene, check: AnyCheck) -> Iterable[str]:
    if isinstance(scene, EngineScene):
        return scene.missing
    return _readings_missing(scene, check) if isinstance(scene, Scene) else ()


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
    missing = [kind for kind in check.needs if not view.knows(kind)]
    for kind in sorted(missing):
        source = view.source(kind)
        yield f"{kind} ({source.detail or source.reading})"


def _readings_missing(scene: Scene, check: About) -> Iterator[str]:
    """Empty where one of those who can tell did."""
    if check.reads & scene.at_hand:
        return
    if scene.sight.vendor is not NVIDIA:
        yield f"the driver of {scene.sight.vendor.name} GPUs, which nobody here reads"
        return
    yield from (scene.why_missing(one) for one in Reads if one in check.reads)
