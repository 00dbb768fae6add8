"""The one sentence about a pod that no node takes: for each sort of blocker, and for each way in which something is short."""

from typing import Any

import pytest

from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.pod_spec import HostPort, PodSpec, PodTerm, SpreadConstraint, Toleration, Volume
from bot.domain.selectors import NodeTerm, Requirement, Selector
from bot.scheduling.evaluate import evaluate
from bot.scheduling.state import State
from bot.why.placement.headline import headline
from bot.why.placement.nodes import survey
from bot.why.placement.told import Headline
from tests.factories import a_cpu_node, a_node, a_pod, a_taint
from tests.why.builders_fleet import GPU, ZONE, a_view_of, a_waiting, a_zonal_claim, h200s

MIG = "nvidia.com/mig-1g.10gb"
APP = Selector((Requirement("app", "In", ("glm",)),))
DOWN = Condition("Ready", "False", "KubeletNotReady", "container runtime is down")
ZONE_A, ZONE_B = {ZONE: "zone-a"}, {ZONE: "zone-b"}
SPREAD = PodSpec(spread=(SpreadConstraint(ZONE, selector=APP),))
GLM = {"app": "glm"}


def told(pod: Pod, *records: Any) -> Headline:
    view = a_view_of(pod, *records)
    state = State(view)
    return headline(survey(pod, state, evaluate(pod, state)))


def cpu(name: str, *, node: str, cores: int) -> Pod:
    return a_pod(name, node=node, requests={"cpu": 1000 * cores})


def memory(gib: int, gpus: int = 1) -> dict[str, int]:
    return {"memory": gib * 2**30, GPU: gpus}


SHORT = [
    (
        8,
        h200s(4, 4, 3),
        "resources.fragmented",
        "it needs 8 H200 on one node and no node has 8 free: 11 are free, at most 4 together (gpu-1)",
        "in pieces",
    ),
    (
        8,
        [*h200s(4, 4), a_node("gpu-9", unschedulable=True)],
        "resources.fragmented",
        "it needs 8 H200 on one node and no node that it may use has 8 free: 8 are free, at most 4 together (gpu-1)",
        "in pieces, with a whole one that is cordoned",
    ),
    (
        4,
        h200s(1, 1, 0),
        "resources.used-up",
        "it needs 4 H200 on one node and only 2 are free in all (gpu-1 and gpu-2)",
        "too few in all",
    ),
    (
        4,
        h200s(1, 0),
        "resources.used-up",
        "it needs 4 H200 on one node and only 1 is free in all (gpu-1)",
        "one in all",
    ),
    (
        4,
        [*h200s(1, 0), a_node("gpu-9", unschedulable=True)],
        "resources.used-up",
        "it needs 4 H200 on one node and only 1 is free where it may run (gpu-1); "
        "8 more are free where something else keeps it away (gpu-9)",
        "too few in all, with more behind a cordon",
    ),
    (1, h200s(0), "resources.used-up", "it needs 1 H200 and none is free on gpu-1", "none on the only node"),
    (1, h200s(0, 0), "resources.used-up", "it needs 1 H200 and none is free on gpu-1 and gpu-2", "none on two nodes"),
    (
        2,
        h200s(0, 0, 0, 0),
        "resources.used-up",
        "it needs 2 H200 and none is free on the 4 nodes that have them",
        "none on many nodes",
    ),
    (
        2,
        [*h200s(0, 0, 0, 0), a_node("gpu-9", unschedulable=True)],
        "resources.used-up",
        "it needs 2 H200 and none is free on the 4 nodes that it may use; "
        "8 more are free where something else keeps it away (gpu-9)",
        "none on many nodes, with more behind a cordon",
    ),
    (
        2,
        [*h200s(1), *h200s(0, first=2, product="NVIDIA-A10")],
        "resources.used-up",
        "it needs 2 GPUs on one node and only 1 is free in all (gpu-1)",
        "of several products",
    ),
    (
        16,
        h200s(8, 8),
        "resources.too-large",
        "it asks for 16 H200 on one node, and the largest node has 8 (gpu-1)",
        "more than any node has",
    ),
    (
        8,
        [a_node("gpu-1", healthy=7)],
        "resources.lost",
        "it needs 8 GPUs on one node; gpu-1 has 8, but only 7 can be used: 1 GPU of it is marked unhealthy "
        "(capacity 8, allocatable 7)",
        "enough but for a lost one",
    ),
    (
        8,
        [a_node("gpu-1", healthy=5)],
        "resources.lost",
        "it needs 8 GPUs on one node; gpu-1 has 8, but only 5 can be used: 3 GPUs of it are marked unhealthy "
        "(capacity 8, allocatable 5)",
        "enough but for three lost ones",
    ),
    (1, [a_cpu_node(), a_cpu_node("cpu-2")], "resources.not-offered", f"no node offers `{GPU}`", "no GPU anywhere"),
]


