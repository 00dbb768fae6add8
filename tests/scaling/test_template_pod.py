"""A pod made from a template is the pod that the API server's own decoding makes of it."""

from typing import Any

import pytest

from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.scaling.template_pod import template_pod
from tests.scaling.building import deployment, node, pod, replicaset, view_of

HOST = "kubernetes.io/hostname"
ALIKE = {"matchLabels": {"app": "glm"}, "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["x"]}]}
SPECS: dict[str, dict[str, Any]] = {
    "plain": {},
    "a selector and tolerations": {
        "nodeSelector": {"pool": "gpu"},
        "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "llm", "effect": "NoSchedule"}],
    },
    "node affinity": {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]},
                        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-1"]}]},
                    ]
                }
            }
        }
    },
    "pod affinity and anti-affinity": {
        "affinity": {
            "podAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "zone", "labelSelector": ALIKE, "namespaceSelector": {}, "namespaces": ["dev"]}
                ]
            },
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": HOST, "labelSelector": ALIKE}]
            },
        }
    },
    "spreading": {
        "topologySpreadConstraints": [
            {
                "topologyKey": "zone",
                "maxSkew": 2,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": ALIKE,
                "minDomains": 3,
                "nodeTaintsPolicy": "Honor",
                "nodeAffinityPolicy": "Ignore",
                "matchLabelKeys": ["app"],
            },
            {"topologyKey": HOST, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"},
        ]
    },
    "ports, volumes and gates": {
        "hostNetwork": True,
        "schedulingGates": [{"name": "example.com/wait"}],
        "volumes": [
            {"name": "w", "persistentVolumeClaim": {"claimName": "weights"}},
            {"name": "s", "emptyDir": {}},
            {"name": "c", "csi": {"driver": "secrets.example.com"}},
        ],
        "initContainers": [
            {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "2"}}},
            {"name": "fetch", "resources": {"requests": {"cpu": "9", "memory": "64Gi"}}},
        ],
    },
    "devices": {"resourceClaims": [{"name": "gpu", "resourceClaimName": "mine"}]},
    "overhead": {"overhead": {"cpu": "250m"}, "priorityClassName": "high", "priority": 7, "schedulerName": "other"},
}


def _both(spec: dict[str, Any]) -> tuple[Pod, Pod]:
    top = deployment(**spec)
    below = replicaset(top)
    view = view_of(node("gpu-1"), top, below, pod(below, "glm-abc-0"))
    thing = view.thing("Deployment", "llm", "glm")
    assert thing is not None
    return view.pods["llm/glm-abc-0"], template_pod(view, thing, thing.fields.at("spec", "template"))


@pytest.mark.parametrize("name", SPECS)
def test_a_template_becomes_the_pod_that_would_be_made(name: str) -> None:
    decoded, made = _both(SPECS[name])
    for field in PodSpec.__struct_fields__:
        assert getattr(made.spec, field) == getattr(decoded.spec, field), field
    for field in ("requests", "volumes", "priority", "priority_class", "scheduler", "labels", "gated", "claims"):
        assert getattr(made, field) == getattr(decoded, field), field


def test_a_limit_range_gives_containers_what_they_leave_out() -> None:
    top = deployment()
    del top["spec"]["template"]["spec"]["containers"][0]["resources"]
    limits = {"type": "Container", "default": {"cpu": "8"}, "defaultRequest": {"cpu": "3", "memory": "1Gi"}}
    ranged = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "usual", "namespace": "llm"},
        "spec": {"limits": [limits]},
    }
    view = view_of(top, ranged)
    thing = view.thing("Deployment", "llm", "glm")
    assert thing is not None
    made = template_pod(view, thing, thing.fields.at("spec", "template"))
    assert dict(made.requests) == {"cpu": 3000, "memory": 2**30}


def test_odd_fields_make_no_error() -> None:
    top = deployment()
    top["spec"]["template"]["spec"] |= {
        "affinity": "none",
        "tolerations": {"key": "x"},
        "topologySpreadConstraints": [7, {"maxSkew": "many"}],
        "volumes": [None, {"persistentVolumeClaim": {"claimName": 3}}],
        "containers": [{"ports": "all", "resources": {"requests": {"cpu": "lots"}}}, "engine"],
    }
    view = view_of(top)
    thing = view.thing("Deployment", "llm", "glm")
    assert thing is not None
    assert not template_pod(view, thing, thing.fields.at("spec", "template")).requests
