"""The story of the demo fleet, counted over the API: all of it has come about by scheduling and faults."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from bot.local.cluster import LocalCluster
from tests.local.cluster.fleet.counting import GPU, listed, take

H200, A10 = "NVIDIA-H200", "NVIDIA-A10"


@pytest.fixture
async def cluster():
    cluster = LocalCluster()
    await cluster.start()
    yield cluster
    await cluster.stop()


async def test_the_numbers(cluster):
    count = await take(cluster)
    assert len(count.nodes) == 26
    # H200: 96 = 68 used + 11 free + 8 reserved + 8 cordoned + 1 lost
    assert len(count.of(H200)) == 12
    free = {node: count.free(node) for node in count.open(H200)}
    assert sorted(free.values(), reverse=True) == [4, 3, 2, 1, 1, 0, 0, 0, 0]
    assert sum(free.values()) == 11
    assert max(free, key=free.get) == "gpu-3"
    assert (count.free("gpu-7"), count.nodes["gpu-7"]["spec"]["unschedulable"]) == (8, True)
    assert (count.free("gpu-11"), count.free("gpu-12")) == (8, 0)
    for node in ("gpu-11", "gpu-12"):
        assert count.nodes[node]["spec"]["taints"] == [{"key": "dedicated", "value": "train", "effect": "NoSchedule"}]
    status = count.nodes["gpu-9"]["status"]
    assert (status["capacity"][GPU], status["allocatable"][GPU]) == ("8", "7")
    lost = sum(
        int(count.nodes[n]["status"]["capacity"][GPU]) - int(count.nodes[n]["status"]["allocatable"][GPU])
        for n in count.of(H200)
    )
    assert lost == 1
    assert sum(count.used(node) for node in count.of(H200)) - lost == 68
    # A10: 32 = 12 used + 20 free
    assert [count.free(node) for node in sorted(count.of(A10))] == [4, 2, 6, 8]
    assert count.nodes["a10-4"]["metadata"]["labels"]["karpenter.sh/capacity-type"] == "spot"
    # slices and shares
    assert (count.used("mig-1", "nvidia.com/mig-1g.10gb"), count.free("mig-1", "nvidia.com/mig-1g.10gb")) == (9, 5)
    assert (count.used("mig-1", "nvidia.com/mig-3g.40gb"), count.free("mig-1", "nvidia.com/mig-3g.40gb")) == (3, 1)
    assert (count.used("shared-1"), count.free("shared-1")) == (10, 6)
    assert count.nodes["shared-1"]["metadata"]["labels"]["nvidia.com/gpu.product"].endswith("-SHARED")
    # GPUs, but no resource
    assert count.nodes["gpu-13"]["metadata"]["labels"]["nvidia.com/gpu.present"] == "true"
    assert GPU not in count.nodes["gpu-13"]["status"]["capacity"]


async def test_who_waits_and_why(cluster):
    count = await take(cluster)
    waiting = count.unready()
    assert waiting[0].startswith("gpu-operator/nvidia-device-plugin-daemonset-")
    assert waiting[1] == "llm/glm-0"
    assert waiting[2].startswith("llm/glm-prod-")
    assert len(waiting) == 3
    [pending] = [c for c in count.pods["llm/glm-0"]["status"]["conditions"] if c["type"] == "PodScheduled"]
    assert pending["message"] == (
        "0/26 nodes are available: 1 node(s) were unschedulable, 14 node(s) didn't match Pod's node affinity/selector, "
        "2 node(s) had untolerated taint(s), 9 Insufficient nvidia.com/gpu. no new claims to deallocate, "
        "preemption: 0/26 nodes are available: 18 Preemption is not helpful for scheduling, "
        "3 Insufficient nvidia.com/gpu, 5 No preemption victims found for incoming pod."
    )
    broken = count.pods[waiting[2]]
    assert broken["spec"]["nodeName"] == "gpu-9"
    assert broken["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert count.pods[waiting[0]]["spec"]["nodeName"] == "gpu-13"
    [prod] = [d for d in await listed(cluster, "/apis/apps/v1/deployments") if d["metadata"]["name"] == "glm-prod"]
    assert (prod["status"]["readyReplicas"], prod["spec"]["replicas"]) == (3, 4)


async def test_who_holds_what(cluster):
    count = await take(cluster)
    holders = {p["metadata"]["name"] for p in count.on("gpu-3") if p["metadata"]["namespace"] != "gpu-operator"}
    assert {re.sub(r"-[a-z0-9]{5}$", "", name) for name in holders} == {"eval-17", "nb-ana"}
    evals = [p for name, p in count.pods.items() if name.startswith("train/eval-")]
    assert [p["spec"]["priority"] for p in evals] == [-10, -10, -10]
    burning = [n for n, p in count.pods.items() if p["metadata"]["labels"].get("gpubot.dev/burn-in") == "true"]
    assert burning == ["ops/burn-in-a10-3", "ops/burn-in-gpu-8"]
    idle = [p for p in count.pods.values() if p["metadata"]["annotations"].get("gpubot.dev/sim-gpu-utilization") == "0"]
    teams = sorted(p["metadata"]["labels"]["team"] for p in idle)
    assert teams == ["dev", "dev", "ops", "research"]
    namespaces = await listed(cluster, "/api/v1/namespaces")
    assert {n["metadata"]["labels"].get("team") for n in namespaces} >= {"llm", "train", "research", "dev", "ops"}


async def test_the_claim(cluster):
    [claim] = await listed(cluster, "/apis/resource.k8s.io/v1/resourceclaims")
    [result] = claim["status"]["allocation"]["devices"]["results"]
    assert (result["pool"], result["driver"]) == ("dra-1", "gpu.nvidia.com")
    assert claim["status"]["reservedFor"][0]["name"] == "dra-trial"
    [found] = await listed(cluster, "/apis/resource.k8s.io/v1/resourceslices")
    assert (found["spec"]["nodeName"], len(found["spec"]["devices"])) == ("dra-1", 4)


async def test_the_past_looks_like_one(cluster):
    count, now = await take(cluster), datetime.now(UTC)

    def age(obj):
        return now - datetime.fromisoformat(obj["metadata"]["creationTimestamp"])

    assert timedelta(days=40) < age(count.nodes["gpu-1"]) < timedelta(days=42)
    assert timedelta(hours=2) < age(count.pods["llm/glm-0"]) < timedelta(hours=2, minutes=20)
    events = await listed(cluster, "/api/v1/events")
    [xid] = [e for e in events if e["reason"] == "XIDError"]
    assert ": 94, " in xid["message"]
    assert timedelta(minutes=13) < now - datetime.fromisoformat(xid["lastTimestamp"]) < timedelta(minutes=15)
    assert {e["reason"] for e in events} >= {"GPUDriverUpgrade", "FailedScheduling", "BackOff"}
    assert all(age(e) < timedelta(hours=1, minutes=1) for e in events)
    beats = [c["lastHeartbeatTime"] for c in count.nodes["gpu-1"]["status"]["conditions"]]
    assert all(now - datetime.fromisoformat(beat) < timedelta(minutes=1) for beat in beats)


async def test_one_seed_one_cluster():
    names = []
    for _ in range(2):
        cluster = LocalCluster(seed=7)
        await cluster.start()
        names.append(sorted((await take(cluster)).pods))
        await cluster.stop()
    assert names[0] == names[1]
