"""Each fault changes what it says, and nothing else."""

import asyncio

import pytest

from bot.local.cluster.simulator import Faults
from tests.local.cluster.simulator.helpers import GPU, a_gpu_node, a_world

PODS = ("on-three", "on-two")


async def a_small_fleet(world):
    await world.run("on-three", gpus=3, node="gpu-1")
    await world.ready("on-three")
    await world.run("on-two", gpus=2, node="gpu-1")
    await world.run("elsewhere", gpus=1, node="gpu-2")
    await world.ready("on-two", "elsewhere")


async def changed(world, before):
    after = await world.everything()
    return {name for name in after if after[name] != before.get(name)}


async def counts(world, node="gpu-1"):
    status = (await world.node(node))["status"]
    return status["capacity"].get(GPU), status["allocatable"].get(GPU)


async def node_conditions(world, node="gpu-1"):
    return {c["type"]: c["status"] for c in (await world.node(node))["status"]["conditions"]}


def a_fleet_of_two(speed=200.0):
    return a_world(a_gpu_node("gpu-1"), a_gpu_node("gpu-2"), speed=speed)


@pytest.mark.parametrize(
    ("xid", "types"),
    [
        pytest.param(94, {"XIDErrors"}, id="contained memory error"),
        pytest.param(79, {"XIDErrors", "GPUMissing"}, id="off the bus"),
    ],
)
async def test_gpu_lost_and_repaired(xid, types):
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        before = await world.everything()
        world.clock.set_speed(1)
        await world.faults.gpu_lost("gpu-1", 4, xid)
        assert await changed(world, before) == {"gpu-1", "on-two"}
        assert await counts(world) == ("8", "7")
        assert {t for t, status in (await node_conditions(world)).items() if status == "True"} == {"Ready", *types}
        assert (await world.status("on-two"))[1:3] == (False, "CrashLoopBackOff")
        [event] = await world.events("XIDError")
        assert f": {xid}, " in event
        resources = (await world.pod("on-two"))["status"]["containerStatuses"][0]["allocatedResourcesStatus"]
        assert [r["health"] for r in resources[0]["resources"]] == ["Healthy", "Unhealthy"]
        world.clock.set_speed(200)
        await world.faults.gpu_repaired("gpu-1", 4)
        await world.ready("on-two")
        assert await counts(world) == ("8", "8")
        assert not types & (await node_conditions(world)).keys()


async def test_a_gpu_that_is_not_there_cannot_be_lost():
    async with a_fleet_of_two() as world:
        with pytest.raises(ValueError, match="gpu-1 has no GPU 8"):
            await world.faults.gpu_lost("gpu-1", 8)
        with pytest.raises(KeyError):
            await world.faults.gpu_lost("gpu-9", 0)


async def test_a_lost_gpu_of_a_dra_node_leaves_its_slice():
    async with a_world(a_gpu_node("dra-1", strategy="dra", gpus=2)) as world:
        await world.faults.gpu_lost("dra-1", 1)
        [found] = (await world.client.list("/apis/resource.k8s.io/v1/resourceslices"))[0]
        assert [device["name"] for device in found["spec"]["devices"]] == ["gpu-0"]
        assert found["spec"]["pool"]["generation"] == 2


async def test_device_plugin_stopped_and_started():
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        before = await world.everything()
        await world.faults.device_plugin_stopped("gpu-1")
        assert await counts(world) == ("0", "0")
        assert await changed(world, before) == {"gpu-1"}
        await world.faults.device_plugin_started("gpu-1")
        assert await changed(world, before) == set()


async def test_driver_upgrade_cordons_with_the_operators_labels():
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        before = await world.everything()
        await world.faults.driver_upgrade("gpu-1")
        node = await world.node("gpu-1")
        assert node["spec"]["unschedulable"]
        assert node["metadata"]["labels"]["nvidia.com/gpu-driver-upgrade-state"] == "pod-restart-required"
        assert await changed(world, before) == {"gpu-1"}
        assert len(await world.events("GPUDriverUpgrade")) == 1
        await world.faults.driver_upgraded("gpu-1")
        node = await world.node("gpu-1")
        assert not node["spec"].get("unschedulable")
        assert node["metadata"]["labels"]["nvidia.com/gpu-driver-upgrade-state"] == "upgrade-done"


