"""New versions that do not come through."""

from typing import Any

import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.pod import ContainerState, Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.deadlines import enough_seconds
from bot.why.finding import Level
from bot.why.rolling import limits
from bot.why.stages.rollout import STAGE
from tests.factories import a_node
from tests.why.builders_owners import (
    GPU,
    a_deployment,
    a_member,
    a_replicaset,
    a_template,
    a_thing,
    ago,
    asked,
    found,
    owners_view,
    words,
)


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "whole"),
    [
        pytest.param("25%", "25%", 1, (1, 0), id="a quarter of one: one extra, none gone"),
        pytest.param("25%", "25%", 4, (1, 1), id="a quarter of four"),
        pytest.param("25%", "25%", 6, (2, 1), id="up for extra, down for gone"),
        pytest.param(None, None, 10, (3, 2), id="nothing said is a quarter"),
        pytest.param(0, "10%", 4, (0, 1), id="both nothing: one may be gone"),
        pytest.param(0, 1, 1, (0, 1), id="whole numbers"),
        pytest.param(2, 0, 3, (2, 0), id="two extra"),
        pytest.param("x%", True, 3, (0, 1), id="odd values count as nothing"),
    ],
)
def test_surge_and_unavailable_are_rounded_as_the_controller_does(
    surge: object, unavailable: object, replicas: int, whole: tuple[int, int]
) -> None:
    told = {key: value for key, value in (("maxSurge", surge), ("maxUnavailable", unavailable)) if value is not None}
    assert limits(Fields(told), replicas) == whole


# ---- no room -----------------------------------------------------------------------------------------------------------


def deadlock(
    strategy: dict[str, Any] | None = None, *, replicas: int = 1, gpus: int = 2, room: int = 2, ready: bool = True
) -> tuple[Thing, Pod, Pod, View]:
    """The old pod has the GPUs of the only node, the new one waits."""
    deployment = a_deployment(
        replicas=replicas, template=a_template(gpus, "engine:v2"), spec={"strategy": strategy or {}}
    )
    old = a_replicaset(deployment, "glm-old", revision=1, template=a_template(gpus))
    new = a_replicaset(deployment, "glm-new", template=a_template(gpus, "engine:v2"))
    serves = a_member(old, "glm-old-a", gpus=gpus, ready=ready)
    waits = a_member(new, "glm-new-b", node="", gpus=gpus)
    return deployment, serves, waits, owners_view(deployment, old, new, serves, waits, a_node(gpus=room))


def ids(view: View, about: Thing | Pod) -> list[str]:
    return [one.id for one in found(STAGE, asked(view, about)) if one.level is not Level.NOTE]


def test_the_old_pod_holds_what_the_new_one_needs() -> None:
    _, _, waits, view = deadlock()
    (finding,) = found(STAGE, asked(view, waits))
    assert (finding.id, finding.level) == ("rollout.no-room", Level.CAUSE)
    for part in (
        "`glm-old-a` of the same Deployment",
        "2 GPUs on gpu-1",
        "waiting will not help",
        "`glm-old-a` still serves",
    ):
        assert part in finding.sentence
    assert "maxSurge 25 % of 1 = 1, maxUnavailable 25 % of 1 = 0" in finding.sentence
    first, second = finding.remedies
    assert first.verified
    assert '{"maxSurge": 0, "maxUnavailable": 1}' in first.command
    assert '{"type":"Recreate"}' in second.command
    assert "`engine:v2`" in words(finding)


def test_the_deployment_says_the_same_and_names_the_new_pod() -> None:
    deployment, _, _, view = deadlock()
    first, *notes = found(STAGE, asked(view, deployment))
    assert "its new pod `glm-new-b` needs" in first.sentence
    assert [one.id for one in notes] == ["rollout.under-way"]


def test_two_old_pods_of_one_node_hold_it_together() -> None:
    strategy = {"strategy": {"rollingUpdate": {"maxUnavailable": 0}}}
    deployment = a_deployment(replicas=2, template=a_template(8), spec=strategy)
    old = a_replicaset(deployment, "glm-old", revision=1, template=a_template(4))
    new = a_replicaset(deployment, "glm-new", template=a_template(8))
    olds = [a_member(old, f"glm-old-{letter}", gpus=4) for letter in "ab"]
    waits = a_member(new, "glm-new-a", node="", gpus=8)
    view = owners_view(deployment, old, new, *olds, waits, a_node(gpus=8))
    (finding,) = found(STAGE, asked(view, waits))
    assert (
        "the old pods `glm-old-a` and `glm-old-b` of the same Deployment hold the 8 GPUs on gpu-1" in finding.sentence
    )
    assert finding.remedies[0].verified is None


