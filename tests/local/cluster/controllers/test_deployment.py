import pytest

from tests.local.cluster.controllers.helpers import a_cluster, a_node, a_spec, a_workload

REVISION = "deployment.kubernetes.io/revision"


def template(image):
    spec = a_spec()
    spec["containers"][0]["image"] = image
    return {"metadata": {"labels": {"app": "web"}}, "spec": spec}


def conditions(cluster, name="web"):
    found = cluster.get("deployments", name)["status"].get("conditions", [])
    return {c["type"]: (c["status"], c["reason"]) for c in found}


async def a_running(cluster, **spec):
    cluster.add("deployments", a_workload("web", replicas=4, **spec))
    await cluster.until(lambda: cluster.get("deployments", "web")["status"].get("availableReplicas") == 4)


def done(cluster):
    return (
        conditions(cluster)["Progressing"] == ("True", "NewReplicaSetAvailable")
        and cluster.get("deployments", "web")["status"]["observedGeneration"]
        == cluster.get("deployments", "web")["metadata"]["generation"]
    )


async def test_one_replica_set_a_template_with_its_hash_in_name_and_labels():
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster)
        [found] = cluster.all("replicasets")
        label = found["metadata"]["labels"]["pod-template-hash"]
        assert found["metadata"]["name"] == f"web-{label}"
        assert found["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": label}
        assert all(pod["metadata"]["labels"]["pod-template-hash"] == label for pod in cluster.all("pods"))
        assert conditions(cluster) == {
            "Available": ("True", "MinimumReplicasAvailable"),
            "Progressing": ("True", "NewReplicaSetAvailable"),
        }


@pytest.mark.parametrize(
    ("rolling", "fewest", "most"),
    [
        pytest.param({"maxSurge": 1, "maxUnavailable": 0}, 4, 5, id="never fewer than all"),
        pytest.param({"maxSurge": 0, "maxUnavailable": 1}, 3, 4, id="never more than all"),
        pytest.param({"maxSurge": 2, "maxUnavailable": 2}, 2, 6, id="both"),
    ],
)
async def test_a_rolling_update_stays_within_its_limits(rolling, fewest, most):
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster, strategy={"type": "RollingUpdate", "rollingUpdate": rolling})
        ready, wanted = {p["metadata"]["name"] for p in cluster.all("pods")}, set(cluster.names("pods"))
        seen = []

        def count(change):
            if change.resource.plural == "pods":
                name, obj = change.new["metadata"]["name"], change.new
                up = change.type != "DELETED" and not obj["metadata"].get("deletionTimestamp")
                is_ready = any(c["type"] == "Ready" for c in obj["status"].get("conditions", []))
                (wanted.add if up else wanted.discard)(name)
                (ready.add if up and is_ready else ready.discard)(name)
                seen.append((len(ready), len(wanted)))

        cluster.store.subscribe(count)
        cluster.change("deployments", "web", template=template("app:2"))
        await cluster.until(lambda: done(cluster))
        assert min(r for r, _ in seen) >= fewest
        assert max(w for _, w in seen) <= most
        assert {p["spec"]["containers"][0]["image"] for p in cluster.all("pods")} == {"app:2"}


async def test_recreate_ends_all_old_pods_first():
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster, strategy={"type": "Recreate"})
        old = set(cluster.names("pods"))
        cluster.changes.clear()
        cluster.change("deployments", "web", template=template("app:2"))
        await cluster.until(lambda: done(cluster))
        order = [(c.type, c.new["metadata"]["name"]) for c in cluster.changes if c.resource.plural == "pods"]
        first_new = next(i for i, (type_, name) in enumerate(order) if type_ == "ADDED")
        assert {name for type_, name in order[:first_new] if type_ == "DELETED"} == old


async def test_going_back_to_an_old_template_takes_its_replica_set_up_again():
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster)
        first = cluster.names("replicasets")[0]
        old = cluster.get("deployments", "web")["spec"]["template"]
        cluster.change("deployments", "web", template=template("app:2"))
        await cluster.until(lambda: done(cluster))
        cluster.change("deployments", "web", template=old)
        await cluster.until(lambda: done(cluster) and cluster.get("replicasets", first)["spec"]["replicas"] == 4)
        notes = cluster.get("replicasets", first)["metadata"]["annotations"]
        assert (notes[REVISION], notes[f"{REVISION}-history"]) == ("3", "1")
        assert cluster.get("deployments", "web")["metadata"]["annotations"][REVISION] == "3"
        assert len(cluster.all("replicasets")) == 2


async def test_old_replica_sets_beyond_the_limit_go():
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster, revisionHistoryLimit=1)
        for number in (2, 3, 4):
            cluster.change("deployments", "web", template=template(f"app:{number}"))
            await cluster.until(lambda: done(cluster))
        assert len(cluster.all("replicasets")) == 2


async def test_a_paused_deployment_scales_but_does_not_roll():
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster)
        cluster.change("deployments", "web", paused=True, template=template("app:2"), replicas=6)
        await cluster.until(lambda: len(cluster.all("pods")) == 6)
        assert {p["spec"]["containers"][0]["image"] for p in cluster.all("pods")} == {"app:1"}


async def test_no_progress_within_the_deadline_is_told():
    async with a_cluster(a_node(), speed=5000) as cluster:
        cluster.add("deployments", a_workload("web", template=a_spec(gpus=1), progressDeadlineSeconds=600))
        await cluster.until(lambda: conditions(cluster)["Progressing"] == ("False", "ProgressDeadlineExceeded"))
        assert conditions(cluster)["Available"] == ("False", "MinimumReplicasUnavailable")


async def test_scaling_down_ends_unready_pods_first():
    async with a_cluster(a_node(gpus=2)) as cluster:
        cluster.add("deployments", a_workload("web", replicas=3, template=a_spec(gpus=1)))
        await cluster.until(lambda: cluster.get("deployments", "web")["status"].get("readyReplicas") == 2)
        pending = next(p["metadata"]["name"] for p in cluster.all("pods") if not p["spec"].get("nodeName"))
        cluster.change("deployments", "web", replicas=2)
        await cluster.until(lambda: len(cluster.all("pods")) == 2)
        assert pending not in cluster.names("pods")


async def test_a_pod_that_is_lost_is_replaced_and_all_goes_with_the_deployment():
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster)
        cluster.delete("pods", cluster.names("pods")[0])
        await cluster.until(lambda: len(cluster.all("pods")) == 4)
        cluster.delete("deployments", "web")
        await cluster.until(lambda: not cluster.all("pods"))
        assert not cluster.all("replicasets")


async def test_recreate_goes_on_when_the_last_old_pod_ends_long_after_its_replica_set_was_emptied():
    """Nothing but the pod's deletion tells then: a ReplicaSet does not count pods that are ending."""
    async with a_cluster(a_node()) as cluster:
        await a_running(cluster, strategy={"type": "Recreate"}, progressDeadlineSeconds=100_000)
        old = cluster.names("pods")
        cluster.kubelet = False
        cluster.change("deployments", "web", template=template("app:2"))
        await cluster.until(lambda: all(pod["metadata"].get("deletionTimestamp") for pod in cluster.all("pods")))
        assert cluster.names("pods") == old
        cluster.kubelet = True
        for name in old:
            cluster.delete("pods", name, grace=0)
        await cluster.until(lambda: done(cluster))
        assert {pod["spec"]["containers"][0]["image"] for pod in cluster.all("pods")} == {"app:2"}
