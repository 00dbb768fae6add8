from tests.local.cluster.controllers.helpers import a_cluster, a_node, a_pod, resource

PREFIX = "node.kubernetes.io"


def taints(cluster, name="n1"):
    return sorted((t["key"], t["effect"]) for t in cluster.get("nodes", name, "")["spec"].get("taints", []))


def set_ready(cluster, status):
    node = cluster.get("nodes", "n1", "")
    new = {**node, "status": {**node["status"], "conditions": [{"type": "Ready", "status": status}]}}
    cluster.store.update(resource("nodes"), "", "n1", new, subresource="status")


def a_lease(seconds):
    spec = {"holderIdentity": "n1", "leaseDurationSeconds": seconds, "renewTime": "2026-01-01T00:00:00.000000Z"}
    return {"metadata": {"name": "n1"}, "spec": spec}


async def test_cordon_is_a_taint_too_and_other_taints_stay():
    other = {"key": "dedicated", "value": "train", "effect": "NoSchedule"}
    async with a_cluster(a_node(taints=[other])) as cluster:
        node = cluster.get("nodes", "n1", "")
        cordoned = {**node, "spec": {**node["spec"], "unschedulable": True}}
        cluster.store.update(resource("nodes"), "", "n1", cordoned)
        both = [("dedicated", "NoSchedule"), (f"{PREFIX}/unschedulable", "NoSchedule")]
        await cluster.until(lambda: taints(cluster) == both)
        node = cluster.get("nodes", "n1", "")
        spec = {k: v for k, v in node["spec"].items() if k != "unschedulable"}
        cluster.store.update(resource("nodes"), "", "n1", {**node, "spec": spec})
        await cluster.until(lambda: taints(cluster) == both[:1])


async def test_a_node_that_says_it_is_not_ready_gets_both_taints_and_its_pods_are_unready():
    async with a_cluster(a_node()) as cluster:
        cluster.add("pods", a_pod())
        await cluster.until(lambda: cluster.get("pods", "p")["status"]["phase"] == "Running")
        set_ready(cluster, "False")
        key = f"{PREFIX}/not-ready"
        await cluster.until(lambda: taints(cluster) == [(key, "NoExecute"), (key, "NoSchedule")])
        ready = next(c for c in cluster.get("pods", "p")["status"]["conditions"] if c["type"] == "Ready")
        assert ready["status"] == "False"
        set_ready(cluster, "True")
        await cluster.until(lambda: taints(cluster) == [])


async def test_a_silent_kubelet_is_given_up_after_its_lease():
    async with a_cluster(a_node(), speed=1000) as cluster:
        cluster.add("namespaces", {"metadata": {"name": "kube-node-lease"}})
        cluster.add("leases", a_lease(40), "kube-node-lease")
        key = f"{PREFIX}/unreachable"
        await cluster.until(lambda: taints(cluster) == [(key, "NoExecute"), (key, "NoSchedule")])
        ready = next(c for c in cluster.get("nodes", "n1", "")["status"]["conditions"] if c["type"] == "Ready")
        assert (ready["status"], ready["reason"]) == ("Unknown", "NodeStatusUnknown")


async def test_a_clock_that_jumps_condemns_nobody():
    async with a_cluster(a_node(), speed=1) as cluster:
        cluster.add("namespaces", {"metadata": {"name": "kube-node-lease"}})
        cluster.add("leases", a_lease(40), "kube-node-lease")
        for _ in range(3):
            cluster.clock.move_to(cluster.clock.now().replace(year=cluster.clock.now().year + 1))
            await cluster.calm()
        assert taints(cluster) == []


async def test_pods_leave_an_unreachable_node_after_their_toleration():
    async with a_cluster(a_node(), speed=2000) as cluster:
        cluster.add("pods", a_pod())
        everything = [{"operator": "Exists"}]
        cluster.add("pods", a_pod("daemon", tolerations=everything))
        await cluster.until(lambda: cluster.node_of("p") and cluster.node_of("daemon"))
        set_ready(cluster, "Unknown")
        await cluster.until(lambda: cluster.names("pods") == ["daemon"])
        assert cluster.events("TaintManagerEviction") == ["Marking for deletion Pod default/p"]


async def test_pods_of_a_node_that_is_gone_are_collected():
    async with a_cluster(a_node()) as cluster:
        cluster.add("pods", a_pod())
        await cluster.until(lambda: cluster.node_of("p"))
        cluster.kubelet = False
        cluster.store.delete(resource("nodes"), "", "n1")
        await cluster.until(lambda: not cluster.all("pods"))