def test_one_more_pod_must_be_allowed_to_be_missing_than_is_missing_already() -> None:
    deployment = a_deployment(replicas=4, template=a_template(2), spec={"strategy": {}})
    old = a_replicaset(deployment, "glm-old", revision=1, template=a_template(2))
    new = a_replicaset(deployment, "glm-new", template=a_template(2))
    olds = [a_member(old, f"glm-old-{letter}", gpus=2) for letter in "abc"]
    waits = a_member(new, "glm-new-a", node="", gpus=2)
    view = owners_view(deployment, old, new, *olds, waits, a_node(gpus=6))
    (finding,) = found(STAGE, asked(view, waits))
    assert "maxUnavailable 25 % of 4 = 1" in finding.sentence
    assert '"maxUnavailable": 2' in finding.remedies[0].command


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(
            {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}, id="an old pod may go first"
        ),
        pytest.param({"strategy": {"type": "Recreate"}}, id="Recreate ends all old pods"),
        pytest.param({"room": 4}, id="there is room for both"),
        pytest.param({"room": 1, "gpus": 2}, id="the node is too small even without the old pod"),
    ],
)
def test_no_deadlock_is_claimed_where(changed: dict[str, Any]) -> None:
    deployment, _, waits, view = deadlock(**changed)
    assert ids(view, waits) == []
    assert ids(view, deployment) == []


def test_a_new_pod_that_lacks_something_else_is_left_to_the_filters() -> None:
    _, serves, _, view = deadlock(room=8)
    picky = a_member(view.replicasets["llm/glm-new"], "glm-new-b", node="", gpus=2, requests={GPU: 2}, priority=1)
    view.put("pods", picky.key, picky)
    view.put("nodes", "gpu-1", a_node(gpus=8, unschedulable=True))
    assert ids(view, picky) == []
    assert serves.node == "gpu-1"


# ---- the clock ---------------------------------------------------------------------------------------------------------


def late(probe: dict[str, int] | None, pod: dict[str, Any] | None = None) -> tuple[Thing, Pod, View]:
    template = a_template(container={"startupProbe": probe} if probe else {})
    condition = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    deployment = a_deployment(
        template=template, status={"conditions": [condition]}, spec={"progressDeadlineSeconds": 600}
    )
    new = a_replicaset(deployment, template=template)
    starts = a_member(new, "glm-a", **({"ready": False} | (pod or {})))
    return deployment, starts, owners_view(deployment, new, starts, a_node())


def test_a_deadline_shorter_than_the_startup_probe_is_raised_not_rolled_back() -> None:
    deployment, starts, view = late({"periodSeconds": 10, "failureThreshold": 186})
    for about in (deployment, starts):
        (finding,) = found(STAGE, asked(view, about))
        assert (finding.id, finding.level) == ("rollout.deadline-too-short", Level.ALSO)
        assert "600" in finding.sentence
        assert "31 min (1,860 s)" in finding.sentence
        assert "no restarts" in finding.sentence
        assert '{"spec":{"progressDeadlineSeconds":2400}}' in finding.remedies[0].command
        assert finding.useless[0].startswith("Do not roll back")


@pytest.mark.parametrize(
    ("probe", "pod"),
    [
        pytest.param(None, {}, id="no startup probe"),
        pytest.param({"periodSeconds": 10, "failureThreshold": 30}, {}, id="a probe shorter than the deadline"),
        pytest.param(
            {"periodSeconds": 10, "failureThreshold": 186},
            {"states": (ContainerState("vllm", restarts=3, terminated="Error", exit_code=1),)},
            id="a pod that has crashed",
        ),
    ],
)
def test_otherwise_the_deadline_is_a_symptom(probe: dict[str, int] | None, pod: dict[str, Any]) -> None:
    deployment, starts, view = late(probe, pod)
    (finding,) = found(STAGE, asked(view, deployment))
    assert (finding.id, finding.level) == ("rollout.deadline", Level.NOTE)
    assert "symptom" in finding.sentence
    assert "10 min" in finding.sentence
    assert found(STAGE, asked(view, starts)) == []


