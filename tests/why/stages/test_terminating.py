"""What is being deleted and still there."""

from typing import Any

import pytest

from bot.domain.evidence import Evidence, NodeRef, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.why.case import Case
from bot.why.finding import Level
from bot.why.stages.terminating import STAGE
from tests.factories import a_node, a_pod
from tests.why.builders_owners import (
    a_deployment,
    a_member,
    a_replicaset,
    a_thing,
    ago,
    ahead,
    an_event,
    asked,
    found,
    owners_view,
    words,
)

NOT_READY = (Condition("Ready", "False", "KubeletNotReady", since=ago(minutes=40)),)
SILENT = (Condition("Ready", "Unknown", "NodeStatusUnknown", since=ago(minutes=40)),)


def whole(pod: Pod, kernel: str = "", **metadata: Any) -> Evidence:
    """The pod as the API server has it, and its node's kernel messages."""
    ref = ObjectRef("Pod", pod.namespace, pod.name)
    spec = metadata.pop("spec", {})
    texts = {NodeRef("kernel", pod.node): kernel} if kernel else {}
    return Evidence({ref: Fields({"metadata": metadata, "spec": spec})}, texts)


def deleted(minutes: float = 20, **changed: Any) -> Pod:
    return a_pod(gpus=8, deleted=ago(minutes=minutes), uid="u", **changed)


@pytest.mark.parametrize(
    ("node", "told"),
    [
        pytest.param(a_node(conditions=NOT_READY), "gpu-1 is not Ready for 40 min", id="its node is not Ready"),
        pytest.param(a_node(conditions=SILENT), "gpu-1 does not report for 40 min", id="its node is silent"),
        pytest.param(a_node("gpu-9"), "gpu-1 does not exist any more", id="its node is gone"),
    ],
)
def test_only_a_kubelet_can_confirm_the_end(node: object, told: str) -> None:
    pod = deleted()
    (finding,) = found(STAGE, asked(owners_view(pod, node), pod, whole(pod)))
    assert (finding.id, finding.level) == ("terminating.node-lost", Level.CAUSE)
    assert told in finding.sentence
    assert "holds 8 GPUs" in finding.sentence
    assert "kubectl -n llm delete pod glm-0 --force --grace-period=0" in words(finding)
    assert "two copies" in words(finding)
    assert "Deleting the pod again does not help" in words(finding)


@pytest.mark.parametrize(
    ("left", "level"),
    [
        pytest.param({"seconds": 20}, Level.NOTE, id="a moment"),
        pytest.param({"minutes": 50}, Level.CAUSE, id="a long time"),
    ],
)
def test_inside_its_grace_period(left: dict[str, float], level: Level) -> None:
    pod = a_pod(gpus=8, deleted=ahead(**left), uid="u")
    spec = {"containers": [{"name": "vllm", "lifecycle": {"preStop": {"exec": {}}}}]}
    evidence = whole(pod, deletionGracePeriodSeconds=3600, spec=spec)
    (finding,) = found(STAGE, asked(owners_view(pod, a_node()), pod, evidence))
    assert (finding.id, finding.level) == ("terminating.grace", level)
    assert "grace period of 1 h" in finding.sentence
    assert "preStop" in finding.sentence
    assert finding.until


def test_a_finalizer_names_who_takes_it_away() -> None:
    pod = deleted()
    evidence = whole(pod, finalizers=["batch.kubernetes.io/job-tracking", "example.com/own"])
    (finding,) = found(STAGE, asked(owners_view(pod, a_node()), pod, evidence))
    assert finding.id == "terminating.finalizer"
    assert "`batch.kubernetes.io/job-tracking` (taken away by the Job controller" in finding.sentence
    assert "`example.com/own`" in finding.sentence
    assert "`--force` does not help" in finding.useless[0]


