"""Replicas that an autoscaler owns."""

from typing import Any

import pytest

from bot.domain.event import Event
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.finding import Level
from bot.why.stages.autoscaled import STAGE
from tests.factories import a_node
from tests.why.builders_owners import (
    a_deployment,
    a_member,
    a_replicaset,
    a_thing,
    ago,
    an_event,
    asked,
    found,
    owners_view,
    words,
)

TO_GLM = {"scaleTargetRef": {"kind": "Deployment", "name": "glm"}}


def an_hpa(least: int = 1, most: int = 3, *conditions: dict[str, str], **target: str) -> Thing:
    spec = {"minReplicas": least, "maxReplicas": most, "scaleTargetRef": TO_GLM["scaleTargetRef"] | target}
    return a_thing(
        "HorizontalPodAutoscaler", spec=spec, status={"desiredReplicas": most, "conditions": list(conditions)}
    )


def test_more_than_the_maximum_does_not_last() -> None:
    deployment, hpa = a_deployment(replicas=6, labels={"helm.toolkit.fluxcd.io/name": "glm"}), an_hpa()
    took = an_event(
        hpa, "SuccessfulRescale", "New size: 3; reason: Current number of replicas above Spec.MaxReplicas", count=3
    )
    (finding,) = found(STAGE, asked(owners_view(deployment, hpa, took), deployment))
    assert (finding.id, finding.level) == ("autoscaled.above-maximum", Level.CAUSE)
    assert "HPA `glm` owns its replicas and its maximum is 3" in finding.sentence
    assert "6 was set by hand or by a chart and will be set back to 3" in finding.sentence
    assert (
        finding.remedies[0].command == """kubectl -n llm patch hpa glm --type merge -p '{"spec":{"maxReplicas":6}}'"""
    )
    assert "3 times: “New size: 3" in words(finding)
    assert "written by Flux" in words(finding)


def test_of_an_hpa_that_keda_has_made_kedas_object_is_changed() -> None:
    deployment, scaled = a_deployment(replicas=6), a_thing("ScaledObject", "glm-load")
    hpa = a_thing(
        "HorizontalPodAutoscaler",
        "keda-hpa-glm",
        spec={"maxReplicas": 3, "scaleTargetRef": TO_GLM["scaleTargetRef"]},
        owner=scaled,
    )
    (finding,) = found(STAGE, asked(owners_view(deployment, hpa, scaled), deployment))
    assert "kubectl -n llm patch scaledobject glm-load" in finding.remedies[0].command
    assert '"maxReplicaCount":6' in finding.remedies[0].command


def test_fewer_than_the_minimum_do_not_last_either() -> None:
    deployment = a_deployment(replicas=1)
    (finding,) = found(STAGE, asked(owners_view(deployment, an_hpa(2, 4)), deployment))
    assert (finding.id, finding.level) == ("autoscaled.below-minimum", Level.ALSO)
    assert "1, set by hand or by a chart, will be set back to 2" in finding.sentence


def test_about_one_of_the_pods_it_is_told_beside() -> None:
    deployment = a_deployment(replicas=6)
    replicaset = a_replicaset(deployment, replicas=6)
    pod = a_member(replicaset, "glm-a", node="")
    (finding,) = found(STAGE, asked(owners_view(deployment, replicaset, pod, an_hpa()), pod))
    assert finding.level is Level.ALSO
    assert "this pod may be ended again" in finding.sentence


@pytest.mark.parametrize(
    ("condition", "what"),
    [
        pytest.param(
            {
                "type": "ScalingLimited",
                "status": "True",
                "reason": "TooManyReplicas",
                "message": "more than the maximum",
            },
            "autoscaled.at-maximum",
            id="it wants more than it may",
        ),
        pytest.param(
            {
                "type": "ScalingActive",
                "status": "False",
                "reason": "FailedGetPodsMetric",
                "message": "no metrics returned",
            },
            "autoscaled.blind",
            id="it cannot read its metric",
        ),
    ],
)
def test_what_the_autoscaler_says_of_itself(condition: dict[str, str], what: str) -> None:
    deployment = a_deployment(replicas=3)
    (finding,) = found(STAGE, asked(owners_view(deployment, an_hpa(1, 3, condition)), deployment))
    assert (finding.id, finding.level) == (what, Level.ALSO)
    assert condition["message"] in words(finding)


