"""What lets in only some of the replicas before any node is looked at, and in which order pods come and go."""

from typing import Any

import pytest

from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.scaling.more import Up
from bot.scaling.ration import Ration
from bot.scaling.verdict import verdict
from tests.scaling.building import (
    Object,
    deployment,
    evidence,
    node,
    pod,
    previewed,
    replicaset,
    running,
    stateful_set,
    view_of,
)

FLEET = [node(f"gpu-{number}") for number in range(1, 5)]
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm"}}


def _quota(hard: dict[str, str], used: dict[str, str] | None = None, **spec: Any) -> Object:
    meta = {"name": "team", "namespace": "llm"}
    status = {"hard": hard, "used": used or {}}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": meta,
        "spec": {"hard": hard, **spec},
        "status": status,
    }


def _limit_range(**default: str) -> Object:
    limits = [{"type": "Container", "default": default}]
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "defaults", "namespace": "llm"},
        "spec": {"limits": limits},
    }


def _bare() -> dict[str, Any]:
    """Containers that say nothing of CPU and memory."""
    return {"containers": [{"name": "engine", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}


def _up(*objects: Object, wanted: int = 4, seen: Evidence = NO_EVIDENCE, kind: str = "Deployment") -> Up:
    up = previewed(view_of(*FLEET, *objects), wanted, seen, kind=kind).up
    assert up is not None
    assert up.starts + up.hangs + up.waits + up.refused == up.added
    return up


def _first(up: Up) -> Ration:
    return up.rations[0]


@pytest.mark.parametrize(
    ("quota", "spec", "made"),
    [
        pytest.param(_quota({"requests.nvidia.com/gpu": "5"}, {"requests.nvidia.com/gpu": "4"}), {}, 1, id="GPUs"),
        pytest.param(_quota({"limits.cpu": "12"}, {"limits.cpu": "4"}), {}, 2, id="limits"),
        pytest.param(_quota({"cpu": "12"}, {"cpu": "4"}), {}, 2, id="requests by their plain name"),
        pytest.param(_quota({"pods": "2"}, {"pods": "1"}), {}, 1, id="pods"),
        pytest.param(_quota({"count/pods": "1"}, {"count/pods": "1"}), {}, 0, id="pods by count"),
        pytest.param(_quota({"limits.memory": "1Ti"}), _bare(), 0, id="a limit that nobody says"),
        pytest.param(_quota({"requests.cpu": "1k"}), _bare(), 0, id="a request that nobody says"),
        pytest.param(_quota({"requests.amd.com/gpu": "0"}), {}, 3, id="a resource that it does not ask for"),
        pytest.param(_quota({"pods": "1"}, {"pods": "1"}, scopes=["NotTerminating"]), {}, 0, id="no deadline"),
        pytest.param(_quota({"pods": "1"}, {"pods": "1"}, scopes=["Terminating"]), {}, 3, id="only with a deadline"),
        pytest.param(_quota({"pods": "1"}, {"pods": "1"}, scopes=["NotBestEffort"]), {}, 0, id="with requests"),
        pytest.param(_quota({"pods": "1"}, {"pods": "1"}, scopes=["BestEffort"]), {}, 3, id="only without requests"),
        pytest.param(_quota({"pods": "1"}, {"pods": "1"}, scopes=["Unheard"]), {}, 3, id="a scope that is not known"),
        pytest.param(_quota({"pods": "lots"}), {}, 0, id="an amount that is none"),
    ],
)
def test_a_quota_lets_in_what_it_has_left(quota: Object, spec: dict[str, Any], made: int) -> None:
    up = _up(quota, *running(["gpu-1"], **spec))
    assert up.added - up.refused == made


def test_what_a_limit_range_says_for_containers_counts() -> None:
    silent = running(["gpu-1"], **_bare())
    up = _up(_quota({"limits.memory": "20Gi"}, {"limits.memory": "8Gi"}), _limit_range(memory="8Gi"), *silent)
    assert up.added - up.refused == 1
    assert "12 GiB of 20 GiB" in _first(up).why


def test_those_that_are_asked_for_already_come_first() -> None:
    top = deployment(replicas=3)
    below = replicaset(top)
    quota = _quota({"pods": "4"}, {"pods": "1"})
    up = _up(quota, top, below, pod(below, "glm-abc-0", "gpu-1"), wanted=5)
    assert (up.added, up.refused) == (2, 1)
    assert "2 replicas asked for already come first" in _first(up).why


def test_pods_that_wait_already_get_the_free_nodes_first() -> None:
    top = deployment(replicas=4, gpus=8)
    below = replicaset(top)
    waiting = [pod(below, f"glm-abc-{number}") for number in (1, 2)]
    up = _up(top, below, pod(below, "glm-abc-0", "gpu-1"), pod(below, "glm-abc-3", "gpu-2"), *waiting, wanted=5)
    assert (up.ahead, up.starts, up.waits) == (2, 0, 1)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        pytest.param({"priorityClassName": "gold"}, "PriorityClass `gold`", id="a priority class"),
        pytest.param({"serviceAccountName": "runner"}, "ServiceAccount `runner`", id="a service account"),
        pytest.param({"runtimeClassName": "gvisor"}, "RuntimeClass `gvisor`", id="a runtime class"),
        pytest.param({"priorityClassName": "system-node-critical"}, "", id="built in"),
        pytest.param({"serviceAccountName": "default"}, "", id="the default account"),
    ],
)
def test_a_name_that_nobody_has_refuses_all(spec: dict[str, Any], says: str) -> None:
    up = _up(deployment(replicas=0, **spec), wanted=2)
    assert up.refused == (2 if says else 0)
    assert not says or says in _first(up).why


