"""From one stage of a pod's life to the next, with the events that a kubelet writes on the way.

Source: kubernetes/kubernetes:pkg/kubelet/kuberuntime/ and pkg/kubelet/images/.
"""

from collections.abc import Iterator
from datetime import datetime

from bot.local.cluster.simulator.pod_run import (
    OVER,
    PULL_SECONDS,
    RUNS,
    SANDBOX,
    Note,
    PodRun,
    Stage,
    Trouble,
    seconds_of,
)  # fmt: skip
from bot.local.cluster.simulator.probes import failing_probe, refused_connection

PULL, PULL_FAILURE, START, END = 8.0, 2.0, 1.0, 2.0
CRASHES = ("crash-loop", "oom-kill", "probe")
FIRST_BACKOFF, LONGEST_BACKOFF = 10.0, 300.0


def advance(run: PodRun, images: set[str], at: datetime) -> Iterator[Note]:
    """Into the next stage at `at`; `images` are those on the machine. Yields the events that go with it."""
    if run.stage in (Stage.ACCEPTED, Stage.PULL_BACKOFF):
        yield from _pull(run, images, at)
    elif run.stage is Stage.PULLING:
        yield from _pulled(run, images, at)
    elif run.stage is Stage.PULL_FAILED:
        run.enter(Stage.PULL_BACKOFF, at, backoff(run.pulls_failed))
        yield Note(at, "BackOff", f'Back-off pulling image "{run.image}"')
    elif run.stage in (Stage.STARTING, Stage.RUNNING):
        yield from _start(run, at) if run.stage is Stage.STARTING else _ripen(run, at)
    elif run.stage is Stage.READY:
        run.enter(Stage.SUCCEEDED, at, None)
    elif run.stage is Stage.CRASHED:
        run.restarts += 1
        run.enter(Stage.STARTING, at, START)
    elif run.stage is Stage.ENDING:
        run.enter(Stage.GONE, at, None)


def crash(run: PodRun, trouble: Trouble, at: datetime) -> Iterator[Note]:
    """The container ends with an error now; it starts again, later each time, if its pod lets it."""
    run.last = {
        "exitCode": trouble.exit_code, "reason": trouble.reason, "message": trouble.message,
        "startedAt": run.started_at or at, "finishedAt": at, "ending": trouble.ending,
    }  # fmt: skip
    if run.pod["spec"].get("restartPolicy", "Always") == "Never":
        run.enter(Stage.FAILED, at, None)
        return
    run.enter(Stage.CRASHED, at, backoff(run.restarts + 1))
    if trouble.once:
        run.trouble = None
    text = f"Back-off restarting failed container {run.container} in pod {run.key[1]}_{run.key[0]}({run.uid})"
    yield Note(at, "BackOff", text, warning=True)


def end(run: PodRun, at: datetime) -> Iterator[Note]:
    """The pod has been deleted: it gets its grace period, or less if it is quick. A stuck one never ends."""
    grace = run.pod["metadata"].get("deletionGracePeriodSeconds")
    seconds = min(END, grace if grace is not None else END)
    run.enter(Stage.ENDING, at, None if run.suffers("stuck") else seconds)
    yield Note(at, "Killing", f"Stopping container {run.container}")


def reboot(run: PodRun, at: datetime) -> None:
    """The machine went down under the pod: its container starts anew."""
    if run.stage in OVER or run.stage is Stage.ENDING:
        return
    if run.stage in RUNS:
        run.restarts += 1
        run.last = {"exitCode": 255, "reason": "Unknown", "message": "", "startedAt": run.started_at, "finishedAt": at}
    run.enter(Stage.ACCEPTED, at, SANDBOX)


def backoff(failures: int) -> float:
    return float(min(FIRST_BACKOFF * 2 ** max(0, failures - 1), LONGEST_BACKOFF))


def _pull(run: PodRun, images: set[str], at: datetime) -> Iterator[Note]:
    if run.suffers("image-pull"):
        run.enter(Stage.PULLING, at, PULL_FAILURE)
    elif run.image in images:
        run.enter(Stage.STARTING, at, START)
        yield Note(at, "Pulled", f'Container image "{run.image}" already present on machine')
        return
    else:
        wanted = seconds_of(run.pod, PULL_SECONDS)
        run.enter(Stage.PULLING, at, PULL if wanted is None else wanted)
    yield Note(at, "Pulling", f'Pulling image "{run.image}"')


def _pulled(run: PodRun, images: set[str], at: datetime) -> Iterator[Note]:
    if run.trouble and run.suffers("image-pull"):
        run.pulls_failed += 1
        run.enter(Stage.PULL_FAILED, at, FIRST_BACKOFF)
        yield Note(at, "Failed", f'Failed to pull image "{run.image}": {run.trouble.message}', warning=True)
        yield Note(at, "Failed", "Error: ErrImagePull", warning=True)
        return
    images.add(run.image)
    took = (at - run.since).total_seconds()
    run.enter(Stage.STARTING, at, START)
    yield Note(at, "Pulled", f'Successfully pulled image "{run.image}" in {took:.3f}s')


def _start(run: PodRun, at: datetime) -> Iterator[Note]:
    run.started_at = at
    run.trouble = run.trouble or run.own_trouble
    seconds = run.crash_seconds if run.suffers(*CRASHES) else run.ready_seconds
    run.enter(Stage.RUNNING, at, seconds)
    yield Note(at, "Created", f"Created container: {run.container}")
    yield Note(at, "Started", f"Started container {run.container}")


def _ripen(run: PodRun, at: datetime) -> Iterator[Note]:
    if run.trouble and run.suffers(*CRASHES):
        if run.suffers("probe"):
            yield from _lost_patience(run, at)
        yield from crash(run, run.trouble, at)
        return
    run.enter(Stage.READY, at, run.run_seconds)


def _lost_patience(run: PodRun, at: datetime) -> Iterator[Note]:
    container = run.pod["spec"]["containers"][0]
    yield Note(at, "Unhealthy", refused_connection(container, run.ip, run.engine_args.port), warning=True)
    yield Note(at, "Killing", f"Container {run.container} failed {failing_probe(container)} probe, will be restarted")
