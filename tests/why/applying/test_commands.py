"""Which command is given, and where none can do it: owners above owners, autoscalers, what stands fast."""

from typing import Any

import pytest

from bot.domain.pod import Container, Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scheduling.evaluate import evaluate
from bot.scheduling.state import State
from bot.why.placement import ending, moving, template
from bot.why.placement.holders import holders
from bot.why.placement.nodes import Survey, survey
from tests.factories import a_node, a_pod, a_taint, owned_by
from tests.why.builders_owners import GPU, a_deployment, a_member, a_replicaset, a_template, a_thing, owners_view

TAINT = a_taint("dedicated=training:NoSchedule")
GROUP = a_thing("LeaderWorkerSet", "group")
NOTEBOOK = a_thing("Notebook", "nb")
NIGHTLY = a_thing("CronJob", "nightly")
TOLERATES = {"tolerations": [{"key": "a", "operator": "Exists"}]}


def looked_at(pod: Pod, *others: Any) -> Survey:
    view = owners_view(a_node("gpu-1", taints=(TAINT,)), pod, *others)
    state = State(view)
    return survey(pod, state, evaluate(pod, state))


def waits(owner: Thing, name: str = "glm-0", **changed: Any) -> Pod:
    engine = Container("vllm", "engine:v1", {GPU: 1})
    return a_member(owner, name, node="", **({"containers": (engine,)} | changed))


def a_stateful_set(name: str = "glm", **spec: Any) -> Thing:
    owner = spec.pop("owner", None)
    return a_thing("StatefulSet", name, owner=owner, spec={"template": a_template(**spec.pop("in_pod", {})), **spec})


CHANGED = [
    pytest.param(a_stateful_set(), "patch statefulset/glm --type=json", "delete pod glm-0", id="a stateful set's pod is deleted"),
    pytest.param(
        a_stateful_set(updateStrategy={"rollingUpdate": {"partition": 1}}), "edit statefulset/glm", "",
        id="with a partition no command is enough",
    ),
    pytest.param(
        a_thing("DaemonSet", spec={"template": a_template()}), "patch daemonset/glm", "", id="a daemon set does it itself"
    ),
    pytest.param(
        a_thing("DaemonSet", spec={"template": a_template(), "updateStrategy": {"type": "OnDelete"}}),
        "patch daemonset/glm", "delete pod glm-0", id="but not on delete only",
    ),
    pytest.param(a_thing("StatefulSet"), "edit statefulset/glm", "", id="its template could not be read"),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "begins", "ends"), CHANGED)
def test_a_toleration_reaches_the_pod_that_waits(owner: Thing, begins: str, ends: str) -> None:
    command = template.tolerate(looked_at(waits(owner), owner), TAINT).command
    first, _, second = command.partition(" && ")
    assert first.startswith(f"kubectl -n llm {begins}")
    assert second == (f"kubectl -n llm {ends}" if ends else "")


STANDS = [
    pytest.param(a_stateful_set(owner=GROUP), "edit leaderworkerset/group", "", id="a group's template is the group's"),
    pytest.param(a_stateful_set(owner=NOTEBOOK), "get notebook/nb -o yaml", "", id="what stands above is looked at"),
    pytest.param(a_thing("RayCluster", "ray"), "get raycluster/ray -o yaml", "", id="a kind that is not known"),
    pytest.param(a_thing("Job", "train"), "get job/train -o yaml", "make it anew", id="a job"),
    pytest.param(a_thing("Job", "train", owner=NIGHTLY), "edit cronjob/nightly", "its next Job", id="a cron job"),
]


@pytest.mark.parametrize(("owner", "begins", "how"), STANDS)
def test_other_templates_are_no_single_command(owner: Thing, begins: str, how: str) -> None:
    seen = looked_at(waits(owner), owner, GROUP, NOTEBOOK, NIGHTLY)
    way = template.priority(seen, "high")
    assert way.command == f"kubectl -n llm {begins}"
    assert how in way.how
    patch = template.tolerate(seen, TAINT).command
    assert patch.startswith("kubectl -n llm patch pod glm-0 --type=json"), "any pod may be given a toleration"


