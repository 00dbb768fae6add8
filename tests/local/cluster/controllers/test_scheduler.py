import pytest

from tests.local.cluster.controllers.helpers import GPU, a_cluster, a_node, a_pod

NO_VICTIMS = "No preemption victims found for incoming pod"
NO_HELP = "Preemption is not helpful for scheduling"
TAINT = {"key": "dedicated", "value": "train", "effect": "NoSchedule"}


def text(nodes, body, preemption):
    return f"0/{nodes} nodes are available: {body}. no new claims to deallocate, preemption: {preemption}"


@pytest.mark.parametrize(
    ("nodes", "holders", "pod", "message"),
    [
        pytest.param([], [], a_pod(), "no nodes available to schedule pods", id="no nodes at all"),
        pytest.param(
            [a_node("a", gpus=8), a_node("b", gpus=4), a_node("c"), a_node("d", gpus=8, unschedulable=True)],
            [a_pod("x", gpus=1, nodeName="a")],
            a_pod(gpus=8),
            text(
                4,
                f"1 node(s) were unschedulable, 3 Insufficient {GPU}",
                f"0/4 nodes are available: 1 {NO_VICTIMS}, 3 {NO_HELP}.",
            ),
            id="full, too small, without GPUs, cordoned",
        ),
        pytest.param(
            [a_node(f"n{i}") for i in range(11)] + [a_node("t1", taints=[TAINT]), a_node("t2", taints=[TAINT])],
            [],
            a_pod(gpus=1),
            text(
                13,
                f"11 Insufficient {GPU}, 2 node(s) had untolerated taint(s)",
                f"0/13 nodes are available: 13 {NO_HELP}.",
            ),
            id="counts are sorted as text",
        ),
        pytest.param(
            [a_node("a", gpus=8)],
            [a_pod("x", gpus=2, nodeName="a", priority=-10), a_pod("y", gpus=2, nodeName="a")],
            a_pod(gpus=8),
            text(1, f"1 Insufficient {GPU}", f"0/1 nodes are available: 1 Insufficient {GPU}."),
            id="evicting all that may be evicted is not enough",
        ),
        pytest.param(
            [a_node("a", gpus=8)],
            [],
            a_pod(gpus=9, preemptionPolicy="Never"),
            text(1, f"1 Insufficient {GPU}", "not eligible due to preemptionPolicy=Never."),
            id="may not evict",
        ),
    ],
)
async def test_messages(nodes, holders, pod, message):
    async with a_cluster(*nodes) as cluster:
        for name in {holder["spec"].pop("priority", 0) for holder in holders} - {0}:
            cluster.add("priorityclasses", {"metadata": {"name": "low"}, "value": name})
            holders[0]["spec"]["priorityClassName"] = "low"
        if pod["spec"].get("preemptionPolicy"):
            cluster.add("priorityclasses", {"metadata": {"name": "p"}, "value": 0, "preemptionPolicy": "Never"})
            pod = {**pod, "spec": {**pod["spec"], "priorityClassName": "p"}}
        for obj in (*holders, pod):
            cluster.add("pods", obj)
        await cluster.until(lambda: cluster.message("p"))
        assert cluster.message("p") == message
        assert cluster.events("FailedScheduling") == [message]


async def test_the_emptier_node_is_preferred_and_other_pods_keep_off_gpu_nodes():
    async with a_cluster(a_node("g1", gpus=8), a_node("g2", gpus=8), a_node("c1")) as cluster:
        cluster.add("pods", a_pod("first", gpus=2, nodeName="g2"))
        cluster.add("pods", a_pod("second", gpus=4))
        cluster.add("pods", a_pod("third"))
        await cluster.until(lambda: cluster.node_of("second") and cluster.node_of("third"))
        assert (cluster.node_of("second"), cluster.node_of("third")) == ("g1", "c1")
        assert cluster.events("Scheduled")[0].startswith("Successfully assigned default/second to g1")


async def test_a_pod_is_tried_again_when_room_is_made():
    async with a_cluster(a_node("a", gpus=8)) as cluster:
        cluster.add("pods", a_pod("x", gpus=8))
        await cluster.until(lambda: cluster.node_of("x"))
        cluster.add("pods", a_pod(gpus=8))
        await cluster.until(lambda: cluster.message("p"))
        cluster.delete("pods", "x")
        await cluster.until(lambda: cluster.node_of("p") == "a")


