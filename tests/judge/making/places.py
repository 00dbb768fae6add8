"""Which nodes a pod asks for by their labels, their names and their taints."""

from tests.judge.making.peers import PREFERRED, REQUIRED
from tests.judge.making.tables import GPU, PRODUCT, ZONE
from tests.judge.making.world import Object, World, labels, name_of

SELECTED = ("pool", ZONE, PRODUCT, "kubernetes.io/arch", "rack")
NUMBERS = (f"{GPU}.memory", f"{GPU}.count", "generation")
OPERATORS = {"In": 5, "NotIn": 3, "Exists": 2, "DoesNotExist": 2, "Gt": 2, "Lt": 2}
TOLERATIONS = (
    {"operator": "Exists"},
    {"operator": "Exists", "effect": "NoSchedule"},
    {"operator": "Exists", "effect": "NoExecute"},
    {"key": "dedicated", "value": "train", "effect": "NoSchedule"},
)


def select(world: World, pod: Object, home: Object) -> None:
    draw = world.draw
    keys = [key for key in SELECTED if key in labels(home)] or ["kubernetes.io/os"]
    pod["spec"]["nodeSelector"] = {
        key: labels(home)[key] if draw.chance(0.93) else "other" for key in draw.some(keys, 2)
    }


def prefer(world: World, pod: Object, home: Object) -> None:
    """Required or preferred node affinity; of several terms one is enough."""
    draw = world.draw
    affinity = pod["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {})
    if draw.chance(0.2):
        affinity[PREFERRED] = [{"weight": 10, "preference": {"matchExpressions": [_expression(world, home)]}}]
        return
    terms = [_term(world, home) for _ in range(draw.one((1, 1, 1, 2)))]
    affinity[REQUIRED] = {"nodeSelectorTerms": terms}


def _term(world: World, home: Object) -> Object:
    draw = world.draw
    if draw.chance(0.03):
        return {}  # matches nothing
    made: Object = {}
    by_name = draw.chance(0.2)
    if not by_name or draw.chance(0.3):
        made["matchExpressions"] = [_expression(world, home) for _ in range(draw.one((1, 1, 2)))]
    if by_name:
        value = name_of(home) if draw.chance(0.85) else "node-99"
        operator = draw.by_weight({"In": 3, "NotIn": 1})
        made["matchFields"] = [{"key": "metadata.name", "operator": operator, "values": [value]}]
    return made


def _expression(world: World, home: Object) -> Object:
    draw = world.draw
    operator = draw.by_weight(OPERATORS)
    if operator in ("Gt", "Lt"):
        key = draw.one([one for one in NUMBERS if one in labels(home)] or NUMBERS)
        return {
            "key": key,
            "operator": operator,
            "values": [draw.one(("80000", "81559", "100000", "4", "8", "0", "5"))],
        }
    if operator in ("Exists", "DoesNotExist"):
        return {"key": draw.one((*SELECTED, "absent")), "operator": operator}
    key = draw.one(labels(home))
    values = {labels(world.any_node()).get(key, "none")}
    if operator == "In":
        values.add(labels(home)[key])
    return {"key": key, "operator": operator, "values": sorted(values)}


def tolerate(world: World, pod: Object, home: Object) -> None:
    """Mostly what keeps others off the node, not always in the right words."""
    draw = world.draw
    made = [_toleration(world, taint) for taint in home["spec"].get("taints", []) if not _skipped(world, taint)]
    if draw.chance(0.65):
        made.append({"key": GPU, "operator": "Exists", "effect": "NoSchedule"})
    if draw.chance(0.2):
        made.append(dict(draw.one(TOLERATIONS)))
    if made:
        pod["spec"]["tolerations"] = made


def _skipped(world: World, taint: Object) -> bool:
    return taint["key"].startswith("node.kubernetes.io/") and world.draw.chance(0.6)


def _toleration(world: World, taint: Object) -> Object:
    draw = world.draw
    made: Object = {"key": taint["key"], **draw.maybe(0.8, effect=taint["effect"])}
    if draw.chance(0.4):
        return made | {"operator": "Exists"}
    wrong = "x" if draw.chance(0.1) else ""
    made |= {"value": taint["value"] + wrong, **draw.maybe(0.5, operator="Equal")}
    return made | draw.maybe(0.3 if made.get("effect") == "NoExecute" else 0, tolerationSeconds=300)
