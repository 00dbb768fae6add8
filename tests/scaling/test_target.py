"""Which object is meant, and what to type where that is not clear."""

import pytest

from bot.domain.errors import NotFoundError, UpstreamError, UsageError
from bot.scaling.target import scalable, target
from tests.scaling.building import Object, deployment, node, pod, running, view_of


def _other() -> list[Object]:
    found = running(["gpu-1"], name="glm-small")
    del found[0]["spec"]["template"]["spec"]["containers"][0]["args"]
    return found


VIEW = view_of(node("gpu-1"), *running(["gpu-1"]), *_other())


@pytest.mark.parametrize(
    ("word", "name"),
    [
        pytest.param("glm", "glm", id="an exact name before longer ones"),
        pytest.param("deployment/glm", "glm", id="kind/name"),
        pytest.param("deploy/glm", "glm", id="its short word"),
        pytest.param("llm/glm", "glm", id="namespace/name"),
        pytest.param("deployment/llm/glm", "glm", id="kind/namespace/name"),
        pytest.param("glm-5", "glm", id="the model that it serves"),
        pytest.param("glm-abc", "glm", id="its ReplicaSet"),
        pytest.param("glm-abc-0", "glm", id="one of its pods"),
        pytest.param("glm-sm", "glm-small", id="the beginning of a name"),
    ],
)
def test_one_is_meant(word: str, name: str) -> None:
    found = target(VIEW, word, "", "4")
    assert (found.kind, found.name) == ("Deployment", name)


def test_a_deployment_speaks_for_its_replicasets() -> None:
    assert [one.title for one in scalable(VIEW)] == ["deployment/glm", "deployment/glm-small"]


def test_a_leader_worker_set_speaks_for_its_statefulsets() -> None:
    groups = {"leaderworkerset.sigs.k8s.io/name": "big"}
    sets = {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "big", "namespace": "llm", "uid": "big"},
        "spec": {"replicas": 1},
    }
    leaders = deployment("big") | {"kind": "StatefulSet"}
    owner = {"apiVersion": "x/v1", "kind": "LeaderWorkerSet", "name": "big", "uid": "big", "controller": True}
    leaders["metadata"] |= {"uid": "big-sts", "labels": groups, "ownerReferences": [owner]}
    found = [one.title for one in scalable(view_of(sets, leaders))]
    assert found == ["leaderworkerset/big"]


@pytest.mark.parametrize(
    ("word", "namespace", "error", "says"),
    [
        pytest.param("gml", "", NotFoundError, "did you mean `/scale deployment/llm/glm 4`", id="a typing mistake"),
        pytest.param("zzzzzz", "", NotFoundError, "`/scale` lists what can be scaled", id="nothing like it"),
        pytest.param("glm", "dev", NotFoundError, "Nothing in dev is called “glm”", id="another namespace"),
        pytest.param("gpu-1", "", UsageError, "has no replicas to set", id="a node"),
        pytest.param("gl", "", UsageError, "can mean .*type `/scale deployment/llm/glm 4`", id="a beginning of two"),
        pytest.param("*bold* <!channel>", "", NotFoundError, "Nothing is called", id="markup"),
    ],
)
def test_else_it_is_said_what_to_type(word: str, namespace: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as raised:
        target(VIEW, word, namespace, "4")
    assert "<!channel>" not in str(raised.value)


def test_two_of_one_name_are_both_named() -> None:
    other = deployment()
    other["metadata"] |= {"namespace": "dev", "uid": "other"}
    view = view_of(deployment(), other)
    with pytest.raises(UsageError, match=r"`deployment/llm/glm` and `deployment/dev/glm`"):
        target(view, "glm", "", "+1")
    assert target(view, "glm", "dev", "+1").namespace == "dev"


def test_what_was_not_read_may_be_there() -> None:
    with pytest.raises(UpstreamError, match="deployments could not be read"):
        target(view_of(node("gpu-1"), unread=("deployments",)), "glm", "", "4")


def test_a_bare_pod_has_no_replicas() -> None:
    bare = pod(deployment(), "alone", "gpu-1")
    del bare["metadata"]["ownerReferences"]
    with pytest.raises(UsageError, match="has no replicas to set"):
        target(view_of(node("gpu-1"), bare), "alone", "", "2")
