import pytest

from tests.local.cluster.simulator.helpers import GPU, a_gpu_node, a_world


async def test_a_pod_becomes_ready_with_all_that_a_kubelet_writes():
    async with a_world(a_gpu_node()) as world:
        await world.run("p", gpus=2)
        await world.ready("p")
        status = (await world.pod("p"))["status"]
        conditions = {c["type"]: c["status"] for c in status["conditions"]}
        names = ("PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
        assert conditions == dict.fromkeys(names, "True")
        [container] = status["containerStatuses"]
        assert container["imageID"].startswith("app:1@sha256:")
        assert container["containerID"].startswith("containerd://")
        [devices] = container["allocatedResourcesStatus"]
        assert devices["name"] == GPU
        assert [device["health"] for device in devices["resources"]] == ["Healthy", "Healthy"]
        for reason in ("Scheduled", "Pulling", "Pulled", "Created", "Started"):
            assert len(await world.events(reason)) == 1


async def test_slow_stages_can_be_seen():
    async with a_world(a_gpu_node(), speed=1) as world:
        await world.run("p")
        await world.until(lambda: is_status(world, "p", ("Pending", False, "ContainerCreating", 0)))
        world.clock.set_speed(500)
        await world.ready("p")


async def test_a_job_ends_by_itself():
    async with a_world(a_gpu_node(), speed=1000) as world:
        template = {
            "metadata": {"annotations": {"gpubot.dev/sim-run-seconds": "60"}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "app:1"}]},
        }
        path = "/apis/batch/v1/namespaces/default/jobs"
        await world.client.create(path, {"metadata": {"name": "j"}, "spec": {"template": template}})

        async def complete():
            status = (await world.client.get(f"{path}/j")).get("status", {})
            return any(c["type"] == "Complete" for c in status.get("conditions", []))

        await world.until(complete)


async def test_a_deleted_pod_goes_after_its_grace():
    async with a_world(a_gpu_node(), speed=1) as world:
        world.clock.set_speed(200)
        await world.run("p")
        await world.ready("p")
        world.clock.set_speed(1)
        await world.client.delete("/api/v1/namespaces/default/pods/p")
        assert (await world.pod("p"))["metadata"]["deletionTimestamp"]
        world.clock.set_speed(200)
        await world.until(lambda: is_gone(world, "p"))


async def test_a_pod_pinned_to_a_node_without_free_devices_is_turned_down():
    async with a_world(a_gpu_node()) as world:
        await world.run("p", gpus=8)
        await world.ready("p")
        await world.run("q", gpus=1, node="gpu-1")
        await world.until(lambda: is_status(world, "q", ("Failed", False, "", 0)))
        status = (await world.pod("q"))["status"]
        assert status["reason"] == "UnexpectedAdmissionError"
        assert "Requested: 1, Available: 0" in status["message"]


async def test_a_node_looks_like_one_and_is_missed_when_silent():
    async with a_world(a_gpu_node(), speed=200) as world:
        world.simulator.begin_heartbeats()
        node = await world.node("gpu-1")
        assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.36.3"
        assert {a["type"] for a in node["status"]["addresses"]} == {"InternalIP", "Hostname"}
        assert node["status"]["capacity"]["cpu"] == "64"
        assert node["status"]["allocatable"]["cpu"] == "63"
        await world.until(lambda: has_lease(world, "gpu-1"))


async def test_the_watch_is_taken_up_again_after_the_server_dropped_it():
    async with a_world(a_gpu_node()) as world:
        await world.run("p")
        await world.ready("p")
        world.server.drop_watches()
        world.server.compact()
        await world.run("q")
        await world.ready("q")


async def test_registering_again_is_no_error():
    async with a_world(a_gpu_node()) as world:
        await world.simulator.add_nodes([a_gpu_node()])
        assert (await world.node("gpu-1"))["status"]["allocatable"][GPU] == "8"


@pytest.mark.parametrize("count", [pytest.param(120, id="many nodes")])
async def test_many_pods_are_ready_soon(count):
    nodes = [a_gpu_node(f"n-{i}", pool=f"pool-{i % 3}") for i in range(count)]
    async with a_world(*nodes, speed=1000) as world:
        template = {
            "metadata": {"labels": {"app": "d"}},
            "spec": {"containers": [{"name": "c", "image": "app:1", "resources": {"limits": {GPU: "1"}}}]},
        }
        spec = {"replicas": count * 4, "selector": {"matchLabels": {"app": "d"}}, "template": template}
        path = "/apis/apps/v1/namespaces/default/deployments"
        await world.client.create(path, {"metadata": {"name": "d"}, "spec": spec})

        async def all_ready():
            return (await world.client.get(f"{path}/d"))["status"].get("readyReplicas") == count * 4

        await world.until(all_ready, seconds=30, every=0.1)
        pods, _ = await world.client.list("/api/v1/pods")
        homes = [pod["spec"]["nodeName"] for pod in pods]
        assert len(set(homes)) == count / 2, "GPUs are packed"


async def is_status(world, name, expected):
    return await world.status(name) == expected


async def is_gone(world, name):
    pods, _ = await world.client.list("/api/v1/pods")
    return name not in [pod["metadata"]["name"] for pod in pods]


async def has_lease(world, name):
    leases, _ = await world.client.list("/apis/coordination.k8s.io/v1/leases")
    return [lease["metadata"]["name"] for lease in leases] == [name]
