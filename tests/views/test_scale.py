"""How `/scale` looks, kept as people see it: as text and as Block Kit."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from bot.adapters.cluster import kinds
from bot.command import Cluster, Reply, Request
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.local.workspace.validation import check_message_blocks
from bot.views.blocks import render
from bot.views.text import render as as_text
from commands.scale import COMMAND
from tests.factories import NOW, POLICY
from tests.scaling.building import Object, evidence, node, pod, running, view_of
from tests.views.golden_files import matches

METRICS = {"glm-abc-1": "vllm:num_requests_running 12\nvllm:num_requests_waiting 3\n"}
HPA: Object = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "glm", "namespace": "llm", "uid": "hpa"},
    "spec": {"minReplicas": 1, "maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "glm"}},
    "status": {"currentReplicas": 2, "desiredReplicas": 2},
}
SERVICE: Object = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "glm-api", "namespace": "llm", "uid": "svc"},
    "spec": {"selector": {"app": "glm"}},
}


def _fleet(number: int) -> list[Object]:
    return [node(f"gpu-{index}") for index in range(1, number + 1)]


def _asked(view: View, typed: str, seen: Evidence = NO_EVIDENCE) -> Reply:
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    cluster = Cluster("test", view, Inventory(view, POLICY))
    return COMMAND.run(Request(tuple(typed.split()), {}, typed, cluster, NOW, evidence=seen))


def partly() -> Reply:
    own = running(["gpu-1"], gpus=8)
    view = view_of(*_fleet(4), *own, *running(["gpu-4", "gpu-4"], name="notebook", gpus=2))
    return _asked(view, "deployment/glm 5 because of a launch", evidence(*own[2:]))


def undone() -> Reply:
    return _asked(view_of(*_fleet(4), *running(["gpu-1", "gpu-2"], gpus=4), HPA), "deployment/glm 6 until 18:00")


def fewer() -> Reply:
    own = running(["gpu-1", "gpu-2", "gpu-3"], gpus=4)
    own[3] = pod(own[1], "glm-abc-1", "gpu-2", ready=False)
    return _asked(view_of(*_fleet(3), *own), "glm -1", evidence(*own[2:], metrics=METRICS))


def to_none() -> Reply:
    own = running(["gpu-1"], gpus=8)
    return _asked(view_of(*_fleet(1), *own, SERVICE), "glm to 0", evidence(*own[2:]))


def listed() -> Reply:
    view = view_of(*_fleet(4), *running(["gpu-1", "gpu-2"], gpus=4), HPA, *running(["gpu-3"], name="chat", gpus=1))
    return _asked(view, "")


LOOKS: dict[str, Callable[[], Reply]] = {
    "scale_partly": partly,
    "scale_undone": undone,
    "scale_fewer": fewer,
    "scale_to_none": to_none,
    "scale_list": listed,
}


@pytest.mark.parametrize("name", LOOKS)
def test_it_looks_so(name: str) -> None:
    reply = LOOKS[name]()
    message: Any = render(reply.document)
    check_message_blocks(message.blocks)
    matches(name, as_text(reply.document))
    matches(f"{name}_blocks", asdict(message) if not isinstance(message, dict) else message)


@pytest.mark.parametrize("name", [one for one in LOOKS if one != "scale_list"])
def test_it_is_asked_for_and_the_numbers_add_up(name: str) -> None:
    reply = LOOKS[name]()
    assert len(reply.intents) == 1
    numbers = reply.answer.numbers
    if "starts" in numbers:
        assert numbers["starts"] + numbers["hangs"] + numbers["waits"] + numbers["refused"] == (
            numbers["wanted"] - numbers["replicas"]
        )


def test_a_list_asks_for_nothing() -> None:
    assert listed().intents == ()
