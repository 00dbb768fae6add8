"""Whether a step is done already, by the object as it is: the difference between once and twice."""

from typing import Any

import pytest

from bot.changes.settled import Settled, at, settled
from bot.domain.change import Step, Target, Verb

NODE = Target(api_version="v1", kind="Node", resource="nodes", name="gpu-1", uid="n1")
POD = Target(api_version="v1", kind="Pod", resource="pods", namespace="llm", name="glm-0", uid="p1")
CORDON = Step(
    verb=Verb.PATCH,
    target=NODE,
    body={"spec": {"unschedulable": True}},
    before={"spec.unschedulable": False},
    after={"spec.unschedulable": True},
)
UNCORDON = Step(
    verb=Verb.PATCH,
    target=NODE,
    body={"metadata": {"annotations": {"gpubot.dev/x": None}}, "spec": {"unschedulable": None}},
    before={"spec.unschedulable": True},
)
SCALE = Step(verb=Verb.PATCH, target=POD, body={"spec": {"replicas": 4}}, before={"spec.replicas": 2})
CREATE = Step(verb=Verb.CREATE, target=POD)
EVICT = Step(verb=Verb.EVICT, target=POD)


def node(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "gpu-1", "uid": "n1"}, "spec": spec}


def pod(uid: str = "p1", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "glm-0", "uid": uid, **metadata}}


@pytest.mark.parametrize(
    ("step", "found", "wanted"),
    [
        pytest.param(CORDON, node(), Settled.OPEN, id="a node without the field is not cordoned yet"),
        pytest.param(CORDON, node(unschedulable=True), Settled.DONE, id="a cordoned node is cordoned"),
        pytest.param(CORDON, None, Settled.MOVED, id="a node that is gone cannot be cordoned"),
        pytest.param(
            CORDON, {"metadata": {"uid": "n2"}, "spec": {}}, Settled.MOVED, id="another node of that name is another"
        ),
        pytest.param(UNCORDON, node(unschedulable=True), Settled.OPEN, id="a cordon that stands can be taken away"),
        pytest.param(UNCORDON, node(), Settled.DONE, id="an absent field is an uncordoned node"),
        pytest.param(SCALE, {"metadata": {"uid": "p1"}, "spec": {"replicas": 2}}, Settled.OPEN, id="still at two"),
        pytest.param(SCALE, {"metadata": {"uid": "p1"}, "spec": {"replicas": 4}}, Settled.DONE, id="at four already"),
        pytest.param(
            SCALE, {"metadata": {"uid": "p1"}, "spec": {"replicas": 3}}, Settled.MOVED, id="somebody made three"
        ),
        pytest.param(CREATE, None, Settled.OPEN, id="what is not there was not created"),
        pytest.param(
            CREATE, pod(labels={"app.kubernetes.io/managed-by": "gpubot"}), Settled.DONE, id="our own object is there"
        ),
        pytest.param(CREATE, pod(labels={"app": "x"}), Settled.MOVED, id="somebody else's object has that name"),
        pytest.param(EVICT, None, Settled.DONE, id="a pod that is gone was evicted"),
        pytest.param(
            EVICT, pod(deletionTimestamp="2026-11-30T12:00:00Z"), Settled.DONE, id="a pod that ends is evicted"
        ),
        pytest.param(EVICT, pod("p2"), Settled.DONE, id="its successor of the same name is left alone"),
        pytest.param(EVICT, pod(), Settled.OPEN, id="a pod that runs was not evicted"),
    ],
)
def test_a_step_against_the_object(step: Step, found: dict[str, Any] | None, wanted: Settled) -> None:
    assert settled(step, found) is wanted


def test_a_path_may_hold_keys_with_dots() -> None:
    found = {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}}}
    assert at(found, "metadata.annotations.kubectl.kubernetes.io/restartedAt") == "now"
    assert at(found, "metadata.labels.x") is None
