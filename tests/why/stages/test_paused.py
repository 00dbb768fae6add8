"""What somebody has stopped on purpose."""

import pytest

from bot.why.finding import Level
from bot.why.stages.paused import STAGE
from tests.why.builders_owners import (
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


def paused(wanted: dict[str, object], run: dict[str, object], *, pods: int = 4):  # type: ignore[no-untyped-def]
    deployment = a_deployment(
        replicas=pods,
        template=wanted,
        spec={"paused": True},
        status={"conditions": [{"type": "Progressing", "reason": "DeploymentPaused", "lastUpdateTime": ago(hours=3)}]},
    )
    old = a_replicaset(deployment, "glm-old", replicas=pods, template=run)
    return deployment, owners_view(deployment, old, *(a_member(old, f"glm-old-{index}") for index in range(pods)))


def test_the_image_that_runs_and_the_one_that_is_wanted() -> None:
    deployment, view = paused(a_template(image="engine:v2"), a_template(image="engine:v1"))
    (finding,) = found(STAGE, asked(view, deployment))
    assert (finding.id, finding.level) == ("paused.rollout", Level.CAUSE)
    assert "paused for 3 h" in finding.sentence
    assert "all 4 pods run `engine:v1` and not `engine:v2`" in finding.sentence
    assert "`replicas` are applied at once, with the old template" in words(finding)
    assert finding.remedies[0].command == "kubectl -n llm rollout resume deployment/glm"
    assert "starts at once" in finding.remedies[0].cost


def test_other_changes_of_the_template_are_named() -> None:
    wanted = a_template(container={"env": [{"name": "A", "value": "1"}]}, nodeSelector={"gpu": "h200"})
    deployment, view = paused(wanted, a_template())
    (finding,) = found(STAGE, asked(view, deployment))
    assert "without the newest `env` and `nodeSelector` of the template" in finding.sentence


def test_about_one_of_its_pods_it_is_only_worth_knowing() -> None:
    _, view = paused(a_template(image="engine:v2"), a_template())
    (finding,) = found(STAGE, asked(view, view.pods["llm/glm-old-0"]))
    assert finding.level is Level.NOTE


def test_paused_with_nothing_to_roll_out_is_only_worth_knowing() -> None:
    deployment, view = paused(a_template(), a_template())
    (finding,) = found(STAGE, asked(view, deployment))
    assert (finding.id, finding.level) == ("paused.deployment", Level.NOTE)


def test_a_deployment_that_is_not_paused_says_nothing() -> None:
    deployment = a_deployment()
    view = owners_view(deployment, a_replicaset(deployment))
    assert found(STAGE, asked(view, deployment)) == []


@pytest.mark.parametrize(
    ("kind", "version", "command"),
    [
        pytest.param("Job", "", "kubectl -n llm patch job train", id="a Job"),
        pytest.param("CronJob", "", "kubectl -n llm patch cronjob train", id="a CronJob"),
        pytest.param("JobSet", "jobset.x-k8s.io/v1alpha2", "kubectl -n llm patch jobset train", id="a JobSet"),
    ],
)
def test_a_suspended_owner_can_be_resumed(kind: str, version: str, command: str) -> None:
    changed = {"api_version": version} if version else {}
    owner = a_thing(kind, "train", spec={"suspend": True}, **changed)
    (finding,) = found(STAGE, asked(owners_view(owner), owner))
    assert (finding.level, finding.id) == (Level.CAUSE, f"paused.{kind.lower()}")
    assert "`spec.suspend: true`" in finding.sentence
    assert finding.remedies[0].command.startswith(command)
    assert '{"spec":{"suspend":false}}' in finding.remedies[0].command


def test_what_a_queue_suspends_is_left_to_the_queue() -> None:
    labelled = a_thing("Job", "train", spec={"suspend": True}, labels={"kueue.x-k8s.io/queue-name": "team-a"})
    assert found(STAGE, asked(owners_view(labelled), labelled)) == []
    bare = a_thing("Job", "train", spec={"suspend": True})
    workload = a_thing("Workload", "job-train", owner=bare)
    assert found(STAGE, asked(owners_view(bare, workload), bare)) == []


def test_a_job_that_runs_is_not_called_suspended() -> None:
    job = a_thing("Job", "train", spec={"suspend": False})
    assert found(STAGE, asked(owners_view(job), job)) == []


def test_odd_fields_do_no_harm() -> None:
    deployment = a_deployment(spec={"paused": "yes"})
    job = a_thing("Job", "train", spec={"suspend": 1})
    view = owners_view(deployment, job)
    assert [*found(STAGE, asked(view, deployment)), *found(STAGE, asked(view, job))] == []