@pytest.mark.parametrize(("gpus", "records", "id_", "sentence"), [pytest.param(*row[:4], id=row[4]) for row in SHORT])
def test_gpus_that_are_short(gpus: int, records: list[Any], id_: str, sentence: str) -> None:
    found = told(a_waiting(gpus=gpus), *records)
    assert (found.id, found.sentence) == (id_, sentence)


OFFERED = [
    (
        {MIG: 1},
        [a_node("gpu-1", product="NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", gpus=7)],
        f"no node offers `{MIG}`; the slices are there under another name: 7 `{GPU}` on gpu-1, 7 free",
        "slices under the plain name",
    ),
    (
        {MIG: 1},
        [a_node("gpu-1")],
        f"no node offers `{MIG}`",
        "whole GPUs are no slices",
    ),
    (
        {GPU: 1},
        [a_node("gpu-1", capacity={MIG: 7, "pods": 110}, allocatable={MIG: 7, "pods": 110})],
        f"no node offers `{GPU}`; the GPUs are there under another name: 7 `{MIG}` on gpu-1, 7 free",
        "whole GPUs where only slices are",
    ),
    (
        {"amd.com/gpu": 1},
        [a_node("gpu-1")],
        "no node offers `amd.com/gpu`",
        "another vendor's are no other name",
    ),
]


@pytest.mark.parametrize(("requests", "records", "sentence"), [pytest.param(*row[:3], id=row[3]) for row in OFFERED])
def test_resources_that_no_node_offers(requests: dict[str, int], records: list[Any], sentence: str) -> None:
    found = told(a_waiting(requests=requests), *records)
    assert (found.id, found.sentence) == ("resources.not-offered", sentence)


@pytest.mark.parametrize(
    ("node", "line"),
    [
        pytest.param(
            a_node("gpu-1", healthy=0),
            f"gpu-1 has `{GPU}` at 0: the plugin that offers it ran there once",
            id="a node that lost all",
        ),
        pytest.param(
            a_cpu_node("gpu-1", labels={"nvidia.com/gpu.present": "true"}),
            f"gpu-1 carries a GPU label but offers no `{GPU}`",
            id="a node that says it has some",
        ),
    ],
)
def test_nodes_that_should_offer_it_are_named(node: Any, line: str) -> None:
    assert told(a_waiting(gpus=1), node).evidence == (line,)


OTHERS = [
    (
        {"cpu": 150_000, GPU: 1},
        [*h200s(8), cpu("db", node="gpu-1", cores=100)],
        "resources.cpu",
        "it needs 150 CPUs, and at most 92 of 192 are free on one node (gpu-1), although 8 GPUs are free there",
        "CPU on a node with free GPUs",
    ),
    (
        {"cpu": 150_000, GPU: 1},
        [*h200s(0), cpu("db", node="gpu-1", cores=100)],
        "resources.used-up",
        "it needs 1 H200 and none is free on gpu-1",
        "GPUs before CPU",
    ),
    (
        {"cpu": 150_000},
        [a_cpu_node()],
        "resources.cpu",
        "it asks for 150 CPUs, and the largest node in question has 64 in all (cpu-1)",
        "more CPU than any node has",
    ),
    (
        memory(1024),
        [a_node("gpu-1"), a_pod("db", node="gpu-1", requests={"memory": 1536 * 2**30})],
        "resources.memory",
        "it needs 1 TiB memory, and at most 512 GiB of 2 TiB are free on one node (gpu-1), although 8 GPUs are free there",
        "memory",
    ),
    (
        memory(1, 1),
        [a_node("gpu-1", allocatable={GPU: 8, "memory": 2**41, "pods": 1}), a_pod("x", node="gpu-1", gpus=0)],
        "resources.pods",
        "gpu-1 takes no more pods (1 is the limit), although 8 GPUs are free there",
        "the limit of pods",
    ),
    (
        {"example.com/fpga": 2},
        [a_node("gpu-1", allocatable={"example.com/fpga": 1, "pods": 110})],
        "resources.too-large",
        "it asks for 2 example.com/fpga on one node, and the largest node has 1 (gpu-1)",
        "something of another sort",
    ),
]


