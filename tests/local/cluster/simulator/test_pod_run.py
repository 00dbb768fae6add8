from datetime import UTC, datetime, timedelta

import pytest

from bot.local.cluster.simulator.lifecycle import advance, end, reboot
from bot.local.cluster.simulator.pod_run import PodRun, Stage, Trouble
from bot.local.cluster.simulator.pod_status import status_patch

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def a_run(*, restart="Always", trouble=None, **seconds):
    annotations = {f"gpubot.dev/sim-{name}-seconds": str(value) for name, value in seconds.items()}
    meta = {"name": "p", "namespace": "n", "uid": "u", "annotations": annotations}
    spec = {"restartPolicy": restart, "containers": [{"name": "main", "image": "app:1"}]}
    return PodRun({"metadata": meta, "spec": spec}, "10.1.0.1", "10.0.0.1", NOW, trouble=trouble)


def stages(run, images=(), *, at_most=12):
    """(stage, seconds since the pod was bound) until nothing more is planned."""
    images, seen = set(images), []
    while run.until is not None and len(seen) < at_most:
        list(advance(run, images, run.until))
        seen.append((run.stage, (run.since - NOW).total_seconds()))
    return seen


@pytest.mark.parametrize(
    ("run", "images", "expected"),
    [
        pytest.param(
            a_run(pull=10),
            [],
            [(Stage.PULLING, 1), (Stage.STARTING, 11), (Stage.RUNNING, 12), (Stage.READY, 12)],
            id="image is pulled first",
        ),
        pytest.param(
            a_run(pull=10), ["app:1"], [(Stage.STARTING, 1), (Stage.RUNNING, 2), (Stage.READY, 2)], id="image is there"
        ),
        pytest.param(
            a_run(ready=60, run=100),
            ["app:1"],
            [(Stage.STARTING, 1), (Stage.RUNNING, 2), (Stage.READY, 62), (Stage.SUCCEEDED, 162)],
            id="loads, then works for a time",
        ),
        pytest.param(
            a_run(restart="Never", trouble=Trouble("crash-loop")),
            ["app:1"],
            [(Stage.STARTING, 1), (Stage.RUNNING, 2), (Stage.FAILED, 6)],
            id="a pod that never restarts fails",
        ),
    ],
)
def test_life(run, images, expected):
    assert stages(run, images) == expected


def test_restarts_wait_longer_each_time():
    run = a_run(trouble=Trouble("crash-loop"))
    seen = stages(run, ["app:1"], at_most=24)
    crashes = [at for stage, at in seen if stage is Stage.CRASHED]
    starts = [at for stage, at in seen if stage is Stage.STARTING][1:]
    assert [start - crash for crash, start in zip(crashes, starts, strict=False)] == [10, 20, 40, 80, 160, 300, 300]
    assert run.restarts == 7


def test_a_kill_that_happens_once_is_got_over():
    run = a_run(trouble=Trouble("oom-kill", "OOMKilled", 137, once=True))
    assert stages(run, ["app:1"])[-1][0] is Stage.READY
    last = status_patch(run)["containerStatuses"][0]["lastState"]["terminated"]
    assert (last["reason"], last["exitCode"], run.restarts) == ("OOMKilled", 137, 1)


def test_an_image_that_cannot_be_had_is_tried_again_and_again():
    run = a_run(trouble=Trouble("image-pull", message="not found"))
    seen = [stage for stage, _ in stages(run, at_most=4)]
    assert seen == [Stage.PULLING, Stage.PULL_FAILED, Stage.PULL_BACKOFF, Stage.PULLING]


def test_deletion_takes_at_most_the_grace_period_and_a_stuck_pod_for_ever():
    run = a_run()
    run.pod["metadata"]["deletionGracePeriodSeconds"] = 1
    list(end(run, NOW))
    assert run.until == NOW + timedelta(seconds=1)
    run.trouble = Trouble("stuck")
    list(end(run, NOW))
    assert run.until is None


def test_a_reboot_counts_as_a_restart_of_what_ran():
    run = a_run()
    stages(run, ["app:1"])
    reboot(run, NOW + timedelta(hours=1))
    assert (run.stage, run.restarts) == (Stage.ACCEPTED, 1)


@pytest.mark.parametrize(
    ("stage", "phase", "state"),
    [
        pytest.param(Stage.ACCEPTED, "Pending", ("waiting", "ContainerCreating"), id="just bound"),
        pytest.param(Stage.PULL_FAILED, "Pending", ("waiting", "ErrImagePull"), id="no image"),
        pytest.param(Stage.PULL_BACKOFF, "Pending", ("waiting", "ImagePullBackOff"), id="no image, waiting"),
        pytest.param(Stage.READY, "Running", ("running", None), id="ready"),
        pytest.param(Stage.CRASHED, "Running", ("waiting", "CrashLoopBackOff"), id="crashed"),
        pytest.param(Stage.SUCCEEDED, "Succeeded", ("terminated", "Completed"), id="done"),
    ],
)
def test_status(stage, phase, state):
    run = a_run()
    run.enter(stage, NOW, None)
    status = status_patch(run)
    [(kind, told)] = status["containerStatuses"][0]["state"].items()
    assert (status["phase"], (kind, told.get("reason"))) == (phase, state)
