import pytest

from bot.local.cluster.controllers.scheduler.filters import reject
from bot.local.cluster.controllers.scheduler.node import view_node
from bot.local.cluster.controllers.scheduler.pod import view_pod
from tests.local.cluster.controllers.helpers import GPU, a_node, a_pod

TAINT = {"key": "dedicated", "value": "train", "effect": "NoSchedule"}
AFFINITY = "node(s) didn't match Pod's node affinity/selector"


def required(*terms):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def expression(operator, *values, key="zone"):
    return required({"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]})


def ports(port, **more):
    return [{"name": "c", "ports": [{"containerPort": port, "hostPort": port, **more}]}]


def verdict(pod, node, *there):
    view = view_node(node)
    for other in there:
        view.add(view_pod(other))
    found = reject(view_pod(pod), view)
    return found and found.reasons


@pytest.mark.parametrize(
    ("pod", "node", "reasons"),
    [
        pytest.param(a_pod(gpus=8), a_node(gpus=8), None, id="exactly fits"),
        pytest.param(a_pod(gpus=9), a_node(gpus=8), (f"Insufficient {GPU}",), id="one too many"),
        pytest.param(
            a_pod(gpus=9, cpu="9"),
            a_node(gpus=8),
            ("Insufficient cpu", f"Insufficient {GPU}"),
            id="all that is short is named",
        ),
        pytest.param(a_pod(), a_node(pods="0"), ("Too many pods",), id="pods are counted too"),
        pytest.param(
            a_pod(gpus=9), a_node(gpus=8, unschedulable=True), ("node(s) were unschedulable",), id="cordon comes first"
        ),
        pytest.param(
            a_pod(tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]),
            a_node(unschedulable=True),
            None,
            id="a tolerated cordon is none",
        ),
        pytest.param(
            a_pod(gpus=9),
            a_node(gpus=8, taints=[TAINT]),
            ("node(s) had untolerated taint(s)",),
            id="a taint hides the lack of GPUs",
        ),
        pytest.param(
            a_pod(tolerations=[{**TAINT, "operator": "Equal"}]), a_node(taints=[TAINT]), None, id="tolerated by value"
        ),
        pytest.param(
            a_pod(tolerations=[{**TAINT, "value": "eval"}]),
            a_node(taints=[TAINT]),
            ("node(s) had untolerated taint(s)",),
            id="another value does not tolerate",
        ),
        pytest.param(
            a_pod(tolerations=[{"operator": "Exists", "effect": "NoExecute"}]),
            a_node(taints=[TAINT]),
            ("node(s) had untolerated taint(s)",),
            id="another effect does not tolerate",
        ),
        pytest.param(a_pod(), a_node(taints=[{**TAINT, "effect": "PreferNoSchedule"}]), None, id="a wish is no taint"),
        pytest.param(a_pod(nodeSelector={"zone": "a"}), a_node(), (AFFINITY,), id="selector without label"),
        pytest.param(a_pod(nodeSelector={"zone": "a"}), a_node(labels={"zone": "a"}), None, id="selector with label"),
        pytest.param(
            a_pod(affinity=expression("In", "a")), a_node(labels={"zone": "b"}), (AFFINITY,), id="In another value"
        ),
        pytest.param(a_pod(affinity=expression("NotIn", "a")), a_node(), None, id="NotIn matches without the label"),
        pytest.param(
            a_pod(affinity=expression("Gt", "4")), a_node(labels={"zone": "5"}), None, id="Gt compares numbers"
        ),
        pytest.param(
            a_pod(affinity=expression("Gt", "4")), a_node(labels={"zone": "x"}), (AFFINITY,), id="Gt needs a number"
        ),
        pytest.param(a_pod(affinity=required({})), a_node(), (AFFINITY,), id="an empty term matches nothing"),
        pytest.param(
            a_pod(affinity=required({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]})),
            a_node("n1"),
            ("node(s) didn't satisfy plugin(s) [NodeAffinity]",),
            id="nodes that the name rules out are counted by the plugin",
        ),
        pytest.param(
            {**a_pod(), "spec": {**a_pod()["spec"], "nodeName": "n2"}},
            a_node("n1"),
            ("node(s) didn't match the requested node name",),
            id="another node's name",
        ),
    ],
)
def test_reasons(pod, node, reasons):
    assert verdict(pod, node) == reasons


@pytest.mark.parametrize(
    ("mine", "theirs", "clash"),
    [
        pytest.param(ports(80), ports(80), True, id="same port"),
        pytest.param(ports(80), ports(81), False, id="another port"),
        pytest.param(ports(80), ports(80, protocol="UDP"), False, id="another protocol"),
        pytest.param(ports(80), ports(80, hostIP="10.0.0.1"), True, id="any address clashes with each"),
        pytest.param(ports(80, hostIP="10.0.0.2"), ports(80, hostIP="10.0.0.1"), False, id="two addresses"),
    ],
)
def test_ports(mine, theirs, clash):
    other = {"metadata": {"name": "other", "namespace": "default"}, "spec": {"containers": theirs}}
    pod = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": mine}}
    expected = ("node(s) didn't have free ports for the requested pod ports",) if clash else None
    assert verdict(pod, a_node(), other) == expected


def test_eviction_cannot_help_where_the_request_exceeds_the_whole_node():
    view = view_node(a_node(gpus=8))
    assert not reject(view_pod(a_pod(gpus=9)), view).helped_by_eviction
    view.add(view_pod(a_pod("other", gpus=1)))
    assert reject(view_pod(a_pod(gpus=8)), view).helped_by_eviction


def test_a_promise_to_a_pod_of_the_same_rank_counts_as_taken():
    view = view_node(a_node(gpus=8))
    promised = view_pod(a_pod("first", gpus=8, priority=5))
    view.nominated[promised.key] = promised
    assert reject(view_pod(a_pod(gpus=1, priority=5)), view)
    assert reject(view_pod(a_pod(gpus=1, priority=6)), view) is None
