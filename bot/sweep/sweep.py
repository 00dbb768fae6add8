"""The sweep itself: checks of all GPU nodes and the fleet, all that does not run, and one entry for each root."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from bot.checks import look
from bot.checks.collect import checks
from bot.checks.finding import Finding, State
from bot.checks.run import run
from bot.checks.scene import FleetScene, Scene
from bot.domain.engine_told import EngineTold
from bot.domain.evidence import Evidence, Wanted
from bot.domain.gpu_reading import NodeReading
from bot.domain.node_past import FleetPast
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.owners import top_owner
from bot.gpu.policy import Policy
from bot.scheduling.state import State as Snapshot
from bot.sweep import budgets, cards, engines, stuck
from bot.sweep.effect import effect
from bot.sweep.gather import wanted
from bot.sweep.joined import entries
from bot.sweep.owners import owners
from bot.sweep.suspects import doubtful, groups, with_errors
from bot.sweep.trouble import Entry, Sweep, Trouble, Wait
from bot.sweep.unseen import failed, unseen
from bot.why import needs
from bot.why.ask import case_of
from bot.why.explain import Explanation, explain
from bot.why.subject import Subject, of_pod, of_thing

EXPLAINED = 60  # groups of pods, and as many owners without
TRIED_ON = 20_000  # nodes times groups: beyond, only what is found quickly is tried as a remedy
NEEDED = ("nodes", "pods")
KINDS = needs.KINDS | {"poddisruptionbudgets"} | frozenset().union(*(one.needs for one in checks()))

__all__ = ("KINDS", "NEEDED", "sweep", "wanted")


def sweep(
    view: View,
    inventory: Inventory,
    evidence: Evidence,
    now: datetime,
    *,
    before: Mapping[str, tuple[NodeReading, ...]] | None = None,
    past: FleetPast | None = None,
    asked: Wanted | None = None,
    told: Mapping[str, EngineTold] | None = None,
) -> Sweep:
    """`evidence` is what came of `asked` (`wanted` where it is not handed in); `before`: earlier readings by node;
    `past`: what nodes ran before; `told`: what engines said, by the pod's uid or key; None: nobody reads them.
    """
    policy = inventory.policy
    scenes = list(look.scenes(view, policy, evidence, now, before=before, past=past))
    fleet = look.fleet_scene(view, policy, evidence, now=now, seen=scenes)
    every: list[Scene | FleetScene] = [*scenes, fleet]
    findings = [one for scene in every for one in run(scene, checks())]
    serving = engines.scenes(view, told, now) if told is not None else []
    of_engines = [one for engine in serving for one in run(engine, checks())]
    ill, waits, left = _stuck(view, policy, now, evidence)
    ill += [*engines.troubles(of_engines, view), *budgets.troubles(view, evidence)]
    every_root = entries(cards.roots(findings, view), ill)
    findings += of_engines
    found = [one for one in every_root if one.root.id not in cards.LASTING]
    looked = wanted(view, inventory, now) if asked is None else asked
    return Sweep(
        entries=tuple(replace(one, effect=effect(one, view)) for one in found),
        waits=(*waits, *_passing(findings)),
        lasting=tuple(one for one in every_root if one.root.id in cards.LASTING),
        unseen=(
            *unseen(view, KINDS, scenes, findings, looked, evidence),
            *engines.unseen(serving, of_engines),
        ),
        notes=tuple(_notes(findings, found)),
        left=left,
        told=all(view.knows(kind) for kind in NEEDED),
        blind=frozenset((one.check, one.subject.node) for one in findings if one.state is State.UNKNOWN),
        failed=tuple(failed(findings)),
        numbers={
            "checks": len(checks()),
            "gpu_nodes": len(scenes),
            "engines": len(serving),
            "pods": len(view.pods),
            "noted": _noted(findings),
        },
    )


def _stuck(view: View, policy: Policy, now: datetime, evidence: Evidence) -> tuple[list[Trouble], list[Wait], int]:
    """What does not run: troubles, waits, and how many groups were left out."""
    ill = groups(view, now)
    shared = Snapshot(view)
    brief = len(view.nodes) * min(len(ill), EXPLAINED) > TRIED_ON

    def why(subject: Subject) -> Explanation:
        return explain(case_of(subject, view, policy, now, evidence, shared, brief=brief))

    found = [stuck.of_group(one, why(of_pod(one.first)), view, now) for one in ill[:EXPLAINED]]
    known = {(one.owner, one.id) for one in found if isinstance(one, Trouble)}
    for thing in owners(view, now)[:EXPLAINED]:
        told = stuck.of_owner(thing, why(of_thing(view, thing)))
        if not isinstance(told, Trouble) or (told.owner, told.id) not in known:
            found.append(told)
    suspected = with_errors(doubtful(view, now), evidence)
    found += [stuck.of_ready(pod, f"{pod.namespace}/{top_owner(view, pod)[1]}", why(of_pod(pod))) for pod in suspected]
    troubles = [one for one in found if isinstance(one, Trouble)]
    waits = list(dict.fromkeys(one for one in found if isinstance(one, Wait)))
    return troubles, waits, max(0, len(ill) - EXPLAINED)


def _passing(findings: Iterable[Finding]) -> Iterator[Wait]:
    """Changes of nodes that end by themselves."""
    for one in findings:
        if one.state is State.FIRING and one.passes:
            yield Wait("", one.sentence)


def _noted(findings: Iterable[Finding]) -> int:
    return sum(1 for one in findings if one.state is State.FIRING and not one.alarming and not one.passes)


def _notes(findings: Iterable[Finding], found: Iterable[Entry]) -> Iterator[str]:
    """What is only noted of nodes that have trouble: it must not be taken for a part of it."""
    nodes = {node for entry in found for node in entry.root.nodes}
    for one in findings:
        if one.state is State.FIRING and not one.alarming and not one.passes and one.subject.node in nodes:
            yield one.sentence