def test_a_kubelet_that_cannot_end_it() -> None:
    pod = deleted()
    event = an_event(
        a_thing("Pod", "glm-0"), "FailedKillPod", "error killing pod: context deadline exceeded", about_kind="Pod"
    )
    kernel = "2026-11-30T11:50:00 INFO: task python3:4711 blocked for more than 122 seconds."
    (finding,) = found(STAGE, asked(owners_view(pod, a_node(), event), pod, whole(pod, kernel)))
    assert finding.id == "terminating.not-ended"
    assert "20 min after its grace period" in finding.sentence
    assert "process `python3` is stuck in the kernel" in finding.sentence
    assert "FailedKillPod" in finding.evidence[0]


def test_without_the_whole_pod_finalizers_are_unknown() -> None:
    pod = deleted()
    (finding,) = found(STAGE, asked(owners_view(pod, a_node()), pod))
    assert finding.unknown == ("the whole pod (its finalizers)",)


def test_nodes_that_are_not_read_are_not_called_gone() -> None:
    pod = deleted()
    (finding,) = found(STAGE, asked(owners_view(pod, unread=("nodes",)), pod, whole(pod)))
    assert finding.id == "terminating.not-ended"


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        pytest.param("StatefulSet", Level.CAUSE, id="a StatefulSet waits for the name"),
        pytest.param("ReplicaSet", Level.ALSO, id="others have made another pod"),
    ],
)
def test_an_owner_waits_for_it_or_not(kind: str, level: Level) -> None:
    owner = a_thing(kind, spec={"replicas": 1})
    pod = a_member(owner, "glm-0", ready=False, deleted=ago(minutes=20))
    (finding,) = found(STAGE, asked(owners_view(owner, pod, a_node(conditions=SILENT)), owner))
    assert finding.level is level
    assert "ts pod `glm-0` is being deleted, but its node gpu-1 does not report" in finding.sentence


# ---- namespaces --------------------------------------------------------------------------------------------------------


def leaving(view: View, about: Any, minutes: float = 20) -> Case:
    conditions = [
        {"type": "NamespaceDeletionDiscoveryFailure", "status": "False", "message": "All resources discovered"},
        {"type": "NamespaceContentRemaining", "status": "True", "message": "jobs.batch has 1 resource instances"},
    ]
    namespace = Fields({"metadata": {"deletionTimestamp": ago(minutes=minutes)}, "status": {"conditions": conditions}})
    return asked(view, about, Evidence({ObjectRef("Namespace", "", "llm"): namespace}))


def test_in_a_namespace_that_is_being_deleted_no_pod_is_made() -> None:
    deployment = a_deployment()
    view = owners_view(deployment, a_replicaset(deployment))
    assert STAGE.wants(asked(view, deployment)).refs == (ObjectRef("Namespace", "", "llm"),)
    (finding,) = found(STAGE, leaving(view, deployment))
    assert (finding.id, finding.level) == ("terminating.namespace", Level.CAUSE)
    assert "namespace llm has been terminating for 20 min: no pod can be made in it any more" in finding.sentence
    assert "jobs.batch has 1 resource instances" in finding.evidence[0]


@pytest.mark.parametrize(
    ("minutes", "level"),
    [pytest.param(0.2, Level.NOTE, id="just now"), pytest.param(30.0, Level.ROOT, id="long since")],
)
def test_behind_a_pod_that_ends_stands_its_namespace(minutes: float, level: Level) -> None:
    pod = deleted()
    *_, finding = found(STAGE, leaving(owners_view(pod, a_node()), pod, minutes))
    assert (finding.id, finding.level) == ("terminating.namespace", level)


def test_nothing_is_said_of_what_lives() -> None:
    pod = a_pod()
    case = asked(owners_view(pod, a_node()), pod)
    assert found(STAGE, case) == []
    assert STAGE.wants(case).refs == ()


@pytest.mark.parametrize("time", [pytest.param("soon", id="no time"), pytest.param("2026-13-77", id="no date")])
def test_odd_times_do_no_harm(time: str) -> None:
    pod = a_pod(deleted=time)
    evidence = whole(pod, finalizers="none", deletionGracePeriodSeconds="x", spec={"containers": 3})
    (finding,) = found(STAGE, asked(owners_view(pod, a_node()), pod, evidence))
    assert finding.id == "terminating.not-ended"
