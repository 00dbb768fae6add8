"""Faults by name: what breaks in GPU clusters, as the Kubernetes API shows it. Each returns once it shows there."""

from collections.abc import Awaitable, Callable
from typing import Any

from bot.local.cluster.simulator.driver_upgrade import begin_upgrade, finish_upgrade
from bot.local.cluster.simulator.gpu_loss import lose_gpu, repair_gpu
from bot.local.cluster.simulator.heartbeat import give_up, report_node
from bot.local.cluster.simulator.lifecycle import crash, reboot
from bot.local.cluster.simulator.pod_run import LASTING, RUNS, Stage, Trouble
from bot.local.cluster.simulator.simulator import Simulator
from bot.local.cluster.simulator.troubles import Rule
from bot.local.engine.endings import ENDINGS

NO_SUCH_IMAGE = "failed to resolve reference: not found"
DOWN_SECONDS = 90.0


class Faults:
    """Names of nodes and pods are those of the cluster. KeyError: no such node; ValueError: no such GPU or fault.

    `name` of a pod also stands for all pods whose name goes on after a dash: a Deployment's, say, and its future ones.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    @staticmethod
    def names() -> list[str]:
        return sorted(FAULTS)

    async def play(self, fault: str, **arguments: Any) -> None:
        """A fault by its name, as scripts have it."""
        if fault not in FAULTS:
            raise ValueError(f"there is no fault named {fault!r}: {', '.join(self.names())}")
        await FAULTS[fault](self, **arguments)

    # GPUs

    async def gpu_lost(self, node: str, gpu: int, xid: int = 79) -> None:
        """The device plugin marks the GPU unhealthy, a detector says why, the processes on it die."""
        await lose_gpu(self._simulator, node, gpu, xid)

    async def gpu_repaired(self, node: str, gpu: int) -> None:
        await repair_gpu(self._simulator, node, gpu)

    async def device_plugin_stopped(self, node: str) -> None:
        """Capacity and allocatable fall to 0; pods that run keep what they have."""
        await self._plugin(node, running=False)

    async def device_plugin_started(self, node: str) -> None:
        await self._plugin(node, running=True)

    async def driver_upgrade(self, node: str) -> None:
        """The GPU Operator cordons the node for a new driver."""
        await begin_upgrade(self._simulator, node)

    async def driver_upgraded(self, node: str) -> None:
        await finish_upgrade(self._simulator, node)

    # nodes

    async def node_not_ready(self, node: str) -> None:
        """The kubelet falls silent: after the grace period the node controller says so."""
        machine = self._simulator.machine(node)[1]
        machine.alive = False
        if not self._simulator.beating:  # nobody would miss it: the verdict is written in the controller's place
            await give_up(self._simulator.client, machine, self._simulator.clock.now())

    async def node_ready(self, node: str) -> None:
        """The kubelet is back."""
        group, machine = self._simulator.machine(node)

        async def report() -> None:
            machine.alive = machine.ready = True
            await report_node(self._simulator.client, machine, self._simulator.clock.now())
            group.catch_up(machine)

        await group.done(report)

    async def node_reboot(self, node: str, down_seconds: float = DOWN_SECONDS) -> None:
        """Silent for a while, then a new boot id, and every container starts anew. Returns when it goes down."""
        group, machine = self._simulator.machine(node)
        machine.alive = False

        async def up() -> None:
            now = self._simulator.clock.now()
            machine.boot += 1
            machine.alive = machine.ready = True
            for run in machine.pods.values():
                reboot(run, now)
            await report_node(self._simulator.client, machine, now)
            about = {"kind": "Node", "metadata": {"name": node, "uid": node}}
            text = f"Node {node} has been rebooted, boot id: {machine.boot_id}"
            await self._simulator.reporter.report(about, "kubelet", "Rebooted", text, warning=True, host=node)
            group.catch_up(machine)

        group.do_after(down_seconds, up)

    # pods

    async def image_pull_failure(self, namespace: str, name: str, message: str = NO_SUCH_IMAGE, node: str = "") -> None:
        """The image cannot be had; pods that run already are not disturbed."""
        await self._afflict(Rule(namespace, name, Trouble("image-pull", message=message), node))

    async def crash_loop(
        self, namespace: str, name: str, exit_code: int = 1, message: str = "", node: str = ""
    ) -> None:
        """The container ends soon after each start."""
        await self._afflict(Rule(namespace, name, Trouble("crash-loop", "Error", exit_code, message), node))

    async def oom_kill(self, namespace: str, name: str, node: str = "") -> None:
        """The kernel kills the container once; it starts again."""
        trouble = Trouble("oom-kill", "OOMKilled", 137, once=True)
        await self._afflict(Rule(namespace, name, trouble, node), lasting=False)

    async def engine_end(self, namespace: str, name: str, how: str, node: str = "", *, once: bool = False) -> None:
        """Engines end as `bot.local.engine.endings` names it, at each start or only now. ValueError: no such end."""
        if how not in ENDINGS:
            raise ValueError(f"no engine ends with {how!r}: {', '.join(ENDINGS)}")
        ending = ENDINGS[how]
        trouble = Trouble("crash-loop", ending.reason, ending.exit_code, once=once, ending=how)
        await self._afflict(Rule(namespace, name, trouble, node), lasting=not once)

    async def engine_fault(self, namespace: str, name: str, **faults: Any) -> None:
        """What is wrong with engines that run (`bot.local.engine.Faults`), until they start anew or are cleared."""
        for key in self._caught(Rule(namespace, name, Trouble(""))):
            if engine := self._simulator.host.of(*key):
                engine.breaks(**faults)

    async def stuck_terminating(self, namespace: str, name: str) -> None:
        """The pod is deleted, but its container cannot be killed."""
        await self._afflict(Rule(namespace, name, Trouble("stuck")), lasting=False)
        for key in self._caught(Rule(namespace, name, Trouble("stuck"))):
            await self._simulator.client.delete(f"/api/v1/namespaces/{key[0]}/pods/{key[1]}")

    async def clear(self, namespace: str, name: str) -> None:
        """The trouble of these pods is over: what waits tries again at once."""
        self._simulator.troubles.remove(namespace, name)
        for key in self._caught(Rule(namespace, name, Trouble(""))):
            await self._relieve(key)
            if engine := self._simulator.host.of(*key):
                engine.heals()

    async def _relieve(self, key: tuple[str, str]) -> None:
        for group in self._simulator.groups.values():
            if found := group.find(key):
                machine, run = found
                run.trouble = None
                waits = run.stage in LASTING and run.until is not None and run.stage is not Stage.READY
                if waits or run.stage is Stage.ENDING:
                    run.until = self._simulator.clock.now()
                    group.settle(machine, run, ())

    async def _afflict(self, rule: Rule, *, lasting: bool = True) -> None:
        if lasting:
            self._simulator.troubles.add(rule)
        for group in self._simulator.groups.values():
            for machine in group.machines.values():
                for run in [run for run in machine.pods.values() if rule.catches(*run.key, machine.name)]:
                    run.trouble = rule.trouble
                    if run.stage in RUNS and run.suffers("crash-loop", "oom-kill"):
                        group.settle(machine, run, crash(run, rule.trouble, self._simulator.clock.now()))
            await group.done(_nothing)

    def _caught(self, rule: Rule) -> list[tuple[str, str]]:
        machines = (m for group in self._simulator.groups.values() for m in group.machines.values())
        return [run.key for m in machines for run in m.pods.values() if rule.catches(*run.key, m.name)]

    async def _plugin(self, node: str, *, running: bool) -> None:
        group, machine = self._simulator.machine(node)
        machine.plugin_running = running
        await group.done(lambda: report_node(self._simulator.client, machine, self._simulator.clock.now()))


async def _nothing() -> None:
    """Waited for in a group's turn: all that was asked before it is done then."""


FAULTS: dict[str, Callable[..., Awaitable[None]]] = {
    method.__name__: method
    for method in (
        Faults.gpu_lost, Faults.gpu_repaired, Faults.device_plugin_stopped, Faults.device_plugin_started,
        Faults.driver_upgrade, Faults.driver_upgraded, Faults.node_not_ready, Faults.node_ready, Faults.node_reboot,
        Faults.image_pull_failure, Faults.crash_loop, Faults.oom_kill, Faults.stuck_terminating, Faults.clear,
        Faults.engine_end, Faults.engine_fault,
    )
}  # fmt: skip
