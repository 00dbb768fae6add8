"""Whose turn it is: strict order, one after another, namespaces, topology, checks, and Kueue's own controller."""

from typing import Any

import pytest

from bot.domain.node import Condition
from bot.domain.pod import ContainerState
from bot.domain.pod_spec import PodSpec
from bot.domain.record import Owner
from bot.domain.workload import Namespace
from bot.why.stages.gates import STAGE as GATES
from bot.why.stages.kueue import STAGE
from tests.factories import a_node, a_pod
from tests.why.builders_queues import (
    GATED,
    GPU,
    a_cluster_queue,
    a_flavor,
    a_job,
    a_local_queue,
    a_thing,
    a_waiting,
    a_workload,
    ago,
    asked,
    queues_view,
    told,
)

SHORT = f"couldn't assign flavors to pod set main: insufficient unused quota for {GPU} in flavor default, 4 more needed"
NOT_READY = (Condition("Ready", "False"),)
BACK_OFF = (ContainerState("c", waiting="ImagePullBackOff"),)


def of_job(*others: Any, message: str = "", reason: str = "Pending", queue: Any = None, **workload: Any) -> str:
    job = a_job()
    mine = a_workload("train", message=message, reason=reason, **workload)
    queue = queue or a_cluster_queue()
    return told(STAGE, asked(queues_view(job, mine, a_local_queue(), queue, a_flavor(), *others), job))


def strict(used: int = 4) -> Any:
    return a_cluster_queue(used=used, queueingStrategy="StrictFIFO")


BIG = a_workload("big", 8, message=SHORT, created=ago(days=2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            of_job(BIG, queue=strict()),
            [
                "kueue.strict-order CAUSE",
                "waits behind `llm/big`",
                "the 1 GPU it needs would fit, 4 of 8 left in flavor `default`",
                "4 more needed",
                "queueingStrategy: BestEffortFIFO",
            ],
            id="it would fit, and is not the first",
        ),
        pytest.param(
            of_job(BIG, queue=strict(8), message=SHORT),
            ["kueue.strict-order ALSO", "kueue.quota CAUSE"],
            id="it would not fit either",
        ),
        pytest.param(
            of_job(
                a_workload("other", 1, admitted=True),
                a_pod(
                    "o-0",
                    owner=Owner("Job", "other", "uid-Job-llm-other"),
                    phase="Pending",
                    conditions=NOT_READY,
                    states=BACK_OFF,
                ),
                reason="WaitingForPodsReady",
            ),
            ["kueue.waits-for-ready CAUSE", "until the pods of `llm/other` are ready", "o-0: ImagePullBackOff"],
            id="one after another, by its reason",
        ),
        pytest.param(
            of_job(message="waiting for all admitted workloads to be in PodsReady condition"),
            ["kueue.waits-for-ready CAUSE", "what it let in before"],
            id="one after another, by the older text",
        ),
        pytest.param(
            of_job(
                Namespace(name="llm", labels={"team": "vision"}),
                message="Workload namespace doesn't match ClusterQueue selector",
                queue=a_cluster_queue(namespaceSelector={"matchLabels": {"team": "nlp"}}),
            ),
            [
                "kueue.namespace CAUSE",
                "takes those with `team=nlp`, and llm has `team=vision`",
                "kubectl label namespace llm team=nlp --overwrite",
            ],
            id="a namespace with another label",
        ),
        pytest.param(
            of_job(
                message="Workload namespace doesn't match ClusterQueue selector",
                queue=a_cluster_queue(
                    namespaceSelector={"matchExpressions": [{"key": "team", "operator": "In", "values": ["a", "b"]}]}
                ),
            ),
            ["takes those with `team` In a and b"],
            id="a selector of expressions",
        ),
        pytest.param(
            of_job(
                a_node("gpu-5", taints=()),
                message='couldn\'t assign flavors to pod set main: topology "racks" allows to fit only 3 out of 4 pod(s). '
                'Total nodes: 6; excluded: taint "down=true:NoSchedule": 2, nodeSelector: 1',
            ),
            [
                "kueue.topology CAUSE",
                "in topology `racks`: 3 of 4 pods fit (of 6 nodes: 2 have the taint `down=true:NoSchedule` and 1 have "
                "other labels than the pods select)",
                "the queue has it",
            ],
            id="topology, with the nodes that are left out",
        ),
        pytest.param(
            of_job(
                message="couldn't assign flavors to pod set main: topology \"racks\" doesn't allow to fit any of 4 pod(s)"
            ),
            ["none of 4 pods fits"],
            id="topology, as older releases tell it",
        ),
        pytest.param(
            of_job(
                a_thing(
                    "AdmissionCheck",
                    "multi",
                    "",
                    status={"conditions": [{"type": "Active", "status": "False", "message": "[west] is inactive"}]},
                ),
                queue=a_cluster_queue(
                    conditions=({"type": "Active", "status": "False", "reason": "AdmissionCheckInactive"},),
                    admissionChecks=["multi", "gone"],
                ),
            ),
            [
                "kueue.queue-inactive CAUSE",
                "`multi` is not active, “[west] is inactive”; its admission check `gone` does not exist",
                "describe admissionchecks.kueue.x-k8s.io multi",
            ],
            id="checks that do not work",
        ),
    ],
)
def test_what_it_waits_for(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def a_controller(**changed: Any) -> Any:
    labels = {"app.kubernetes.io/name": "kueue"}
    return a_pod("kueue-controller-manager-1", namespace="kueue-system", gpus=0, labels=labels, **changed)


CRASHING = (ContainerState("manager", waiting="CrashLoopBackOff", restarts=12),)


def test_kueue_that_does_not_run_is_the_root_of_what_waits_for_it() -> None:
    down = a_controller(conditions=NOT_READY, states=CRASHING)
    text = of_job(down, message=SHORT)
    assert "kueue.controller-down ROOT" in text
    assert "`kueue-system/kueue-controller-manager-1` (CrashLoopBackOff, 12 restarts)" in text
    assert "kueue.controller-down" not in of_job(a_controller(), message=SHORT)
    second = a_pod("kueue-controller-manager-2", namespace="kueue-system", gpus=0)
    assert "kueue.controller-down" not in of_job(down, second, message=SHORT)


def test_a_gate_that_is_left_while_kueue_does_not_run() -> None:
    pod = a_waiting(
        condition=GATED,
        gated=True,
        owner=Owner("Job", "train", "uid-Job-llm-train"),
        spec=PodSpec(gates=("kueue.x-k8s.io/topology",)),
    )
    down = a_controller(conditions=NOT_READY, states=CRASHING)
    view = queues_view(pod, a_workload("train", admitted=True), down, a_job(suspend=False))
    text = told(GATES, asked(view, pod))
    assert "gates.left-over CAUSE" in text
    assert "kueue.controller-down ROOT" in text
