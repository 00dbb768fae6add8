"""What each kind keeps of its objects, and what it makes of unusual ones."""

import json
from typing import Any

import pytest

from bot.adapters.cluster import kinds
from bot.adapters.cluster.shared import FULL, Known, Shared
from bot.domain.dra import Allocated
from bot.domain.node import Condition, Taint
from bot.domain.pod import Container, ContainerState
from bot.domain.record import Owner
from bot.domain.view import View
from tests.adapters.cluster import samples


def decoded(plural: str, obj: dict[str, Any], shared: Shared | None = None) -> Any:
    return kinds.decode(kinds.collect()[plural], json.dumps(obj).encode(), shared)[1]


def pod_with(spec: dict[str, Any] | None = None, **status: Any) -> Any:
    obj = samples.pod("p", **status)
    obj["spec"] |= spec or {}
    return decoded("pods", obj)


def container(
    requests: dict[str, str] | None = None, limits: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    return {"name": "main", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def test_every_kind_has_a_table_in_the_view() -> None:
    for kind in kinds.collect():
        assert View("test").tables[kind] == {}


@pytest.mark.parametrize(("said", "plural"), [("Pod", "pods"), ("PodList", "pods"), ("Job", "jobs")])
def test_a_kind_is_found_by_what_its_objects_call_themselves(said: str, plural: str) -> None:
    assert kinds.of_object(said) is kinds.collect()[plural]


def test_a_kind_that_is_not_read_is_none() -> None:
    assert kinds.of_object("Secret") is None


@pytest.mark.parametrize(
    ("plural", "obj"),
    [
        pytest.param("pods", {"metadata": {"namespace": "ml"}, "spec": {}}, id="without a name"),
        pytest.param("pods", {"metadata": {"name": "p"}}, id="without a spec"),
        pytest.param("pods", {"metadata": {"name": "p", "labels": ["a"]}, "spec": {}}, id="labels that are a list"),
        pytest.param("nodes", {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "x"}}}, id="a bad quantity"),
        pytest.param("nodes", [], id="a list"),
    ],
)
def test_what_is_not_of_the_kind_is_one_error(plural: str, obj: Any) -> None:
    with pytest.raises(kinds.ObjectError, match=r"not a (Pod|Node): "):
        decoded(plural, obj)


# ---- pods ------------------------------------------------------------------------------------------------------------


def test_a_pod_keeps_what_answers_need() -> None:
    obj = samples.pod("p", node="n1", gpus=2, owner="rs", nominatedNodeName="n9", reason="Evicted")
    obj["metadata"] |= {"labels": {"team": "a"}, "creationTimestamp": "2026-12-01T00:00:00Z", "resourceVersion": "7"}
    obj["spec"] |= {
        "priority": 10,
        "priorityClassName": "high",
        "schedulerName": "s",
        "schedulingGates": [{"name": "g"}],
    }
    pod = decoded("pods", obj)
    assert (pod.key, pod.node, pod.nominated, pod.phase, pod.reason) == ("ml/p", "n1", "n9", "Running", "Evicted")
    assert (pod.priority, pod.priority_class, pod.scheduler, pod.gated) == (10, "high", "s", True)
    assert (pod.labels, pod.owner) == ({"team": "a"}, Owner("ReplicaSet", "rs", "uid-rs", "apps/v1"))
    assert (pod.version, pod.created, pod.deleted) == ("7", "2026-12-01T00:00:00Z", "")
    assert pod.requests == {"cpu": 2000, "nvidia.com/gpu": 2}


def test_pods_of_one_template_share_what_they_have_in_common() -> None:
    shared = Shared()
    one, other = (decoded("pods", samples.pod(name, node="n1", gpus=2, owner="rs"), shared) for name in ("a", "b"))
    assert one.requests is other.requests
    assert one.containers is other.containers
    assert one.labels is other.labels
    assert one.owner is other.owner
    assert one.node is other.node


def test_containers_in_another_place_are_another_template() -> None:
    shared = Shared()
    as_app, as_init = samples.pod("a", gpus=2), samples.pod("b", gpus=2)
    as_init["spec"]["initContainers"] = as_init["spec"].pop("containers")
    assert [one.init for one in decoded("pods", as_app, shared).containers] == [False]
    assert [one.init for one in decoded("pods", as_init, shared).containers] == [True]


@pytest.mark.parametrize(
    ("spec", "requests"),
    [
        pytest.param(
            {"containers": [container(limits={"nvidia.com/gpu": "4"})]}, {"nvidia.com/gpu": 4}, id="a limit alone"
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"}, {"cpu": "4"})]}, {"cpu": 1000}, id="a request and a limit"
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"})], "initContainers": [container({"cpu": "3"})]},
            {"cpu": 3000},
            id="a larger init container",
        ),
        pytest.param(
            {
                "containers": [container({"cpu": "1"})],
                "initContainers": [container({"cpu": "3"}, restartPolicy="Always")],
            },
            {"cpu": 4000},
            id="a sidecar",
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"})], "resources": {"requests": {"cpu": "5"}}},
            {"cpu": 5000},
            id="a pod-level request",
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"})], "resources": {"limits": {"memory": "1Ki"}}},
            {"cpu": 1000, "memory": 1024},
            id="a pod-level limit alone",
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"})], "overhead": {"cpu": "250m"}}, {"cpu": 1250}, id="an overhead"
        ),
    ],
)
def test_a_pod_counts_for(spec: dict[str, Any], requests: dict[str, int]) -> None:
    assert pod_with(spec).requests == requests


