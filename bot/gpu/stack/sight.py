"""Everything about one node that faults are found from: its stack's pods and their logs, its kernel, who uses it."""

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from functools import cached_property

from bot.domain.event import Event
from bot.domain.evidence import NO_EVIDENCE, Evidence, LogRef, NodeRef, ObjectRef, Ref
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.domain.words import duration
from bot.gpu.kernel_log import KernelLog
from bot.gpu.kernel_log import read as read_kernel
from bot.gpu.node import inspect
from bot.gpu.plugin_log import Reading, Said, Sign, read
from bot.gpu.policy import Policy
from bot.gpu.reading import cleared
from bot.gpu.row import GpuNode
from bot.gpu.stack.expected import Expected, Fleet, expected, fleet, resource_of
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import asks_gpu, stuck
from bot.gpu.stack.recognise import of_daemonset, of_pod
from bot.gpu.stack.vendor import Vendor, of_resource
from bot.gpu.stack.vendor import of_daemonset as vendor_of

YOUNG_SECONDS = 600.0  # driver, toolkit and plugin need minutes after a boot: nothing is wrong before that
NO_READING = Reading()


@dataclass
class Sight:
    """One node. `evidence` may hold logs of its stack's pods and its kernel messages; what is not there is unknown."""

    view: View
    node: Node
    policy: Policy
    now: datetime
    evidence: Evidence = NO_EVIDENCE
    _: KW_ONLY
    extra: tuple[LogRef, ...] = ()  # logs of other pods there that may tell of the stack
    assumed: bool = False  # nothing says that it has GPUs, nor any other node, and some should
    counted: Fleet | None = None  # where somebody has worked it out already

    @property
    def name(self) -> str:
        return self.node.name

    @cached_property
    def pods(self) -> list[Pod]:
        """Pods on the node that are not finished, by name."""
        return sorted((one for one in self.view.on_node(self.name) if one.occupies), key=lambda one: natural(one.key))

    @cached_property
    def links(self) -> dict[Link, list[Pod]]:
        """Its stack's pods."""
        found: dict[Link, list[Pod]] = {}
        for pod in self.pods:
            if (link := of_pod(pod)) is not None:
                found.setdefault(link, []).append(pod)
        return found

    @cached_property
    def daemonsets(self) -> dict[Link, list[Thing]]:
        """DaemonSets of the stack anywhere in the cluster."""
        found: dict[Link, list[Thing]] = {}
        for thing in sorted(self.view.things("daemonsets").values(), key=lambda one: one.key):
            if (link := of_daemonset(thing)) is not None:
                found.setdefault(link, []).append(thing)
        return found

    @cached_property
    def plugins(self) -> list[Thing]:
        """DaemonSets that run a device plugin for its kind of GPUs."""
        return [one for one in self.daemonsets.get(Link.DEVICE_PLUGIN, ()) if vendor_of(one) is self.vendor]

    @property
    def vendor(self) -> Vendor:
        """Whose GPUs it has."""
        return of_resource(self.resource)

    @cached_property
    def gpus(self) -> GpuNode | None:
        """Its account; None where nothing speaks of GPUs."""
        return inspect(self.view, self.node, self.policy)

    @cached_property
    def expected(self) -> Expected | None:
        return expected(self.fleet, self.node)

    @cached_property
    def fleet(self) -> Fleet:
        return self.counted or fleet(self.view)

    @property
    def resource(self) -> str:
        """The name under which its GPUs are offered, or should be."""
        return resource_of(self.node)

    @cached_property
    def offered(self) -> int:
        """GPUs, slices and shares that it offers now, by any name, devices of a DRA driver included."""
        return sum(row.allocatable for row in self.gpus.rows) if self.gpus else 0

    @cached_property
    def users(self) -> list[Pod]:
        """Pods that hold GPUs by request or claim, the stack's own left out."""
        return [one for one in self.pods if asks_gpu(one) and of_pod(one) is None]

    @cached_property
    def kernel(self) -> KernelLog:
        """Without Xids that the agent says are over: the GPU was reset, or the driver loaded anew."""
        return read_kernel(self.evidence.kernel(self.name), cleared(self.evidence.agent(self.name)))

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """What the logs of its stack's pods say, by the pod's key; of each container the log that says something."""
        found: dict[str, Reading] = {}
        for ref in (*self.logs(), *self.extra):
            reading = read(self.evidence.texts.get(ref, ""))
            if reading.said or ref.namespace + "/" + ref.pod not in found:
                found[f"{ref.namespace}/{ref.pod}"] = reading
        return found

    def logs(self) -> Iterator[LogRef]:
        """Which logs of its stack's pods would tell something, the most telling first."""
        for link in (
            Link.DEVICE_PLUGIN,
            Link.DRIVER,
            Link.MIG_MANAGER,
            Link.TOOLKIT,
            Link.VALIDATOR,
            Link.GPU_FEATURES,
        ):
            for pod in self.links.get(link, ()):
                yield from _logs(pod, always=link in (Link.DEVICE_PLUGIN, Link.MIG_MANAGER))

    def wanted(self) -> tuple[Ref, ...]:
        """Logs, kernel messages and GPU readings of the node, the exporters that were restarted."""
        exporters = (
            ObjectRef("Pod", pod.namespace, pod.name)
            for pod in self.links.get(Link.EXPORTER, ())
            if any(state.restarts for state in pod.states)
        )
        return (*self.logs(), NodeRef("kernel", self.name), NodeRef("agent", self.name), *list(exporters)[:1])

    def said(self, *signs: Sign, links: Iterable[Link] = tuple(Link)) -> tuple[Pod, Said] | None:
        """The first of its stack's pods whose log has one of the signs."""
        for link in links:
            for pod in self.links.get(link, ()):
                if found := self.readings.get(pod.key, NO_READING).find(*signs):
                    return pod, found
        return None

    @cached_property
    def events(self) -> list[Event]:
        """About the node itself, the newest first."""
        return self.view.events_on("Node", "", self.name)

    @cached_property
    def young_since(self) -> float | None:
        """Seconds since it was made, became Ready or was rebooted, if that is minutes ago; else None."""
        ready = self.node.condition("Ready")
        times = [self.node.created, ready.since if ready else ""]
        times += [one.time for one in self.events if one.reason in ("Rebooted", "NodeReady")]
        ages = (seconds_since(time, self.now) for time in times)
        return min((age for age in ages if age is not None and 0 <= age < YOUNG_SECONDS), default=None)

    @cached_property
    def kubelet_started(self) -> float | None:
        """Seconds since its kubelet was started last, as far as its events tell."""
        ages = (self.age(one.time) for one in self.events if one.reason == "Starting" and "kubelet" in one.message)
        return min((age for age in ages if age is not None and age >= 0), default=None)

    def age(self, time: str | datetime | None) -> float | None:
        """Seconds since then; None where it is not known."""
        if isinstance(time, datetime):
            return max(0.0, (self.now - time).total_seconds())
        return None if not time else seconds_since(time, self.now)

    def ago(self, time: str | datetime | None) -> str:
        """`34 min ago`; empty where the time is not known."""
        age = self.age(time)
        return "" if age is None else f"{duration(max(1.0, age))} ago"


def _logs(pod: Pod, *, always: bool) -> Iterator[LogRef]:
    held = stuck(pod)
    if held is not None:
        yield LogRef(pod.namespace, pod.name, held.name)
        if held.restarts:
            yield LogRef(pod.namespace, pod.name, held.name, previous=True)
    elif always:
        main = next((one for one in pod.containers if not one.init), None)
        if main is not None:
            yield LogRef(pod.namespace, pod.name, main.name)
