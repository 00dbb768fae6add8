"""kube-scheduler's own plugins (release 1.36) and ours on random pods, others in each run: every field has to agree.

GPUBOT_JUDGE_SEED draws the same clusters again, GPUBOT_JUDGE_PODS says how many pods. What is known to differ is not drawn:
tests/judge/making/open.py.
"""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.judge.clusters import cluster
from tests.judge.trial import Trial, run

pytestmark = [pytest.mark.judge, pytest.mark.timeout(45 * 60)]

PODS = 10_000
ENOUGH_PODS = 3_000  # to have heard each plugin
FILTERS = (
    "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions",
    "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures",
    "DynamicResources",
)  # fmt: skip
"""All that turn pods down on nodes, but NodeName: no pod that waits names its node."""
ALSO_HEARD = (
    "Unschedulable", "SchedulerError", "SchedulingGated", "placed, or not tried", "preemption",
    "prefilter DynamicResources", "prefilter VolumeBinding", "prefilter VolumeRestrictions",
    "preenqueue DynamicResources", "preenqueue SchedulingGates",
)  # fmt: skip


@pytest.fixture(scope="module")
def trial(judge: Path, tell: Callable[[str], None], pytestconfig: pytest.Config) -> Trial:
    seed = int(os.environ.get("GPUBOT_JUDGE_SEED") or time.time() * 1000)
    pods = int(os.environ.get("GPUBOT_JUDGE_PODS") or PODS)
    asked = os.environ.get("GPUBOT_JUDGE_OPEN", "")
    folder = pytestconfig.rootpath / "build" / "judge"
    folder.mkdir(parents=True, exist_ok=True)
    tell(f"GPUBOT_JUDGE_SEED={seed} GPUBOT_JUDGE_PODS={pods}")
    started = time.monotonic()
    done = run(judge, seed, pods, partial(cluster, open_questions=frozenset(filter(None, asked.split(",")))), folder)
    tell(f"{done}, {time.monotonic() - started:.0f} s")
    return done


def test_every_pod_on_every_node_is_judged_as_the_scheduler_judges_it(trial: Trial) -> None:
    assert not trial.wrong, f"{trial}; the clusters are in build/judge/\n" + "\n".join(trial.wrong[:20])


def test_every_plugin_has_been_heard(trial: Trial) -> None:
    if trial.pods < ENOUGH_PODS:
        pytest.skip(f"{trial.pods} pods are too few to tell")
    silent = [one for one in (*(f"only {plugin}" for plugin in FILTERS), *ALSO_HEARD) if not trial.heard[one]]
    assert not silent, f"{trial}; never heard: {silent}"