def resized(running: str | None, allocated: str | None, *, reason: str = "", name: str = "main") -> dict[str, Any]:
    status: dict[str, Any] = {"name": name}
    if running:
        status["resources"] = {"requests": {"cpu": running}}
    if allocated:
        status["allocatedResources"] = {"cpu": allocated}
    conditions = [{"type": "PodResizePending", "status": "True", "reason": reason}] if reason else []
    return {"containerStatuses": [status], "conditions": conditions}


@pytest.mark.parametrize(
    ("status", "cpu"),
    [
        pytest.param(resized("1", "1"), 2000, id="a wish for more counts at once"),
        pytest.param(resized("3", "1"), 3000, id="what still runs with more counts"),
        pytest.param(resized("1", "4"), 4000, id="what is promised counts"),
        pytest.param(resized("1", "1", reason="Infeasible"), 1000, id="a wish refused for good does not count"),
        pytest.param(resized("1", "1", reason="Deferred"), 2000, id="a wish put off counts"),
        pytest.param(resized(None, "9"), 2000, id="without running resources the status says nothing"),
        pytest.param(resized("9", "9", name="other"), 2000, id="another container's status"),
    ],
)
def test_a_container_of_2_cpu_that_is_resized_in_place_counts_for(status: dict[str, Any], cpu: int) -> None:
    assert pod_with(**status).requests["cpu"] == cpu


@pytest.mark.parametrize(("policy", "cpu"), [("Always", 11000), ("", 8000)], ids=["a sidecar", "an init container"])
def test_only_sidecars_among_the_init_containers_can_be_resized(policy: str, cpu: int) -> None:
    init = {**container({"cpu": "8"}, restartPolicy=policy), "name": "first"}
    status = resized("9", None, name="first")
    pod = pod_with({"initContainers": [init]}, initContainerStatuses=status["containerStatuses"])
    assert pod.requests["cpu"] == cpu


@pytest.mark.parametrize(
    ("state", "last", "kept"),
    [
        pytest.param({"running": {}}, {}, ("", "", None), id="it runs"),
        pytest.param(
            {"running": {}},
            {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
            ("", "", None),
            id="it runs again",
        ),
        pytest.param({"waiting": {"reason": "ImagePullBackOff"}}, {}, ("ImagePullBackOff", "", None), id="it waits"),
        pytest.param(
            {"waiting": {"reason": "CrashLoopBackOff"}},
            {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
            ("CrashLoopBackOff", "OOMKilled", 137),
            id="it waits after its last run ended badly",
        ),
        pytest.param({"terminated": {"reason": "Error", "exitCode": 2}}, {}, ("", "Error", 2), id="it ended"),
        pytest.param(None, None, ("", "", None), id="nothing is known"),
    ],
)
def test_a_container_s_state(state: Any, last: Any, kept: tuple[str, str, int | None]) -> None:
    status = {"name": "main", "ready": False, "restartCount": 3, "state": state, "lastState": last}
    assert pod_with(containerStatuses=[status]).states == (ContainerState("main", False, 3, *kept),)


def test_only_conditions_that_are_not_true_are_kept() -> None:
    good = {"type": "Ready", "status": "True"}
    bad = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/3",
        "lastTransitionTime": "t",
    }
    assert pod_with(conditions=[good, bad]).conditions == (
        Condition("PodScheduled", "False", "Unschedulable", "0/3", "t"),
    )


def test_claims_are_those_named_and_those_made_for_the_pod() -> None:
    spec = {
        "resourceClaims": [{"name": "a", "resourceClaimName": "own"}, {"name": "b", "resourceClaimTemplateName": "t"}]
    }
    made = [{"name": "a", "resourceClaimName": "own"}, {"name": "b", "resourceClaimName": "made-x"}]
    pod = pod_with(spec, resourceClaimStatuses=made, extendedResourceClaimStatus={"resourceClaimName": "extended"})
    assert pod.claims == ("own", "made-x", "extended")


def test_an_owner_that_does_not_control_is_none() -> None:
    obj = samples.pod("p", owner="rs")
    obj["metadata"]["ownerReferences"][0]["controller"] = False
    assert decoded("pods", obj).owner is None


def test_a_pod_without_a_namespace_is_in_the_default_one() -> None:
    obj = samples.pod("p")
    del obj["metadata"]["namespace"]
    assert kinds.decode(kinds.collect()["pods"], json.dumps(obj).encode())[0] == "default/p"


def test_a_container_keeps_name_image_and_request() -> None:
    assert pod_with().containers == (Container("main", "vllm", {"cpu": 2000}),)


# ---- nodes -----------------------------------------------------------------------------------------------------------


def managed(manager: str, time: str, *fields: str) -> dict[str, Any]:
    return {"manager": manager, "time": time, "fieldsV1": {"f:spec": {f"f:{field}": {} for field in fields}}}


def test_a_node_keeps_what_answers_need() -> None:
    obj = samples.node(
        "n", unschedulable=True, taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}, {"key": "x"}]
    )
    obj["metadata"]["annotations"] = {"karpenter.sh/x": "1", "quarantineHealthEvent": "2", "nfd/long": "3"}
    obj["status"]["nodeInfo"] = {"kubeletVersion": "v1.36.2"}
    node = decoded("nodes", obj)
    assert (node.labels, node.unschedulable, node.ready, node.kubelet_version) == (
        {"pool": "gpu"},
        True,
        True,
        "v1.36.2",
    )
    assert node.taints == (Taint("k", "v", "NoSchedule"), Taint("x"))
    assert node.annotations == {"karpenter.sh/x": "1", "quarantineHealthEvent": "2"}
    assert (node.allocatable["cpu"], node.allocatable["memory"]) == (64000, 2**39)


