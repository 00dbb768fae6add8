from tests.local.cluster.controllers.helpers import a_cluster, a_node, a_spec, a_workload, resource

TAINT = {"key": "dedicated", "value": "train", "effect": "NoSchedule"}


def a_daemon(**spec):
    found = a_workload("agent", template=a_spec(**spec))
    del found["spec"]["replicas"]
    return found


def homes(cluster):
    return sorted(pod["spec"].get("nodeName", "-") for pod in cluster.all("pods"))


async def test_one_pod_on_each_node_that_suits_even_if_cordoned():
    nodes = [a_node("a"), a_node("b", taints=[TAINT]), a_node("c", unschedulable=True), a_node("d", labels={"os": "x"})]
    async with a_cluster(*nodes) as cluster:
        cluster.add("daemonsets", a_daemon())
        await cluster.until(lambda: cluster.get("daemonsets", "agent")["status"]["numberReady"] == 3)
        assert homes(cluster) == ["a", "c", "d"]


async def test_a_new_node_gets_one_and_a_node_that_no_longer_suits_loses_it():
    async with a_cluster(a_node("a", labels={"gpu": "yes"})) as cluster:
        cluster.add("daemonsets", a_daemon(nodeSelector={"gpu": "yes"}))
        await cluster.until(lambda: homes(cluster) == ["a"])
        cluster.add("nodes", a_node("b", labels={"gpu": "yes"}))
        await cluster.until(lambda: homes(cluster) == ["a", "b"])
        node = cluster.get("nodes", "a")
        changed = {**node, "metadata": {**node["metadata"], "labels": {}}}
        cluster.store.update(resource("nodes"), "", "a", changed)
        await cluster.until(lambda: homes(cluster) == ["b"])


async def test_a_full_node_says_so_for_its_own_pod_only():
    async with a_cluster(a_node("a", cpu="1"), a_node("b")) as cluster:
        cluster.add("daemonsets", a_daemon(cpu="2"))
        await cluster.until(lambda: homes(cluster) == ["-", "b"])
        pending = next(p["metadata"]["name"] for p in cluster.all("pods") if not p["spec"].get("nodeName"))
        await cluster.until(lambda: cluster.message(pending))
        body = "1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]"
        assert cluster.message(pending).startswith(f"0/2 nodes are available: {body}.")


async def test_an_update_replaces_one_after_another():
    async with a_cluster(a_node("a"), a_node("b"), a_node("c")) as cluster:
        cluster.add("daemonsets", a_daemon())
        await cluster.until(lambda: cluster.get("daemonsets", "agent")["status"]["numberReady"] == 3)
        worst = []
        cluster.store.subscribe(
            lambda change: (
                worst.append(change.new["status"]["numberReady"]) if change.resource.plural == "daemonsets" else None
            )
        )
        template = {"metadata": {"labels": {"app": "agent"}}, "spec": a_spec(cpu="200m")}
        cluster.change("daemonsets", "agent", template=template)
        await cluster.until(lambda: cluster.get("daemonsets", "agent")["status"]["updatedNumberScheduled"] == 3)
        assert min(worst) == 2
