"""Restart and delete as plans: whether the rollout gets through, what is away meanwhile, and when one has got there."""

from datetime import timedelta
from typing import Any

import pytest

from bot.changes.kind import Phase
from bot.changes.kinds import delete, restart
from bot.changes.restart_ask import restart_ask
from bot.domain.change import Plan
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.node import Condition
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from tests.changes.building import a_thing, a_whole_view, an_ask
from tests.factories import NOW, POLICY, a_node, a_pod, owned_by

AT = "2026-11-30T12:00:00Z"
LATER = "2026-11-30T12:30:00Z"


def a_deployment(replicas: int = 2, *, strategy: Any = None, paused: bool = False, **status: Any) -> Thing:
    spec = {"replicas": replicas, "template": {"metadata": {}, "spec": {}}, "paused": paused}
    return a_thing("Deployment", "glm", {"spec": {**spec, "strategy": strategy or {}}, "status": status})


def a_replica(index: int, node: str = "gpu-1", gpus: int = 4, **changed: Any) -> Any:
    owner = owned_by("Deployment", "glm")
    return a_pod(f"glm-{index}", node=node, gpus=gpus, owner=owner, uid=f"p{index}", **changed)


def restarted(*records: Any, kind: str = "Deployment", name: str = "glm") -> Plan:
    view = a_whole_view(*records)
    return restart.plan(an_ask(view, kind=kind, namespace="llm", name=name, at=AT))


def test_a_restart_sets_the_annotation_of_kubectl_on_that_very_object() -> None:
    [step] = restarted(a_node("gpu-1"), a_deployment(), a_replica(0)).steps
    annotations = {"kubectl.kubernetes.io/restartedAt": AT}
    assert step.body == {"spec": {"template": {"metadata": {"annotations": annotations}}}}
    assert step.target.uid == "uid-glm"
    assert step.command == "kubectl -n llm rollout restart deployment/glm"
    assert step.after == {"spec.template.metadata.annotations.kubectl.kubernetes.io/restartedAt": AT}


ONE_MORE = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
ONE_LESS = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


@pytest.mark.parametrize(
    ("records", "stuck"),
    [
        pytest.param(
            (a_node("gpu-1"), a_deployment(2, strategy=ONE_MORE), a_replica(0), a_replica(1)), True, id="no spare GPUs"
        ),
        pytest.param(
            (a_node("gpu-1"), a_node("gpu-2"), a_deployment(2, strategy=ONE_MORE), a_replica(0), a_replica(1)),
            False,
            id="a node with spare GPUs",
        ),
        pytest.param(
            (a_node("gpu-1"), a_deployment(2, strategy=ONE_LESS), a_replica(0), a_replica(1)),
            False,
            id="an old pod may go first",
        ),
        pytest.param(
            (a_node("gpu-1"), a_deployment(2, strategy={"type": "Recreate"}), a_replica(0), a_replica(1)),
            False,
            id="all old pods go first",
        ),
        pytest.param((a_node("gpu-1"), a_deployment(2), a_replica(0), a_replica(1)), True, id="25 % of two is no pod"),
    ],
)
def test_whether_the_rollout_gets_through(records: tuple[Any, ...], stuck: bool) -> None:
    plan = restarted(*records)
    assert bool(plan.warnings) is stuck
    assert bool(plan.instead) is stuck
    if stuck:
        assert "needs 4 GPUs beside what the old pods hold" in plan.warnings[0]
        assert "maxUnavailable" in plan.instead[0]


@pytest.mark.parametrize(
    ("thing", "wanted"),
    [
        pytest.param(a_deployment(paused=True), "is paused", id="a paused deployment"),
        pytest.param(a_deployment(0), "wants no pods", id="none wanted"),
        pytest.param(
            a_thing("StatefulSet", "glm", {"spec": {"replicas": 1, "updateStrategy": {"type": "OnDelete"}}}),
            "only when they are deleted",
            id="OnDelete",
        ),
    ],
)
def test_what_cannot_be_restarted(thing: Thing, wanted: str) -> None:
    assert wanted in restarted(thing, kind=thing.kind).refused


def test_a_group_counts_all_its_pods() -> None:
    lws = a_thing("LeaderWorkerSet", "glm", {"spec": {"replicas": 2, "leaderWorkerTemplate": {"size": 4}}})
    plan = restarted(lws, kind="LeaderWorkerSet")
    assert "All 8 pods are made anew" in plan.effects
    assert "leaderWorkerTemplate" in plan.steps[0].body["spec"]


def _rolled(at: str, **status: Any) -> View:
    annotations = {"kubectl.kubernetes.io/restartedAt": at}
    spec = {"replicas": 2, "template": {"metadata": {"annotations": annotations}}}
    return a_whole_view(a_thing("Deployment", "glm", {"spec": spec, "status": status}, generation=3))


