"""Small fleets for the checklist: nodes that pass, and what it takes to spoil one point."""

import json
from typing import Any

from bot.checks.preflight.point import Outcome
from bot.checks.preflight.report import Asked, NodeReport, Report, points, report
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.node import Node
from bot.domain.pod import Container, ContainerState, Pod
from bot.domain.view import View
from tests.factories import NOW, POLICY, a_node, a_pod, owned_by
from tests.why.builders_stack import a_stack_pod, a_stack_view

DRIVER = "nvidia.com/cuda.driver-version.full"
PRODUCT = "nvidia.com/gpu.product"
IMAGE = "docker.io/vllm/vllm-openai:v0.20.1"


def a_fit_node(name: str = "gpu-1", *, pool: str = "h200", driver: str = "580.95.05", **changed: Any) -> Node:
    """A node of some days with its labels."""
    labels = {"pool": pool, **({DRIVER: driver} if driver else {}), **changed.pop("more_labels", {})}
    return a_node(name, more_labels=labels, **({"created": "2026-11-01T00:00:00Z"} | changed))


def a_plugin(node: str = "gpu-1", **changed: Any) -> Pod:
    return a_stack_pod(f"nvidia-device-plugin-{node.replace('-', '')}", node=node, **changed)


def an_engine(name: str = "glm-0", *, node: str = "gpu-1", image: str = IMAGE, **changed: Any) -> Pod:
    """A pod of one StatefulSet that serves with 8 GPUs."""
    defaults: dict[str, Any] = {
        "gpus": 8,
        "containers": (Container("vllm", image),),
        "states": (ContainerState("vllm", ready=True),),
        "owner": owned_by("StatefulSet", name),
    }
    return a_pod(name, node=node, **(defaults | changed))


def held(waiting: str = "ImagePullBackOff") -> dict[str, Any]:
    """What makes an engine one that does not start."""
    return {"phase": "Pending", "states": (ContainerState("vllm", waiting=waiting),)}


def whole(*arguments: str, **environment: str) -> dict[str, Any]:
    """A whole pod whose container `vllm` has these arguments and variables."""
    env = [{"name": name, "value": value} for name, value in environment.items()]
    return {"spec": {"containers": [{"name": "vllm", "image": IMAGE, "args": list(arguments), "env": env}]}}


def an_agent(gpus: int = 8, product: str = "NVIDIA H200", **of_last: Any) -> str:
    """The agent's JSON; `of_last` are fields of the last GPU."""
    cards: list[dict[str, Any]] = [
        {"index": index, "uuid": f"GPU-{index}", "name": product, "memoryInfo": {"total": 2**37, "used": 0}}
        for index in range(gpus)
    ]
    cards[-1] |= of_last
    return json.dumps({"takenAt": "2026-11-30T12:00:00Z", "driverVersion": "580.95.05", "gpus": cards})


def fit(*more: Any, unread: tuple[str, ...] = ()) -> View:
    """One node that passes, and what is put beside it."""
    return a_stack_view(a_fit_node(), a_plugin(), an_engine(), *more, unread=unread)


def judged(view: View, given: Evidence = NO_EVIDENCE, *, pool: str = "", node: str = "") -> Report:
    return report(view, POLICY, given, NOW, Asked(pool, node))


def outcome(view: View, point: str, given: Evidence = NO_EVIDENCE, *, node: str = "gpu-1") -> Outcome:
    return of(the(judged(view, given), node), point)


def the(found: Report, node: str) -> NodeReport:
    return next(one for one in found.nodes if one.name == node)


def of(node: NodeReport, point: str) -> Outcome:
    return next(one for known, one in zip(points(), node.points, strict=True) if known.id == point)
