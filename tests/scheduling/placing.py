"""Builders for the tests of filters: a pod that waits, nodes, others that are there already."""

from typing import Any

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.selectors import Requirement, Selector
from bot.domain.view import View
from bot.scheduling.cycle import begin
from bot.scheduling.evaluate import Verdict, evaluate
from bot.scheduling.framework import Failure
from bot.scheduling.state import State
from tests.factories import a_cpu_node, a_pod, a_view


def waiting(name: str = "new", **changed: Any) -> Pod:
    """A pod that asks for one core; fields of its spec may be given beside its own."""
    return placed("", name, **changed)


def placed(node: str, name: str = "there", **changed: Any) -> Pod:
    """A pod that is on that node."""
    spec = {field: changed.pop(field) for field in PodSpec.__struct_fields__ if field in changed}
    defaults = {"gpus": 0, "namespace": "ml"}
    return a_pod(name, node=node, spec=PodSpec(**spec), **(defaults | changed))


def a_place(name: str = "n1", **changed: Any) -> Node:
    return a_cpu_node(name, **changed)


def has(key: str, *values: str) -> Selector:
    return Selector((Requirement(key, "In", values),))


def verdict(pod: Pod, *others: Any) -> Verdict:
    """What is said of the pod in a cluster of these records."""
    return evaluate(pod, State(a_view(pod, *others)))


def failing(pod: Pod, *others: Any) -> dict[str, list[str]]:
    """Node → the plugins that turn the pod down there."""
    return {node: [one.plugin for one in found] for node, found in verdict(pod, *others).nodes.items()}


def failure(plugin: str, pod: Pod, node: Node, *others: Any) -> Failure | None:
    """What one plugin says of one node."""
    view: View = a_view(pod, node, *others)
    state = State(view)
    every, _ = begin(pod, state).failures(state.info(node.name))
    return next((one.failure for one in every if one.plugin == plugin), None)