@pytest.mark.parametrize(
    ("view", "phase", "wanted"),
    [
        pytest.param(_rolled("2026-01-01T00:00:00Z"), Phase.GOING, "does not show it yet", id="a view that lags"),
        pytest.param(_rolled(LATER), Phase.FAILED, "restarted again by somebody else", id="others restarted it again"),
        pytest.param(
            _rolled(AT, observedGeneration=2, updatedReplicas=2, availableReplicas=2, replicas=2),
            Phase.GOING,
            "has not looked at it yet",
            id="a controller that lags",
        ),
        pytest.param(
            _rolled(AT, observedGeneration=3, updatedReplicas=1, availableReplicas=2, replicas=3),
            Phase.GOING,
            "1 of 2 pods of deployment/glm are new",
            id="half-way",
        ),
        pytest.param(
            _rolled(AT, observedGeneration=3, updatedReplicas=2, availableReplicas=2, replicas=3),
            Phase.GOING,
            "2 of 2",
            id="an old pod is left",
        ),
        pytest.param(
            _rolled(AT, observedGeneration=3, updatedReplicas=2, availableReplicas=2, replicas=2),
            Phase.DONE,
            "2 of 2 pods serve",
            id="there",
        ),
        pytest.param(
            _rolled(
                AT,
                observedGeneration=3,
                updatedReplicas=1,
                replicas=3,
                conditions=[{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}],
            ),
            Phase.FAILED,
            "does not come through",
            id="over its deadline",
        ),
        pytest.param(a_whole_view(), Phase.FAILED, "is gone", id="deleted meanwhile"),
    ],
)
def test_how_far_a_restart_is(view: View, phase: Phase, wanted: str) -> None:
    plan = Plan(kind="restart", arguments={"kind": "Deployment", "namespace": "llm", "name": "glm", "at": AT}, title="")
    found = restart.follow(plan, view, NOW, NOW)
    assert found.phase is phase
    assert wanted in found.sentence


@pytest.mark.parametrize(
    ("words", "error", "wanted"),
    [
        pytest.param((), UsageError, "Restart what?", id="nothing named"),
        pytest.param(("a", "b"), UsageError, "One workload at a time", id="two at once"),
        pytest.param(("deployment/glm",), UsageError, "Say why", id="no reason"),
        pytest.param(("glmm", "because", "x"), NotFoundError, "did you mean `/gpu restart glm because …`", id="a slip"),
        pytest.param(("node/gpu-1", "because", "x"), UsageError, "cannot be restarted as a whole", id="a node"),
        pytest.param(("glm", "because", "x"), UsageError, "can mean deployment/a/glm and deployment/b/glm", id="two"),
    ],
)
def test_what_is_wrong_with_a_question(words: tuple[str, ...], error: type[Exception], wanted: str) -> None:
    spaces = ("a", "b") if "can mean" in wanted else ("a",)
    things = [a_thing("Deployment", "glm", namespace=space, uid=space) for space in spaces]
    view = a_whole_view(a_node("gpu-1"), *things)
    with pytest.raises(error, match=wanted):
        restart_ask(words, "", view, Inventory(view, POLICY), NOW, typed="/gpu restart")


# ---- delete ----------------------------------------------------------------------------------------------------------


def deleted(pod: Any, *others: Any, **arguments: str) -> Plan:
    view = a_whole_view(a_node("gpu-1"), pod, *others)
    return delete.plan(an_ask(view, namespace=pod.namespace, name=pod.name, uid=pod.uid, **arguments))


@pytest.mark.parametrize(
    ("changed", "confirm", "wanted"),
    [
        pytest.param({"owner": owned_by("ReplicaSet", "x")}, "", "", id="a controller makes it again"),
        pytest.param({}, "", "has no controller", id="nobody makes it again"),
        pytest.param({}, "glm-0", "", id="nobody does, and that is meant"),
        pytest.param({"phase": "Failed"}, "", "", id="what has ended loses nothing"),
        pytest.param({"owner": owned_by("Node", "gpu-1")}, "", "is a mirror of a manifest", id="a static pod"),
        pytest.param(
            {"owner": owned_by("ReplicaSet", "x"), "deleted": "2026-11-30T11:00:00Z"}, "", "on its way out", id="ending"
        ),
    ],
)
def test_what_may_be_deleted(changed: dict[str, Any], confirm: str, wanted: str) -> None:
    plan = deleted(a_pod("glm-0", uid="p0", **changed), **({"confirm": confirm} if confirm else {}))
    assert wanted in plan.refused
    assert bool(plan.refused) is bool(wanted)


def test_only_the_very_pod_is_deleted() -> None:
    pod = a_pod("glm-0", uid="p0", owner=owned_by("StatefulSet", "glm"))
    assert deleted(pod).steps[0].target.uid == "p0"
    with pytest.raises(NotFoundError, match="is gone"):
        delete.plan(an_ask(a_whole_view(pod), namespace="llm", name="glm-0", uid="p1"))


def test_a_delete_is_followed_to_its_successor() -> None:
    pod = a_pod("glm-0", uid="p0", owner=owned_by("StatefulSet", "glm"))
    view, plan = a_whole_view(pod), deleted(pod)

    def seen(after_seconds: float = 5.0, **changed: Any) -> tuple[Phase, str]:
        view.put("pods", "llm/glm-0", a_pod("glm-0", **({"uid": "p1", "owner": pod.owner} | changed)))
        found = delete.follow(plan, view, NOW + timedelta(seconds=after_seconds), NOW)
        return found.phase, found.sentence

    assert delete.follow(plan, view, NOW, NOW).phase is Phase.GOING
    assert seen(conditions=(Condition("Ready", "False"),)) == (
        Phase.GOING,
        "llm/glm-0 is gone; its successor of the same name starts.",
    )
    assert seen()[0] is Phase.DONE
    assert seen(90.0, node="") == (Phase.FAILED, "llm/glm-0 is gone; its successor of the same name has no node.")
    view.take("pods", "llm/glm-0")
    assert delete.follow(plan, view, NOW, NOW).phase is Phase.DONE
