"""How `/gpu status` looks, for every kind of cluster it meets."""

from dataclasses import asdict
from typing import Any

import pytest

from bot.command import Cluster, Reply
from bot.dialogue import all_commands, decide, request_of, understand
from bot.domain.node import Condition
from bot.domain.source import Reading, Source
from bot.views.blocks import render
from tests.factories import NOW, READY, a_claim, a_cluster, a_cpu_node, a_node, a_pod, a_slice, a_taint, owned_by
from tests.views.golden_files import matches

KNOWN = all_commands()


def ask(line: str, cluster: Cluster) -> Reply:
    asked = understand(line, KNOWN)
    return decide(asked, request_of(asked, {"prod-a": cluster}, "prod-a", lambda: NOW, KNOWN))


def story() -> Cluster:
    """A fleet with one of everything."""
    used = [a_pod(f"full-{index}", node=f"gpu-{index}", gpus=8, labels={"team": "llm"}) for index in (4, 5, 6)]
    mig = {"nvidia.com/mig-1g.10gb": 7, "pods": 110}
    shared = {"nvidia.com/gpu": 16, "pods": 110}
    sharing = {
        "nvidia.com/gpu.replicas": "4",
        "nvidia.com/gpu.sharing-strategy": "time-slicing",
        "nvidia.com/gpu.count": "4",
    }
    return a_cluster(
        *(a_node(f"gpu-{index}") for index in (1, 2, 3, 4, 5, 6)),
        a_node("gpu-7", unschedulable=True, more_labels={"nvidia.com/gpu-driver-upgrade-state": "drain-required"}),
        a_node("gpu-9", healthy=7, conditions=(READY, Condition("GpuXidError", "True", "Xid94", "XID 94 on GPU 3"))),
        a_node("gpu-11", taints=(a_taint("dedicated=train:NoSchedule"),)),
        a_node("gpu-12", conditions=(Condition("Ready", "Unknown", "NodeStatusUnknown"),)),
        a_cpu_node("gpu-13", labels={"nvidia.com/gpu.present": "true"}),
        a_cpu_node("gpu-14", labels={"nvidia.com/gpu.present": "true"}, created="2026-11-30T11:57:00Z"),
        a_node("a10-1", product="NVIDIA-A10", more_labels={"pool": "a10"}),
        a_node("a10-2", product="NVIDIA-A10", more_labels={"pool": "a10-spot"}),
        a_node("mig-1", product="NVIDIA-H100", capacity=mig, allocatable=mig),
        a_node("shared-1", product="NVIDIA-T4-SHARED", capacity=shared, allocatable=shared, more_labels=sharing),
        a_cpu_node("dra-1"),
        a_slice("dra-1", devices=4),
        a_claim("claim", ("dra-1", "gpu-0")),
        a_cpu_node("cpu-1"),
        *used,
        a_pod("eval", node="gpu-1", gpus=4, priority=-10, namespace="train", owner=owned_by("Job", "eval")),
        a_pod("burn", node="gpu-2", gpus=6, namespace="ops", labels={"burn-in": "true"}),
        a_pod("going", node="gpu-3", gpus=2, namespace="dev", deleted="2026-11-30T11:00:00Z"),
        a_pod("big", node="gpu-9", gpus=8, labels={"team": "llm"}),
        a_pod("small", node="mig-1", requests={"nvidia.com/mig-1g.10gb": 2}, namespace="dev"),
        a_pod("nb", node="shared-1", gpus=3, namespace="dev"),
    )


def big() -> Cluster:
    """Eight hundred nodes, most of them alike."""
    nodes = [a_node(f"gpu-{index:03}", more_labels={"pool": f"pool-{index % 3}"}) for index in range(800)]
    pods = [
        a_pod(
            f"p-{index}", node=f"gpu-{index:03}", gpus=8 if index % 20 else index % 8, namespace=f"ns-{index % 30:02}"
        )
        for index in range(800)
    ]
    return a_cluster(*nodes, *pods)


CASES = [
    ("story", story, "gpu status"),
    ("story_by_team", story, "gpu status --by team"),
    ("story_by_owner", story, "gpu status --by owner"),
    ("story_by_node", story, "gpu status --by node"),
    ("story_product", story, "gpu status product=a10"),
    ("story_namespace", story, "gpu status namespace=dev"),
    ("story_pool", story, "gpu status pool=a10-spot"),
    ("big", big, "gpu status"),
    ("big_by_node", big, "gpu status --by node"),
    ("big_by_namespace", big, "gpu status --by namespace"),
    ("no_gpus", lambda: a_cluster(a_cpu_node("cpu-1"), a_cpu_node("cpu-2")), "gpu status"),
    ("full", lambda: a_cluster(a_node(), a_pod(gpus=8)), "gpu status"),
    ("no_pods_read", lambda: a_cluster(a_node(), a_node("gpu-2", unschedulable=True), unread=("pods",)), "gpu status"),
    ("no_nodes_read", lambda: a_cluster(unread=("nodes",)), "gpu status"),
    ("nobody_holds", lambda: a_cluster(a_node()), "gpu status --by team"),
    ("no_devices_read", lambda: a_cluster(a_node(), unread=("resourceslices", "namespaces")), "gpu status"),
    ("help", a_cluster, "help"),
    ("help_status", a_cluster, "help status"),
]


@pytest.mark.parametrize(("name", "cluster", "line"), CASES, ids=[name for name, _, _ in CASES])
def test_looks_as_kept(name: str, cluster: Any, line: str) -> None:
    reply = ask(line, cluster())
    matches(name, reply.answer.text)


@pytest.mark.parametrize("name", ["story", "no_nodes_read", "help"])
def test_blocks_look_as_kept(name: str) -> None:
    cluster, line = next((cluster, line) for known, cluster, line in CASES if known == name)
    matches(f"{name}_blocks", asdict(render(ask(line, cluster()).document)))


@pytest.mark.parametrize(
    ("unread", "told", "cause"),
    [
        ((), True, "gpu.free"),
        (("pods",), False, "gpu.unknown.pods"),
        (("nodes",), False, "gpu.unknown.nodes"),
        (("namespaces",), True, "gpu.free"),
    ],
)
def test_what_could_not_be_read_is_told_and_never_counted_as_zero(
    unread: tuple[str, ...], told: bool, cause: str
) -> None:
    reply = ask("gpu status", a_cluster(a_node(), unread=unread))
    assert (reply.answer.told, reply.answer.cause.id) == (told, cause)
    assert [line.split(" ")[0].rstrip(":") for line in reply.answer.unknown] == list(unread)
    if "pods" in unread:
        assert "free" not in reply.answer.numbers["H200"]


def test_a_lost_connection_is_told_with_the_age_of_what_is_shown() -> None:
    cluster = a_cluster(a_node())
    cluster.view.sources["pods"] = Source("pods", Reading.STALE, NOW.replace(hour=11), "no connection since 11:00")
    text = ask("gpu status", cluster).answer.text
    assert "no connection to the cluster for pods: last known state" in text
    assert "1 h old (2026-11-30 11:00:00 UTC)" in text