@pytest.mark.parametrize(
    ("deployment", "hpa"),
    [
        pytest.param(a_deployment(replicas=3), an_hpa(), id="at its maximum, and content"),
        pytest.param(
            a_deployment(replicas=3),
            an_hpa(1, 3, {"type": "ScalingLimited", "status": "False", "reason": "DesiredWithinRange"}),
            id="not limited",
        ),
        pytest.param(a_deployment(replicas=6), an_hpa(name="other"), id="it scales another Deployment"),
        pytest.param(a_deployment(replicas=6), an_hpa(kind="StatefulSet"), id="it scales another kind"),
        pytest.param(
            a_deployment(replicas=6), a_thing("HorizontalPodAutoscaler", raw=b'{"spec": 3}'), id="an odd object"
        ),
    ],
)
def test_nothing_is_said_where(deployment: Thing, hpa: Thing) -> None:
    assert found(STAGE, asked(owners_view(deployment, hpa), deployment)) == []


# ---- zero --------------------------------------------------------------------------------------------------------------


def a_keda(**spec: Any) -> Thing:
    annotations = spec.pop("annotations", {})
    return a_thing("ScaledObject", spec=TO_GLM | spec, annotations=annotations)


@pytest.mark.parametrize(
    ("others", "who"),
    [
        pytest.param((), "somebody has set it", id="a hand"),
        pytest.param((a_keda(),), "ScaledObject `glm` scales it to zero when there is no load", id="KEDA"),
        pytest.param(
            (a_keda(minReplicaCount=1, annotations={"autoscaling.keda.sh/paused-replicas": "0"}),),
            "paused at 0 replicas",
            id="KEDA paused",
        ),
        pytest.param(
            (a_thing("PodAutoscaler", spec=TO_GLM),), "Knative autoscaler `glm` scales it to zero", id="Knative"
        ),
    ],
)
def test_zero_on_purpose_says_who_wants_it(others: tuple[Thing, ...], who: str) -> None:
    deployment = a_deployment(replicas=0)
    (finding,) = found(STAGE, asked(owners_view(deployment, *others), deployment))
    assert (finding.id, finding.level) == ("autoscaled.zero", Level.NOTE)
    assert who in finding.sentence
    assert bool(finding.remedies) == (who == "somebody has set it")


def test_autoscalers_that_are_not_read_are_not_ruled_out() -> None:
    deployment = a_deployment(replicas=0)
    (finding,) = found(STAGE, asked(owners_view(deployment, unread=("scaledobjects",)), deployment))
    assert any("scaledobjects" in one for one in finding.unknown)


# ---- too soon ----------------------------------------------------------------------------------------------------------


def short_life(
    *more: object, labels: dict[str, str] | None = None, until: float = 8, **autoscaler: Any
) -> tuple[Thing, View]:
    """Made 10 min ago, deleted two minutes later, never placed; a node is Ready after that."""
    deployment = a_deployment(replicas=0, labels=labels or {})
    replicaset = a_replicaset(deployment, replicas=0)
    pod = a_member(replicaset, "glm-new-x", node="")
    events = (
        an_event(replicaset, "SuccessfulCreate", "Created pod: glm-new-x", minutes=10),
        an_event(
            pod,
            "FailedScheduling",
            "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
            minutes=9.9,
            about_kind="Pod",
        ),
        an_event(
            pod, "TriggeredScaleUp", "pod triggered scale-up: [{gpu 0->1 (max: 4)}]", minutes=9.8, about_kind="Pod"
        ),
        an_event(replicaset, "SuccessfulDelete", "Deleted pod: glm-new-x", minutes=until),
    )
    knative = a_thing("PodAutoscaler", spec=TO_GLM, annotations={"autoscaling.knative.dev/window": "2m"} | autoscaler)
    return deployment, owners_view(deployment, replicaset, knative, *events, *more)


