"""Objects as no API server would store them: they are judged or said to be unreadable, and never break an answer."""

from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.files.errors import Place
from bot.adapters.files.load import view_of
from bot.adapters.files.objects import Item
from bot.cli.verdicts import verdicts

Json = Any
PLACE = Place(Path("odd.json"))
POD: Json = {
    "metadata": {"name": "new", "namespace": "ml", "labels": {"app": "web"}},
    "spec": {
        "containers": [
            {
                "name": "c",
                "ports": [{"containerPort": 80, "hostPort": 80, "protocol": "TCP", "hostIP": "10.0.0.1"}],
                "resources": {"requests": {"cpu": "1", "nvidia.com/gpu": "1"}},
                "restartPolicyRules": [{"action": "RestartAllContainers"}],
            }
        ],
        "nodeSelector": {"gpu": "h100"},
        "tolerations": [{"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [{"key": "count", "operator": "Gt", "values": ["1"]}],
                            "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}],
                        }
                    ]
                }
            },
            "podAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "topologyKey": "zone",
                        "labelSelector": {"matchLabels": {"app": "web"}},
                        "namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "Exists"}]},
                    }
                ]
            },
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "db"}}, "namespaces": ["ml"]}
                ]
            },
        },
        "topologySpreadConstraints": [
            {
                "topologyKey": "zone",
                "maxSkew": 1,
                "minDomains": 2,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "web"}},
                "matchLabelKeys": ["app"],
                "nodeTaintsPolicy": "Honor",
            }
        ],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "e", "ephemeral": {}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "c1"}],
        "priority": 10,
        "preemptionPolicy": "PreemptLowerPriority",
        "hostNetwork": False,
    },
    "status": {"phase": "Pending", "nominatedNodeName": "n1"},
}
NODE: Json = {
    "metadata": {"name": "n1", "labels": {"gpu": "h100", "count": "8", "zone": "a"}},
    "spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}], "unschedulable": False},
    "status": {"allocatable": {"cpu": "4", "pods": "10", "nvidia.com/gpu": "8"}, "declaredFeatures": ["X"]},
}
BUDGET: Json = {
    "metadata": {"name": "b", "namespace": "ml"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}},
    "status": {"disruptionsAllowed": 0, "disruptedPods": {}},
}
BOUND: Json = {**POD, "metadata": {**POD["metadata"], "name": "there"}, "spec": {**POD["spec"], "nodeName": "n1"}}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["In", "Near", "", "9" * 40, "-1", "1e9", "\u202e", {}, [], [{}], {"": ""}, [None], {"a": None}]),
)


def paths(value: Json, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, one in inner for path in paths(one, (*at, key)))]


def changed(value: Json, path: tuple[Any, ...], new: Json, *, drop: bool) -> Json:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if drop and len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = changed(copy[path[0]], path[1:], new, drop=drop)
    return copy


OBJECTS = {"Pod": POD, "Node": NODE, "PodDisruptionBudget": BUDGET}
GROUPS = {"PodDisruptionBudget": "policy"}


@st.composite
def mutations(draw: st.DrawFn) -> list[tuple[str, Json]]:
    """All objects, with a few places in them left out or replaced."""
    objects = [("Pod", POD), ("Pod", BOUND), ("Node", NODE), ("PodDisruptionBudget", BUDGET)]
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(objects) - 1))
        kind, value = objects[number]
        path = draw(st.sampled_from(paths(value)))
        objects[number] = (kind, changed(value, path, draw(ODD), drop=bool(path) and draw(st.booleans())))
    return objects


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutations())
def test_odd_objects_never_break_an_answer(objects: list[tuple[str, Json]]) -> None:
    items = [Item(GROUPS.get(kind, ""), kind, msgspec.json.encode(value), PLACE) for kind, value in objects]
    for line in verdicts(view_of(items, "odd")):
        assert set(line["nodes"]) <= {"n1"} or line["nodes"]
        msgspec.json.encode(line)


def test_the_object_itself_is_judged() -> None:
    items = [Item(GROUPS.get(kind, ""), kind, msgspec.json.encode(value), PLACE) for kind, value in OBJECTS.items()]
    (line,) = verdicts(view_of(items, "plain"))
    assert line["prefilter"]["plugin"] in ("VolumeRestrictions", "VolumeBinding", "DynamicResources")