@pytest.mark.parametrize(("there", "path"), [({}, "tolerations"), (TOLERATES, "tolerations/-")], ids=["none", "one"])
def test_a_template_with_tolerations_keeps_them(there: dict[str, Any], path: str) -> None:
    owner = a_stateful_set(in_pod=there)
    assert f'"path": "/spec/template/spec/{path}"' in template.tolerate(looked_at(waits(owner), owner), TAINT).command


def test_a_paused_deployment_is_edited() -> None:
    deployment = a_deployment(spec={"paused": True})
    replicaset = a_replicaset(deployment)
    way = template.tolerate(looked_at(waits(replicaset), deployment, replicaset), TAINT)
    assert way.command == "kubectl -n llm edit deployment/glm"


def test_the_running_pods_of_a_deployment_are_told() -> None:
    deployment = a_deployment(replicas=2)
    replicaset = a_replicaset(deployment)
    seen = looked_at(waits(replicaset), deployment, replicaset, a_member(replicaset, "glm-1"))
    cost = template.priority(seen, "high").cost
    assert cost.startswith("1 running pod of it starts again with the new template, the last of them once an extra pod")
    loose = a_deployment(replicas=2, spec={"strategy": {"rollingUpdate": {"maxUnavailable": 1}}})
    seen = looked_at(waits(replicaset), loose, replicaset, a_member(replicaset, "glm-1"))
    assert template.priority(seen, "high").cost == "1 running pod of it starts again with the new template"


ASKING = [
    pytest.param((Container("vllm", requests={GPU: 2}),), "set resources statefulset/glm -c vllm", id="one container"),
    pytest.param((Container("a", requests={GPU: 1}), Container("b", requests={GPU: 1})), "edit", id="two share them"),
    pytest.param((Container("load", requests={GPU: 2}, init=True),), "edit", id="an init container"),
    pytest.param((Container("side", requests={GPU: 2}, init=True, sidecar=True),), "patch statefulset/glm", id="a sidecar"),
]  # fmt: skip


@pytest.mark.parametrize(("containers", "begins"), ASKING)
def test_an_amount_is_changed_where_it_stands(containers: tuple[Container, ...], begins: str) -> None:
    owner = a_stateful_set()
    seen = looked_at(waits(owner, containers=containers, requests={GPU: 2}), owner)
    assert template.amount(seen, GPU, 1).command.startswith(f"kubectl -n llm {begins}")


# ---- ending ----------------------------------------------------------------------------------------------------------


def ended(view: View, node: str = "gpu-1") -> str:
    """The command that ends what the only owner has on that node."""
    pods = [pod for pod in view.pods.values() if pod.node == node and not pod.deleted]
    (holder,) = holders(view, Policy(), pods, GPU, 0)
    found = ending.end(holder, view)
    return found.command if found else ""