def a_node_event(minutes: float) -> Event:
    return an_event(a_thing("Node", "gpu-n1", ""), "NodeReady", "Node gpu-n1 status is now: NodeReady", minutes=minutes)


def test_a_pod_that_was_taken_away_before_its_node_was_there() -> None:
    deployment, view = short_life(a_node_event(5.25))
    (finding,) = found(STAGE, asked(view, deployment))
    assert (finding.id, finding.level) == ("autoscaled.too-soon", Level.CAUSE)
    assert "after 2 min, while it was still Pending" in finding.sentence
    assert "gpu-n1, was ready only 2 min later" in finding.sentence
    assert [line[:8] for line in finding.evidence[:4]] == ["11:50:00", "11:50:12", "11:52:00", "11:54:45"]
    assert "minimum 0, quiet time until it scales down 2m" in finding.evidence[4]
    assert "longer window" in words(finding)


@pytest.mark.parametrize(
    ("labels", "command"),
    [
        pytest.param(
            {"serving.kserve.io/inferenceservice": "glm"}, "kubectl -n llm patch inferenceservice glm", id="KServe"
        ),
        pytest.param({"serving.knative.dev/service": "glm"}, "kubectl -n llm patch ksvc glm", id="Knative"),
    ],
)
def test_the_minimum_is_set_where_it_belongs(labels: dict[str, str], command: str) -> None:
    deployment, view = short_life(labels=labels)
    (finding,) = found(STAGE, asked(view, deployment))
    assert finding.remedies[0].command.startswith(command)


def test_a_pod_that_ran_and_still_failed_its_probe_was_not_ready_either() -> None:
    pod = a_thing("Pod", "glm-new-x")
    ran = (an_event(pod, "Started", minutes=9.5), an_event(pod, "Unhealthy", "Startup probe failed", minutes=8.2))
    deployment, view = short_life(*ran)
    (finding,) = found(STAGE, asked(view, deployment))
    assert "before it was ready" in finding.sentence


def test_a_pod_that_served_and_was_then_scaled_away_is_zero_on_purpose() -> None:
    deployment, view = short_life(an_event(a_thing("Pod", "glm-new-x"), "Started", minutes=9.5))
    assert [one.id for one in found(STAGE, asked(view, deployment))] == ["autoscaled.zero"]


def test_a_node_that_was_there_before_or_much_later_was_not_started_for_it() -> None:
    before = an_event(a_thing("Node", "gpu-n0", ""), "NodeReady", minutes=30)
    other = an_event(a_thing("Node", "gpu-n1", ""), "NodeNotReady", minutes=5)
    deployment, view = short_life(before, other)
    (finding,) = found(STAGE, asked(view, deployment))
    assert "gpu-n" not in words(finding)


def test_a_node_whose_events_have_expired_is_known_by_its_own_time() -> None:
    deployment, view = short_life(a_node("gpu-n1", created=ago(minutes=5)))
    (finding,) = found(STAGE, asked(view, deployment))
    assert "gpu-n1, was ready only 3 min later" in finding.sentence


def test_knative_is_known_by_the_labels_of_its_deployment_too() -> None:
    labels = {"serving.knative.dev/revision": "glm-1", "serving.knative.dev/service": "glm"}
    deployment, view = short_life(labels=labels)
    view.take("knativeautoscalers", "llm/glm")
    (finding,) = found(STAGE, asked(view, deployment))
    assert finding.id == "autoscaled.too-soon"
    assert "quiet time until it scales down 60s" in words(finding)


def test_a_hand_may_scale_down_when_it_likes() -> None:
    deployment, view = short_life(a_node_event(5))
    view.take("knativeautoscalers", "llm/glm")
    assert [one.id for one in found(STAGE, asked(view, deployment))] == ["autoscaled.zero"]