# ---- nobody works ------------------------------------------------------------------------------------------------------


def test_a_deployment_without_any_replicaset_has_no_controller() -> None:
    deployment = a_deployment(created=ago(minutes=10))
    lease = a_thing("Lease", "kube-controller-manager", "kube-system", spec={"renewTime": ago(minutes=9)})
    (finding,) = found(STAGE, asked(owners_view(deployment, lease), deployment))
    assert finding.id == "rollout.no-controller"
    assert "10 min ago" in finding.sentence
    assert "renewed 9 min ago" in finding.evidence[0]


@pytest.mark.parametrize(
    ("deployment", "unread"),
    [
        pytest.param(a_deployment(created=ago(seconds=30)), (), id="made a moment ago"),
        pytest.param(a_deployment(replicas=0), (), id="wants nothing"),
        pytest.param(a_deployment(spec={"paused": True}), (), id="paused"),
        pytest.param(a_deployment(), ("replicasets",), id="ReplicaSets not read"),
    ],
)
def test_no_missing_controller_is_claimed_where(deployment: Thing, unread: tuple[str, ...]) -> None:
    assert found(STAGE, asked(owners_view(deployment, unread=unread), deployment)) == []


# ---- StatefulSets ------------------------------------------------------------------------------------------------------


def repaired(pod: dict[str, Any] | None = None, **spec: Any) -> tuple[Thing, Pod, View]:
    """glm-2 has the broken revision r2, the template is at r3."""
    owner = a_thing(
        "StatefulSet",
        spec={"replicas": 3, "template": a_template(), **spec},
        status={"currentRevision": "glm-r1", "updateRevision": "glm-r3"},
    )
    broken = a_member(
        owner,
        "glm-2",
        **(
            {
                "ready": False,
                "phase": "Pending",
                "labels": {"controller-revision-hash": "glm-r2"},
                "states": (ContainerState("vllm", waiting="ImagePullBackOff"),),
            }
            | (pod or {})
        ),
    )
    others = [a_member(owner, f"glm-{index}", labels={"controller-revision-hash": "glm-r1"}) for index in (0, 1)]
    return owner, broken, owners_view(owner, broken, *others, a_node())


def test_a_broken_pod_of_an_old_revision_is_deleted_by_hand() -> None:
    owner, broken, view = repaired({"containers": ()})
    for about in (owner, broken):
        (finding,) = found(STAGE, asked(view, about))
        assert (finding.id, finding.level) == ("rollout.old-revision", Level.CAUSE)
        assert "`glm-r2`" in finding.sentence
        assert "`glm-r3`" in finding.sentence
        assert "OrderedReady" in finding.sentence
        assert finding.remedies[0].command == "kubectl -n llm delete pod glm-2"
        assert any("Changing the template again does not help" in one for one in finding.useless)


def test_on_delete_nobody_replaces_it() -> None:
    _, broken, view = repaired(updateStrategy={"type": "OnDelete"})
    (finding,) = found(STAGE, asked(view, broken))
    assert "OnDelete nobody replaces" in finding.sentence


def test_below_the_partition_deleting_does_not_help() -> None:
    _, broken, view = repaired(updateStrategy={"rollingUpdate": {"partition": 3}})
    (finding,) = found(STAGE, asked(view, broken))
    assert finding.id == "rollout.partition"
    assert "Deleting `glm-2` alone does not help" in finding.useless[0]
    assert '"partition":0' in finding.remedies[0].command


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param({"labels": {"controller-revision-hash": "glm-r3"}}, id="it is of the newest revision"),
        pytest.param({"labels": {}}, id="it has no revision"),
        pytest.param({"states": (ContainerState("vllm"),), "phase": "Running"}, id="it is starting"),
        pytest.param({"deleted": ago(minutes=1)}, id="it is being replaced"),
        pytest.param(
            {"conditions": (), "states": (ContainerState("vllm", ready=True),), "phase": "Running"}, id="it is ready"
        ),
    ],
)
def test_no_stuck_revision_is_claimed_where(pod: dict[str, Any]) -> None:
    _, broken, view = repaired(pod)
    assert ids(view, broken) == []