@pytest.mark.parametrize(
    ("fields", "unschedulable", "by"),
    [
        pytest.param([managed("kubectl-cordon", "1", "unschedulable")], True, "kubectl-cordon", id="one manager"),
        pytest.param([managed("kubelet", "9", "podCIDR")], True, "", id="a manager of something else"),
        pytest.param(
            [managed("new", "2026-12-02", "unschedulable"), managed("old", "2026-12-01", "unschedulable")],
            True,
            "new",
            id="the latest of two",
        ),
        pytest.param([managed("kubectl-cordon", "1", "unschedulable")], False, "", id="a node that is not cordoned"),
        pytest.param([{"manager": "odd", "fieldsV1": None}, {}], True, "", id="entries without fields"),
        pytest.param(None, True, "", id="no bookkeeping"),
    ],
)
def test_who_cordoned_it(fields: Any, unschedulable: bool, by: str) -> None:
    obj = samples.node("n", unschedulable=unschedulable)
    obj["metadata"]["managedFields"] = fields
    assert decoded("nodes", obj).cordoned_by == by


# ---- the others ------------------------------------------------------------------------------------------------------


def test_a_slice_keeps_its_devices_and_their_attributes_as_texts() -> None:
    attributes = {
        "model": {"string": "H200"},
        "cores": {"int": 132},
        "mig": {"bool": True},
        "driver": {"version": "1.2.3"},
    }
    devices = [
        {"name": "gpu-0", "attributes": attributes, "taints": [{"key": "k", "effect": "NoExecute"}]},
        {"name": "gpu-1", "taints": [{"key": "k", "effect": "None"}]},
    ]
    obj = samples.plain("resourceslices", "s")
    obj["spec"] |= {"nodeName": "n1", "devices": devices}
    kept = decoded("resourceslices", obj)
    assert (kept.driver, kept.pool, kept.node, kept.generation, kept.slices) == ("gpu.nvidia.com", "s", "n1", 1, 1)
    assert kept.devices[0].attributes == {"model": "H200", "cores": "132", "mig": "true", "driver": "1.2.3"}
    assert [device.tainted for device in kept.devices] == [True, False]


def test_a_claim_holds_what_it_was_given_except_for_admin_access() -> None:
    given = [
        {"driver": "d", "pool": "p", "device": "0"},
        {"driver": "d", "pool": "p", "device": "1", "adminAccess": True},
    ]
    users = [{"resource": "pods", "name": "a"}, {"resource": "jobs", "name": "b"}]
    status = {"allocation": {"devices": {"results": given}}, "reservedFor": users}
    kept = decoded("resourceclaims", samples.plain("resourceclaims", "c", "ml") | {"status": status})
    assert (kept.allocated, kept.reserved_for) == ((Allocated("d", "p", "0"),), ("a",))


@pytest.mark.parametrize(("plural", "kind"), [("replicasets", "ReplicaSet"), ("jobs", "Job")])
def test_a_workload_keeps_its_owner(plural: str, kind: str) -> None:
    obj = samples.plain(plural, "w", "ml")
    obj["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "d", "uid": "u", "controller": True}]
    kept = decoded(plural, obj)
    assert (kept.kind, kept.owner) == (kind, Owner("Deployment", "d", "u"))


def test_a_priority_class_that_says_nothing_preempts() -> None:
    kept = decoded("priorityclasses", samples.plain("priorityclasses", "p") | {"value": 7, "globalDefault": True})
    assert (kept.value, kept.preemption_policy, kept.is_default) == (7, "PreemptLowerPriority", True)


def test_a_table_of_shared_values_does_not_grow_for_ever() -> None:
    known: Known[int, str] = Known(str)
    assert [known[number] for number in range(FULL + 10)][-1] == str(FULL + 9)
    assert len(known) <= FULL