HPA = a_thing("HorizontalPodAutoscaler", spec={"scaleTargetRef": {"kind": "Deployment", "name": "glm"}})
DEPLOYMENT = a_deployment(replicas=2)
SET = a_replicaset(DEPLOYMENT, replicas=2)
HERE, THERE = a_member(SET, "glm-1"), a_member(SET, "glm-2", node="gpu-2")
ROLL = a_replicaset(DEPLOYMENT, "glm-old", revision=1)
PART = (
    "kubectl -n llm annotate pod --overwrite glm-1 controller.kubernetes.io/pod-deletion-cost=-100 && kubectl -n llm "
)
STS, LAST = a_stateful_set(replicas=2), "kubectl -n llm scale statefulset/glm --replicas="
LOSES = a_stateful_set(replicas=1, persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete"})
OWNED = a_stateful_set(replicas=1, owner=GROUP)
TONIGHT = a_thing("Job", "tonight", owner=NIGHTLY)
ENDED = [
    pytest.param((DEPLOYMENT, SET, HERE), "kubectl -n llm scale deployment/glm --replicas=0", id="all of a deployment"),
    pytest.param((DEPLOYMENT, SET, HERE, THERE), f"{PART}scale deployment/glm --replicas=1", id="a part of one"),
    pytest.param((DEPLOYMENT, SET, HERE, THERE, HPA), "", id="an autoscaler would bring it back"),
    pytest.param((DEPLOYMENT, SET, HERE, HPA), "kubectl -n llm scale deployment/glm --replicas=0", id="but not from zero"),
    pytest.param(
        (DEPLOYMENT, SET, HERE, a_member(SET, "glm-2", node="gpu-2", ready=False)), "", id="one that is not ready goes first"
    ),
    pytest.param(
        (DEPLOYMENT, SET, HERE, THERE, a_member(SET, "glm-3", node="")), f"{PART}scale deployment/glm --replicas=1",
        id="one that waits goes as well",
    ),
    pytest.param(
        (DEPLOYMENT, SET, ROLL, HERE, a_member(ROLL, "glm-2", node="gpu-2")), "", id="in the midst of a rolling update"
    ),
    pytest.param(
        (DEPLOYMENT, SET, HERE, THERE, a_member(SET, "glm-3", node="gpu-3", deleted="2026-01-01T00:00:00Z")),
        f"{PART}scale deployment/glm --replicas=1", id="one that leaves does not count",
    ),
    pytest.param((STS, a_member(STS, "glm-1"), a_member(STS, "glm-0", node="gpu-2")), f"{LAST}1", id="the last of a stateful set"),
    pytest.param((STS, a_member(STS, "glm-0"), a_member(STS, "glm-1", node="gpu-2")), "", id="the first of one"),
    pytest.param((STS, a_member(STS, "glm-9"), a_member(STS, "glm-10")), f"{LAST}0", id="all of one"),
    pytest.param((LOSES, a_member(LOSES, "glm-0")), "", id="its volumes would be deleted"),
    pytest.param((OWNED, GROUP, a_member(OWNED, "glm-0")), "", id="a group makes it again"),
    pytest.param((NIGHTLY, TONIGHT, a_member(TONIGHT, "tonight-x")), "kubectl -n llm delete job tonight", id="of a cron job this run"),
    pytest.param((a_pod("glm"),), "kubectl -n llm delete pod glm", id="a lone pod"),
    pytest.param((a_pod("glm", owner=owned_by("Node", "gpu-1")),), "", id="a pod from a file of the kubelet"),
    pytest.param((a_pod("glm", owner=owned_by("RayCluster", "ray")),), "", id="a kind that is not known"),
]  # fmt: skip


@pytest.mark.parametrize(("records", "command"), ENDED)
def test_exactly_those_pods_end(records: tuple[Any, ...], command: str) -> None:
    assert ended(owners_view(*records)) == command


# ---- moving ----------------------------------------------------------------------------------------------------------


def a_job(failed: int = 0, **spec: Any) -> Thing:
    return a_thing("Job", "train", spec=spec, status={"failed": failed})


MOVED = [
    pytest.param(SET, {}, True, id="a replica set makes it again at once"),
    pytest.param(SET, {"priority": 9}, True, id="before its place is free, so priority does not matter"),
    pytest.param(STS, {}, True, id="a stateful set makes it again"),
    pytest.param(STS, {"priority": 9}, False, id="but of higher priority it comes back first"),
    pytest.param(OWNED, {}, False, id="a group may begin anew as a whole"),
    pytest.param(a_job(), {}, True, id="a job tries again"),
    pytest.param(a_job(backoffLimit=0), {}, False, id="a job that may not fail"),
    pytest.param(a_job(failed=6), {}, False, id="a job that has failed as often as it may"),
    pytest.param(a_job(failed=5), {}, True, id="a job that may fail once more"),
    pytest.param(a_job(podFailurePolicy={"rules": []}), {}, False, id="a job with rules of its own"),
    pytest.param(a_thing("RayCluster", "ray"), {}, False, id="a kind that is not known"),
]


@pytest.mark.parametrize(("owner", "changed", "again"), MOVED)
def test_a_pod_that_is_deleted_starts_elsewhere(owner: Thing, changed: dict[str, Any], again: bool) -> None:
    pod = a_member(owner, "held-0", **changed)
    view = owners_view(owner, pod)
    assert moving.starts_again(pod, (pod,), a_member(STS, "glm-0", node=""), view) is again
