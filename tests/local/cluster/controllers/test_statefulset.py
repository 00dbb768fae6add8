from tests.local.cluster.controllers.helpers import a_cluster, a_node, a_spec, a_workload


def order(cluster, type_):
    found = (c for c in cluster.changes if c.resource.plural == "pods" and c.type == type_)
    return [change.new["metadata"]["name"] for change in found]


def ready(cluster, count):
    return cluster.get("statefulsets", "db")["status"].get("readyReplicas") == count


async def test_pods_come_one_after_another_and_carry_their_number():
    async with a_cluster(a_node(gpus=2)) as cluster:
        cluster.add("statefulsets", a_workload("db", replicas=3, template=a_spec(gpus=1)))
        await cluster.until(lambda: ready(cluster, 2) and cluster.message("db-2"))
        assert order(cluster, "ADDED") == ["db-0", "db-1", "db-2"]
        labels = cluster.get("pods", "db-1")["metadata"]["labels"]
        assert labels["statefulset.kubernetes.io/pod-name"] == "db-1"
        assert labels["apps.kubernetes.io/pod-index"] == "1"


async def test_the_next_waits_until_the_one_before_is_ready():
    async with a_cluster(a_node(gpus=4)) as cluster:
        cluster.add("statefulsets", a_workload("db", replicas=3, template=a_spec(gpus=5)))
        await cluster.until(lambda: cluster.message("db-0"))
        assert cluster.names("pods") == ["db-0"]


async def test_parallel_pods_come_at_once():
    async with a_cluster() as cluster:
        cluster.add("statefulsets", a_workload("db", replicas=3, podManagementPolicy="Parallel"))
        await cluster.until(lambda: cluster.names("pods") == ["db-0", "db-1", "db-2"])


async def test_scaling_down_starts_at_the_highest():
    async with a_cluster(a_node()) as cluster:
        cluster.add("statefulsets", a_workload("db", replicas=3))
        await cluster.until(lambda: ready(cluster, 3))
        cluster.change("statefulsets", "db", replicas=1)
        await cluster.until(lambda: cluster.names("pods") == ["db-0"])
        assert order(cluster, "DELETED") == ["db-2", "db-1"]


async def test_an_update_goes_from_the_highest_down_to_the_partition():
    async with a_cluster(a_node()) as cluster:
        partition = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
        cluster.add("statefulsets", a_workload("db", replicas=3, updateStrategy=partition))
        await cluster.until(lambda: ready(cluster, 3))
        template = {"metadata": {"labels": {"app": "db"}}, "spec": a_spec(cpu="200m")}
        cluster.change("statefulsets", "db", template=template)
        await cluster.until(lambda: cluster.get("statefulsets", "db")["status"]["updatedReplicas"] == 2)
        await cluster.until(lambda: ready(cluster, 3))
        assert order(cluster, "DELETED") == ["db-2", "db-1"]
        assert len(cluster.all("controllerrevisions")) == 2


async def test_a_failed_pod_is_made_anew():
    async with a_cluster(a_node()) as cluster:
        cluster.add("statefulsets", a_workload("db"))
        await cluster.until(lambda: ready(cluster, 1))
        before = cluster.get("pods", "db-0")["metadata"]["uid"]
        cluster.finish("db-0", "Failed")
        await cluster.until(lambda: ready(cluster, 1) and cluster.get("pods", "db-0")["metadata"]["uid"] != before)
