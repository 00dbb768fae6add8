"""The node as a whole."""

from datetime import timedelta

from bot.checks.finding import Severity
from bot.domain.node import Condition
from tests.checks.building import Told, a_scene, agent, case, gpu, without
from tests.factories import NOW, READY, a_node, a_taint

AGO = (NOW - timedelta(hours=2)).isoformat()
SILENT = Condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", AGO)
TAKEN = a_taint("aws-node-termination-handler/spot-itn:NoSchedule")
SPOT = {"karpenter.sh/capacity-type": "spot"}

TOLD = {
    "not_ready": Told(
        "gpu-1 does not answer, since 2 h ago: 0 GPU pods there",
        Severity.CRITICAL,
        lambda: a_scene(node=a_node(conditions=(SILENT,))),
        lambda: a_scene(node=a_node(conditions=(SILENT,), taints=(TAKEN,), more_labels=SPOT)),
        lambda: without(a_scene(), "nodes"),
    ),
    "leaving": Told(
        r"gpu-1 goes away: its provider is taking it back \(a spot node\); 0 GPU pods there, no GPU is at fault",
        Severity.INFO,
        lambda: a_scene(node=a_node(taints=(TAKEN,), more_labels=SPOT)),
        lambda: a_scene(node=a_node(more_labels=SPOT)),
        lambda: without(a_scene(), "nodes"),
    ),
    "condition": Told(
        r"gpu-1 reports a GPU fault: `XidCriticalError`, Xid 79",
        Severity.CRITICAL,
        lambda: a_scene(node=a_node(conditions=(READY, Condition("XidCriticalError", "True", '{"79":true}')))),
        lambda: a_scene(node=a_node(conditions=(READY, Condition("XidCriticalError", "False")))),
        lambda: without(a_scene(), "nodes"),
    ),
    "joining": Told(
        "gke-a100-pool-7c1d-x2kq came up 3 min ago",
        Severity.INFO,
        lambda: case("gpu-10-gke-young"),
        lambda: a_scene(gpu(0)),
        lambda: without(case("gpu-10-gke-young"), "nodes"),
    ),
    "agent_silent": Told(
        "gpu-1: its agent's reading is 10 min old; its GPUs may be well or not",
        Severity.WARNING,
        lambda: a_scene(told=agent([gpu(0)], ago=600)),
        lambda: a_scene(told=agent([gpu(0)], ago=60)),
        a_scene,
    ),
    "labels": Told(
        "gpu-1 offers GPUs and no label names their product",
        Severity.INFO,
        lambda: a_scene(node=a_node(product="")),
        lambda: a_scene(node=a_node(product="", more_labels={"accelerator": "h200"})),
        lambda: without(a_scene(), "pods"),
    ),
}
