"""Pods that want to be near other pods, away from them, or spread evenly."""

from tests.judge.making.tables import APPS, DOMAINS, HOST, NAMESPACES, ZONE
from tests.judge.making.world import Object, World, labels

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
HASH = "pod-template-hash"


def selector(world: World) -> Object:
    draw = world.draw
    app = draw.one(APPS)
    return draw.one((
        {"matchLabels": {"app": app}},
        {"matchLabels": {"app": app}},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": draw.some(APPS, 3)}]},
        {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]},
        {"matchExpressions": [{"key": "track", "operator": draw.one(("Exists", "DoesNotExist"))}]},
        {},
    ))  # fmt: skip


def term(world: World, pod: Object) -> Object:
    """One of an affinity: often about the pod's own kind, as replicas have it."""
    draw = world.draw
    made: Object = {"topologyKey": draw.by_weight(DOMAINS)}
    if draw.chance(0.5):
        return made | {"labelSelector": {"matchLabels": {"app": labels(pod)["app"]}}}
    if draw.chance(0.95):  # without one it selects no pod at all
        made["labelSelector"] = selector(world)
        made |= draw.maybe(0.2, **{draw.one(("matchLabelKeys", "mismatchLabelKeys")): [HASH]})
    made |= draw.maybe(0.25, namespaces=draw.some(list(NAMESPACES), 2))
    chosen = draw.one(
        ({}, {"matchLabels": {"team": "a"}}, {"matchExpressions": [{"key": "team", "operator": "Exists"}]})
    )
    return made | draw.maybe(0.25, namespaceSelector=chosen)


def apart(world: World, pod: Object, home: Object) -> None:
    del home
    _affine(world, pod, "podAntiAffinity", term(world, pod))


def near(world: World, pod: Object, home: Object) -> None:
    """Mostly near a pod that is there."""
    wanted = term(world, pod)
    there = [one for one in world.running if one["spec"]["nodeName"] == home["metadata"]["name"]]
    if there and world.draw.chance(0.7):
        other = world.draw.one(there)
        wanted = {
            "topologyKey": wanted["topologyKey"],
            "labelSelector": {"matchLabels": {"app": labels(other)["app"]}},
            "namespaces": [other["metadata"]["namespace"]],
        }
    _affine(world, pod, "podAffinity", wanted)


def _affine(world: World, pod: Object, kind: str, wanted: Object) -> None:
    affinity = pod["spec"].setdefault("affinity", {}).setdefault(kind, {})
    if world.draw.chance(0.12):
        affinity[PREFERRED] = [{"weight": 7, "podAffinityTerm": wanted}]
    else:
        affinity[REQUIRED] = [wanted, *([term(world, pod)] if world.draw.chance(0.1) else [])]


def spread(world: World, pod: Object, home: Object) -> None:
    del home
    made = {}
    for _ in range(world.draw.one((1, 1, 2))):
        constraint = _constraint(world, pod)
        made[constraint["topologyKey"], constraint["whenUnsatisfiable"]] = constraint
    pod["spec"]["topologySpreadConstraints"] = list(made.values())


def _constraint(world: World, pod: Object) -> Object:
    draw = world.draw
    hard = draw.chance(0.85)
    made: Object = {
        "maxSkew": draw.one((1, 1, 2, 5)),
        "topologyKey": draw.by_weight({ZONE: 4, HOST: 3, "rack": 1}),
        "whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": labels(pod)["app"]}} if draw.chance(0.8) else selector(world),
        **draw.maybe(0.25, nodeAffinityPolicy=draw.one(("Honor", "Ignore"))),
        **draw.maybe(0.35, nodeTaintsPolicy=draw.one(("Honor", "Ignore"))),
        **draw.maybe(0.15, matchLabelKeys=[HASH]),
    }
    return made | draw.maybe(0.2 if hard else 0, minDomains=draw.one((1, 2, 3, 4, 9)))