async def test_a_pod_that_ended_holds_nothing():
    async with a_cluster(a_node("a", gpus=8)) as cluster:
        cluster.add("pods", a_pod("x", gpus=8))
        await cluster.until(lambda: cluster.node_of("x"))
        cluster.finish("x")
        cluster.add("pods", a_pod(gpus=8))
        await cluster.until(lambda: cluster.node_of("p") == "a")


async def test_pods_of_higher_priority_go_first():
    async with a_cluster() as cluster:
        cluster.add("priorityclasses", {"metadata": {"name": "high"}, "value": 10})
        cluster.add("pods", a_pod("low", gpus=8))
        cluster.add("pods", a_pod("high", gpus=8, priorityClassName="high"))
        await cluster.calm()
        cluster.add("nodes", a_node("a", gpus=8))
        await cluster.until(lambda: cluster.node_of("high"))
        assert not cluster.node_of("low")


async def test_preemption_evicts_as_few_as_possible_and_waits_for_them():
    async with a_cluster(a_node("a", gpus=8), a_node("b", gpus=8)) as cluster:
        cluster.add("priorityclasses", {"metadata": {"name": "high"}, "value": 10})
        for name, gpus, node in [("a1", 4, "a"), ("a2", 2, "a"), ("b1", 4, "b"), ("b2", 4, "b")]:
            cluster.add("pods", a_pod(name, gpus=gpus, nodeName=node))
        await cluster.calm()
        cluster.kubelet = False
        cluster.add("pods", a_pod(gpus=4, priorityClassName="high"))
        await cluster.until(lambda: cluster.get("pods", "p")["status"].get("nominatedNodeName"))
        gone = [p["metadata"]["name"] for p in cluster.all("pods") if p["metadata"].get("deletionTimestamp")]
        assert gone == ["a2"]
        assert not cluster.node_of("p")
        assert "preemption" not in cluster.message("p")
        assert cluster.events("Preempted")[0].endswith("on node a")
        target = cluster.get("pods", "a2")["status"]["conditions"][-1]
        assert (target["type"], target["reason"]) == ("DisruptionTarget", "PreemptionByScheduler")
        cluster.add("pods", a_pod("late", gpus=2))
        await cluster.until(lambda: cluster.message("late"))
        assert not cluster.node_of("late"), "the room is promised"
        cluster.kubelet = True
        cluster.delete("pods", "a2", grace=0)
        await cluster.until(lambda: cluster.node_of("p") == "a")


async def test_other_schedulers_pods_and_gated_pods_are_left_alone():
    async with a_cluster(a_node()) as cluster:
        cluster.add("pods", a_pod("other", schedulerName="volcano"))
        cluster.add("pods", a_pod("gated", schedulingGates=[{"name": "quota"}]))
        await cluster.calm()
        assert not cluster.node_of("other")
        assert not cluster.node_of("gated")


def a_claim_fleet(cluster):
    driver = "gpu.nvidia.com"
    devices = [{"name": f"gpu-{i}"} for i in range(2)]
    pool = {"name": "d", "generation": 1, "resourceSliceCount": 1}
    cluster.add(
        "resourceslices",
        {"metadata": {"name": "s"}, "spec": {"driver": driver, "nodeName": "d", "pool": pool, "devices": devices}},
    )
    cluster.add(
        "deviceclasses",
        {"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]}},
    )


def a_claim(name, count):
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": count}}
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [request]}}}


async def test_claims_are_allocated_on_the_node_that_has_the_devices_and_freed_after_the_pod():
    async with a_cluster(a_node("c"), a_node("d")) as cluster:
        a_claim_fleet(cluster)
        cluster.add("resourceclaims", a_claim("one", 1))
        cluster.add("resourceclaims", a_claim("two", 2))
        cluster.add("pods", a_pod("x", resourceClaims=[{"name": "g", "resourceClaimName": "one"}]))
        await cluster.until(lambda: cluster.node_of("x") == "d")
        status = cluster.get("resourceclaims", "one")["status"]
        assert status["allocation"]["devices"]["results"][0]["device"] == "gpu-0"
        assert status["reservedFor"][0]["name"] == "x"
        cluster.add("pods", a_pod(resourceClaims=[{"name": "g", "resourceClaimName": "two"}]))
        await cluster.until(lambda: cluster.message("p"))
        assert "2 cannot allocate all claims. still not schedulable, preemption:" in cluster.message("p")
        cluster.delete("pods", "x", grace=0)
        await cluster.until(lambda: cluster.node_of("p") == "d")
        assert not cluster.get("resourceclaims", "one").get("status", {}).get("allocation")