def test_in_a_namespace_that_goes_none_is_made() -> None:
    going = {**NAMESPACE, "metadata": {"name": "llm", "namespace": "", "deletionTimestamp": "2026-11-30T11:00:00Z"}}
    up = _up(NAMESPACE, *running(["gpu-1"]), seen=evidence(going))
    assert up.refused == 3
    assert "being deleted" in _first(up).why


@pytest.mark.parametrize(
    ("message", "refused"),
    [
        pytest.param('admission webhook "policy.example.com" denied the request: no team', 2, id="a webhook"),
        pytest.param('pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged', 2, id="security"),
        pytest.param(
            'pods "x" is forbidden: exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1',
            0,
            id="a quota that has room now",
        ),
    ],
)
def test_what_refuses_its_pods_now_refuses_new_ones(message: str, refused: int) -> None:
    top = deployment(replicas=2)
    below = replicaset(top)
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    below["status"] = {"replicas": 1, "conditions": [condition]}
    assert _up(top, below, pod(below, "glm-abc-0", "gpu-1")).refused == refused


# ---- in order --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "ready", "wanted", "says"),
    [
        pytest.param(
            "OrderedReady", (True, True), 4, "both new replicas of llm/glm would get a node now", id="all well"
        ),
        pytest.param(
            "OrderedReady", (False, True), 4, "glm-0 is not ready: no pod after it is made", id="none is made"
        ),
        pytest.param("Parallel", (False, True), 4, "both new replicas of llm/glm would get a node now", id="at once"),
        pytest.param("OrderedReady", (False, True), 1, "but only after glm-0 is ready", id="none goes"),
        pytest.param("OrderedReady", (True, False), 1, "would go: glm-1 (gpu-2), which", id="the broken one goes"),
        pytest.param("Parallel", (False, True), 1, "would go: glm-1 (gpu-2), which", id="they go at once"),
        pytest.param(
            "OrderedReady", (False, False), 0, "but only after glm-0 is ready", id="the last waits for the first"
        ),
    ],
)
def test_a_stateful_set_in_order(policy: str, ready: tuple[bool, bool], wanted: int, says: str) -> None:
    top = stateful_set(replicas=2, policy=policy)
    pods = [pod(top, f"glm-{number}", f"gpu-{number + 1}", ready=well) for number, well in enumerate(ready)]
    told = verdict(previewed(view_of(*FLEET, top, *pods), wanted, kind="StatefulSet"))
    assert says.casefold() in told.casefold()


def test_a_quota_counts_the_claims_that_come_with_pods() -> None:
    template = {
        "metadata": {"name": "cache"},
        "spec": {"storageClassName": "ssd", "resources": {"requests": {"storage": "100Gi"}}},
    }
    top = stateful_set(replicas=0, policy="Parallel", volumeClaimTemplates=[template])
    for hard in (
        {"requests.storage": "250Gi"},
        {"persistentvolumeclaims": "2"},
        {"ssd.storageclass.storage.k8s.io/requests.storage": "250Gi"},
    ):
        up = _up(_quota(hard), top, wanted=3, kind="StatefulSet")
        assert up.refused == 1, hard
    other = _quota({"hdd.storageclass.storage.k8s.io/requests.storage": "0"})
    assert _up(other, top, wanted=3, kind="StatefulSet").refused == 0