async def test_node_not_ready_and_back():
    async with a_fleet_of_two() as world:
        world.simulator.begin_heartbeats()
        await a_small_fleet(world)
        await asyncio.gather(*(wait_for_lease(world, name) for name in ("gpu-1", "gpu-2")))
        await world.faults.node_not_ready("gpu-1")

        async def unknown():
            return (await node_conditions(world))["Ready"] == "Unknown"

        await world.until(unknown)
        assert (await node_conditions(world, "gpu-2"))["Ready"] == "True"
        await world.until(lambda: is_ready(world, "on-two", False))
        assert (await world.status("elsewhere"))[1]
        await world.faults.node_ready("gpu-1")
        assert (await node_conditions(world))["Ready"] == "True"
        await world.ready(*PODS)


async def test_node_reboot_changes_the_boot_id_and_restarts_what_ran():
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        before = (await world.node("gpu-1"))["status"]["nodeInfo"]["bootID"]
        await world.faults.node_reboot("gpu-1", down_seconds=20)

        async def rebooted():
            return (await world.node("gpu-1"))["status"]["nodeInfo"]["bootID"] != before

        await world.until(rebooted)
        for name in PODS:
            await world.until(lambda name=name: is_restarted(world, name))
        assert (await world.status("elsewhere"))[3] == 0
        assert len(await world.events("Rebooted")) == 1


async def test_image_pull_failure_and_its_end():
    async with a_fleet_of_two() as world:
        await world.faults.image_pull_failure("default", "bad", "403 Forbidden")
        await world.run("bad-1")
        await world.run("good-1")
        await world.ready("good-1")

        async def stuck():
            return (await world.status("bad-1"))[2] in ("ErrImagePull", "ImagePullBackOff")

        await world.until(stuck)
        assert any("403 Forbidden" in text for text in await world.events("Failed"))
        await world.faults.clear("default", "bad")
        await world.ready("bad-1")


async def test_crash_loop_and_its_end():
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        before = await world.everything()
        world.clock.set_speed(1)
        await world.faults.crash_loop("default", "on-two", exit_code=3, message="no such file")
        assert await changed(world, before) == {"on-two"}
        last = (await world.pod("on-two"))["status"]["containerStatuses"][0]["lastState"]["terminated"]
        assert (last["exitCode"], last["message"]) == (3, "no such file")
        world.clock.set_speed(200)
        await world.faults.clear("default", "on-two")
        await world.ready("on-two")


async def test_oom_kill_happens_once():
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        await world.faults.oom_kill("default", "on-two")
        await world.until(lambda: is_restarted(world, "on-two"))
        last = (await world.pod("on-two"))["status"]["containerStatuses"][0]["lastState"]["terminated"]
        assert (last["reason"], last["exitCode"]) == ("OOMKilled", 137)


async def test_stuck_terminating_until_it_is_cleared():
    async with a_fleet_of_two() as world:
        await a_small_fleet(world)
        await world.faults.stuck_terminating("default", "on-two")
        await asyncio.sleep(0.1)  # twenty cluster seconds: any other pod would have gone
        assert (await world.pod("on-two"))["metadata"]["deletionTimestamp"]
        await world.faults.clear("default", "on-two")

        async def gone():
            pods, _ = await world.client.list("/api/v1/pods")
            return "on-two" not in [pod["metadata"]["name"] for pod in pods]

        await world.until(gone)


async def test_faults_can_be_played_by_name():
    async with a_fleet_of_two() as world:
        await world.faults.play("gpu_lost", node="gpu-2", gpu=0)
        assert await counts(world, "gpu-2") == ("8", "7")
        with pytest.raises(ValueError, match="no fault named 'earthquake'"):
            await world.faults.play("earthquake")


def test_all_faults_have_names():
    public = {name for name in vars(Faults) if not name.startswith("_")} - {"names", "play"}
    assert set(Faults.names()) == public


async def is_ready(world, name, expected):
    return (await world.status(name))[1] is expected


async def is_restarted(world, name):
    _, ready, _, restarts = await world.status(name)
    return ready and restarts == 1


async def wait_for_lease(world, name):
    async def there():
        leases, _ = await world.client.list("/apis/coordination.k8s.io/v1/leases")
        return name in [lease["metadata"]["name"] for lease in leases]

    await world.until(there)
