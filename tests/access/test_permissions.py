"""What Kubernetes' own authorizer is asked before a plan is carried out."""

import pytest

from bot.access.permissions import Permission, denied, permissions
from bot.domain.change import Target, Verb
from bot.domain.writing import Review
from tests.access.building import CORDON, UNCORDON, a_plan, a_step

SCALE = Target(
    api_version="apps/v1", kind="Deployment", resource="deployments", namespace="llm", name="glm", subresource="scale"
)


@pytest.mark.parametrize(
    ("verb", "asked"),
    [
        pytest.param(Verb.PATCH, [Permission("patch", "", "pods", "", "llm", "glm-0")], id="a patch"),
        pytest.param(Verb.DELETE, [Permission("delete", "", "pods", "", "llm", "glm-0")], id="a deletion"),
        pytest.param(Verb.CREATE, [Permission("create", "", "pods", "", "llm", "")], id="creation, which knows no name"),
        pytest.param(Verb.EVICT, [Permission("create", "", "pods", "eviction", "llm", "glm-0")], id="an eviction"),
        pytest.param(
            Verb.APPLY,
            [Permission("patch", "", "pods", "", "llm", "glm-0"), Permission("create", "", "pods", "", "llm", "")],
            id="server-side apply, which may create",
        ),
    ],
)  # fmt: skip
def test_what_a_step_needs(verb: Verb, asked: list[Permission]) -> None:
    step = a_step("glm-0", kind="Pod", namespace="llm", verb=verb)
    assert list(permissions(a_plan(steps=(step,), undo=()))) == asked


def test_each_is_asked_once_undo_and_cleanup_too() -> None:
    cleanup = a_step("p", kind="Pod", namespace="llm", verb=Verb.DELETE)
    scale = a_step(kind="Deployment", verb=Verb.PATCH)
    scaled = type(scale)(verb=Verb.PATCH, target=SCALE)
    asked = permissions(a_plan(steps=(CORDON, CORDON), undo=(UNCORDON, scaled), cleanup=(cleanup,)))
    assert [str(one) for one in asked] == ["patch nodes", "patch deployments/scale.apps in llm", "delete pods in llm"]


def test_a_no_names_the_verb_the_resource_and_who_could_grant_it() -> None:
    evict = Permission("create", "", "pods", "eviction", "llm", "glm-0")
    assert denied(evict, Review(True, "RBAC: allowed")) is None
    told = denied(evict, Review(False, "no rule allows it"))
    assert told is not None
    assert told.reason == "You may not `create pods/eviction in llm` in Kubernetes: no rule allows it"
    assert told.who_can == "whoever administers RBAC there, by a Role that allows it"
    own = denied(Permission("patch", "", "nodes"), Review(False, "no rule allows it"), you=False)
    assert own is not None
    assert own.reason.startswith("gpubot may not `patch nodes`")
    assert own.who_can.endswith("by a ClusterRole that allows it")


def test_what_could_not_be_asked_is_a_no() -> None:
    told = denied(Permission("patch", "", "nodes"), Review(None, "the API server does not answer"))
    assert told is not None
    assert told.reason == "Whether you may `patch nodes` could not be asked: the API server does not answer"