def test_a_pod_that_waits_for_the_same_as_before_is_explained_by_the_filters() -> None:
    _, waits, view = repaired({"node": "", "states": (), "requests": {GPU: 1}})
    assert [one.level for one in found(STAGE, asked(view, waits))] == [Level.ALSO]
    _, other, view = repaired({"node": "", "states": (), "requests": {GPU: 16}})
    assert [one.level for one in found(STAGE, asked(view, other))] == [Level.CAUSE]


def test_higher_pods_are_not_made_before_a_lower_one_is_ready() -> None:
    owner = a_thing("StatefulSet", spec={"replicas": 3, "template": a_template()}, status={"updateRevision": "r1"})
    first = a_member(owner, "glm-0", ready=False, labels={"controller-revision-hash": "r1"})
    (finding,) = found(STAGE, asked(owners_view(owner, first), owner))
    assert (finding.id, finding.level) == ("rollout.ordered", Level.NOTE)
    assert "`glm-1` and `glm-2` are not made before `glm-0` is ready" in finding.sentence


def test_with_parallel_pods_none_waits_for_another() -> None:
    spec = {"replicas": 3, "podManagementPolicy": "Parallel"}
    owner = a_thing("StatefulSet", spec=spec, status={"updateRevision": "r1"})
    first = a_member(owner, "glm-0", ready=False, labels={"controller-revision-hash": "r1"})
    assert found(STAGE, asked(owners_view(owner, first), owner)) == []


def test_odd_fields_do_no_harm() -> None:
    deployment = a_thing(
        "Deployment", raw=b'{"spec": {"replicas": [], "strategy": 3, "template": 1}, "status": {"conditions": 4}}'
    )
    owner = a_thing("StatefulSet", raw=b'{"spec": {"replicas": "x"}, "status": {"updateRevision": 4}}')
    pod = a_member(owner, "glm-x", ready=False, labels={"controller-revision-hash": "a"}, phase="Pending")
    view = owners_view(deployment, owner, pod, a_replicaset(deployment), unread=("nodes",))
    found(STAGE, asked(view, deployment))
    assert {one.id for one in found(STAGE, asked(view, pod))} <= {"rollout.old-revision"}


# ---- older revisions on purpose, and one clock told once ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        pytest.param({"type": "OnDelete"}, "with OnDelete each gets it when somebody deletes it", id="OnDelete"),
        pytest.param({"rollingUpdate": {"partition": 2}}, "`partition` 2 keeps them", id="a partition"),
        pytest.param({"type": "RollingUpdate"}, "", id="a rolling update goes on by itself"),
    ],
)
def test_pods_that_run_well_may_be_of_an_older_revision(strategy: dict[str, Any], text: str) -> None:
    spec = {"replicas": 1, "template": a_template(), "updateStrategy": strategy}
    owner = a_thing("StatefulSet", spec=spec, status={"updateRevision": "glm-r3"})
    ready = {"labels": {"controller-revision-hash": "glm-r2"}, "states": (ContainerState("vllm", ready=True),)}
    view = owners_view(owner, a_member(owner, "glm-0", **ready), a_node())
    findings = found(STAGE, asked(view, owner))
    assert [(one.id, one.level) for one in findings] == ([("rollout.by-wish", Level.NOTE)] if text else [])
    assert all(text in one.sentence for one in findings)


def test_a_start_that_is_told_elsewhere_is_not_told_here() -> None:
    deployment, starts, view = late({"periodSeconds": 10, "failureThreshold": 186})
    container = {"name": "vllm", "startupProbe": {"periodSeconds": 10, "failureThreshold": 186}}
    running = {"name": "vllm", "started": False, "ready": False, "state": {"running": {"startedAt": ago(minutes=11)}}}
    whole = {"spec": {"containers": [container]}, "status": {"containerStatuses": [running]}}
    evidence = Evidence({ObjectRef("Pod", "llm", starts.name): Fields(whole)})
    assert found(STAGE, asked(view, deployment, evidence)) == []


def test_a_deadline_leaves_the_startup_probe_its_time() -> None:
    probe = {"startupProbe": {"periodSeconds": 10, "failureThreshold": 186}}
    assert enough_seconds(Fields({"spec": {"template": a_template(container=probe)}})) == 2_400
    assert enough_seconds(Fields({"spec": {"template": a_template()}})) == 300