@pytest.mark.parametrize(
    ("requests", "records", "id_", "sentence"), [pytest.param(*row[:4], id=row[4]) for row in OTHERS]
)
def test_other_things_that_are_short(requests: dict[str, int], records: list[Any], id_: str, sentence: str) -> None:
    found = told(a_waiting(requests=requests), *records)
    assert (found.id, found.sentence) == (id_, sentence)


def spread(*nodes: Any) -> list[Any]:
    return [*nodes, a_pod("glm-9", node="gpu-1", gpus=0, labels=GLM)]


KINDS = [
    (
        {},
        h200s(8, taints=(a_taint("dedicated=train:NoSchedule"),)),
        "taint",
        "gpu-1 has 8 GPUs free but carries the taint `dedicated=train:NoSchedule`, which the pod does not tolerate",
        "a taint",
    ),
    (
        {},
        h200s(8, 8, taints=(a_taint("dedicated:NoExecute"),)),
        "taint",
        "gpu-1 and gpu-2 have room but carry the taint `dedicated:NoExecute`, which the pod does not tolerate",
        "a taint on two",
    ),
    (
        {"spec": PodSpec(tolerations=(Toleration("dedicated", "Equal", "llm"),))},
        h200s(8, taints=(a_taint("dedicated=train:NoSchedule"),)),
        "taint",
        "gpu-1 has 8 GPUs free but carries the taint `dedicated=train:NoSchedule`, which the pod does not tolerate",
        "a toleration of another value",
    ),
    (
        {},
        h200s(8, unschedulable=True),
        "cordon",
        "gpu-1 has 8 GPUs free but is cordoned",
        "a cordon",
    ),
    (
        {},
        h200s(8, 8, unschedulable=True, cordoned_by="kubectl-cordon"),
        "cordon",
        "gpu-1 and gpu-2 have room but are cordoned (by a person with kubectl)",
        "cordons whose author is known",
    ),
    (
        {},
        h200s(8, conditions=(DOWN,), taints=(a_taint("node.kubernetes.io/not-ready:NoSchedule"),)),
        "node.not-ready",
        "gpu-1 has 8 GPUs free but is not Ready: container runtime is down",
        "a node that is not ready",
    ),
    (
        {},
        h200s(8, taints=(a_taint("node.kubernetes.io/unreachable:NoSchedule"),)),
        "node.not-ready",
        "gpu-1 has 8 GPUs free but is unreachable: its kubelet has stopped reporting",
        "a node that nobody reaches",
    ),
    (
        {},
        h200s(8, taints=(a_taint("node.kubernetes.io/disk-pressure:NoSchedule"),)),
        "node.not-ready",
        "gpu-1 has 8 GPUs free but is under disk pressure",
        "a node under pressure",
    ),
    (
        {"spec": PodSpec(node_selector={"pool": "h20"})},
        h200s(8, more_labels={"pool": "h200"}),
        "labels.none",
        "it asks for nodes with `pool=h20`, and there is none: nodes have `h200`; perhaps `h200` was meant",
        "a label whose value is typed wrongly",
    ),
    (
        {"spec": PodSpec(node_selector={"pool": "x"})},
        h200s(8),
        "labels.none",
        "it asks for nodes with `pool=x`, and there is none: no node has that label at all",
        "a label that nobody has",
    ),
    (
        {"spec": PodSpec(node_terms=(NodeTerm((Requirement("pool", "In", ("x",)),)),))},
        h200s(8, 8),
        "labels.none",
        "no node is one that it may use: 2 H200 nodes without `pool In x`",
        "node affinity",
    ),
    (
        {"volumes": (Volume("data", "weights"),)},
        [*h200s(8, more_labels=ZONE_A), *a_zonal_claim("zone-b")],
        "volume",
        "gpu-1 has 8 GPUs free but the volume of claim `weights` can be reached only from zone-b, not from zone-a",
        "a volume in another zone",
    ),
    (
        {"volumes": (Volume("data", "weights"),)},
        [*h200s(8), *a_zonal_claim("zone-b")],
        "volume",
        "gpu-1 has 8 GPUs free but the volume of claim `weights` can be reached only from zone-b",
        "a volume in a zone, and a node in none",
    ),
    (
        {"spec": SPREAD, "labels": GLM, "gpus": 1},
        spread(*h200s(8, more_labels=ZONE_A), *h200s(0, first=2, more_labels=ZONE_B)),
        "spread.uneven",
        f"its spread rule over `{ZONE}` (at most 1 more than in the emptiest one) keeps it off gpu-1: "
        "1 of these pods is there already, and 0 in the emptiest",
        "a spread",
    ),
    (
        {"spec": SPREAD, "labels": GLM, "gpus": 1},
        spread(*h200s(8)),
        "spread.label",
        f"gpu-1 cannot take it: label `{ZONE}` for the spread is missing",
        "a spread over a label that nodes lack",
    ),
    (
        {"spec": PodSpec(anti_affinity=(PodTerm(ZONE, APP, frozenset({"llm"})),)), "labels": GLM},
        spread(*h200s(8, more_labels=ZONE_A)),
        "pod-affinity",
        f"gpu-1 has 8 GPUs free but its anti-affinity (`app=glm`, same `{ZONE}`) keeps it away from `glm-9`",
        "company that it does not want",
    ),
    (
        {"spec": PodSpec(affinity=(PodTerm(ZONE, APP, frozenset({"llm"})),))},
        h200s(8, more_labels=ZONE_A),
        "pod-affinity",
        f"it may run only beside pods with `app=glm` in namespace llm (its affinity, same `{ZONE}`), and there is none "
        "that has a node",
        "company that is missing",
    ),
    (
        {"labels": GLM},
        [
            *h200s(8, more_labels=ZONE_A),
            a_pod(
                "x", node="gpu-1", gpus=0, spec=PodSpec(anti_affinity=(PodTerm(ZONE, APP, frozenset({"llm"})),))
            ),
        ],
        "pod-affinity",
        f"gpu-1 has 8 GPUs free but `x` on the same `{ZONE}` wants no such pod beside it (its anti-affinity, not the "
        "waiting pod's)",
        "company that does not want it",
    ),
    (
        {"spec": PodSpec(host_ports=(HostPort(8000),))},
        [*h200s(8), a_pod("x", node="gpu-1", gpus=0, spec=PodSpec(host_ports=(HostPort(8000),)))],
        "ports",
        "gpu-1 has 8 GPUs free but `x` has host port 8000/TCP there",
        "a port that is taken",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "records", "id_", "sentence"), [pytest.param(*row[:4], id=row[4]) for row in KINDS]
)
def test_other_blockers(changed: dict[str, Any], records: list[Any], id_: str, sentence: str) -> None:
    found = told(a_waiting(**changed), *records)
    assert (found.id, found.sentence) == (id_, sentence)


def test_a_minimum_that_a_closed_domain_holds_at_nought_is_the_news_of_a_spread() -> None:
    closed = h200s(8, first=2, more_labels=ZONE_B, taints=(a_taint("dedicated:NoSchedule"),))
    found = told(a_waiting(gpus=1, spec=SPREAD, labels=GLM), *spread(*h200s(8, more_labels=ZONE_A), *closed))
    assert "gpu-2 count as empty although the pod may not go there, and hold that minimum at 0" in found.sentence
    assert "gpu-2 has 0 of these pods and can never get one" in found.evidence[0]


def test_a_pod_without_gpus_learns_who_gives_others_their_toleration() -> None:
    pod = a_waiting(gpus=0, requests={"cpu": 1000})
    found = told(pod, a_node("gpu-1", taints=(a_taint("nvidia.com/gpu=present:NoSchedule"),)))
    assert found.sentence.startswith("gpu-1 has room but carries the taint `nvidia.com/gpu=present:NoSchedule`")
    assert "this one asks for none" in found.evidence[0]
