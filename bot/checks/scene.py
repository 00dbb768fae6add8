"""All that is known of one node, or of the whole fleet, when checks are asked."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from functools import cached_property

from bot.checks import limits, merged, xid_events
from bot.checks.finding import Subject
from bot.checks.reads import Reads
from bot.checks.xid_events import Burst
from bot.domain.evidence import NO_EVIDENCE, Evidence, MetricsRef, NodeRef
from bot.domain.gpu_reading import GpuReading, NodeReading
from bot.domain.node import Node
from bot.domain.node_past import NodePast
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.view import View
from bot.gpu import dcgm, reading
from bot.gpu.kernel_log import KernelLog
from bot.gpu.policy import Policy, first_label
from bot.gpu.stack import chain
from bot.gpu.stack.expected import Fleet
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import Sight

__all__ = ("FleetScene", "Reads", "Sample", "Scene")


@dataclass(frozen=True, slots=True)
class Sample:
    """One GPU at one time. `at` is None where the reading does not say when it was taken."""

    at: datetime | None
    gpu: GpuReading


@dataclass
class Scene:
    """One node. `before`: earlier readings of its agent, the oldest first, for rates and for what has to be seen twice.

    past: what it ran before, as the store remembers it; None where nobody does.
    `agent`, `dcgm` and `kernel` are None where nobody told; `gpus` is what all sources together say of its GPUs.
    """

    view: View
    node: Node
    policy: Policy
    now: datetime
    evidence: Evidence = NO_EVIDENCE
    _: KW_ONLY
    before: tuple[NodeReading, ...] = ()
    past: NodePast | None = None
    counted: Fleet | None = None

    @property
    def name(self) -> str:
        return self.node.name

    @cached_property
    def sight(self) -> Sight:
        """The same node as its GPU stack is judged by."""
        return Sight(self.view, self.node, self.policy, self.now, self.evidence, counted=self.counted)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What is broken in its GPU stack, the deepest first."""
        return tuple(chain.faults(self.sight))

    @property
    def pool(self) -> str:
        return first_label(self.node.labels, self.policy.pool_labels)

    @property
    def pods(self) -> list[Pod]:
        """Pods there that are not finished, by name."""
        return self.sight.pods

    @property
    def young(self) -> bool:
        """It came up minutes ago: its stack is still on its way."""
        return self.sight.young_since is not None

    # ---- readings ------------------------------------------------------------------------------------------------

    @cached_property
    def agent(self) -> NodeReading | None:
        text = self.evidence.agent(self.name)
        return reading.read(text, self.name) if text else None

    @cached_property
    def exporters(self) -> tuple[Pod, ...]:
        """DCGM exporters on the node."""
        return tuple(self.sight.links.get(Link.EXPORTER, ()))

    @cached_property
    def dcgm(self) -> dcgm.Metrics | None:
        texts = (self.evidence.metrics(pod.namespace, pod.name) for pod in self.exporters)
        told = (dcgm.read(text, self.name) for text in texts if text)
        return next((one for one in told if one.readings), None)

    @cached_property
    def kernel(self) -> KernelLog | None:
        return self.sight.kernel or None

    @cached_property
    def at_hand(self) -> frozenset[Reads]:
        """Who told something."""
        found = {Reads.API}
        if self.agent_gpus:
            found.add(Reads.AGENT)
        if self.dcgm_gpus:
            found.add(Reads.DCGM)
        if self.kernel is not None:
            found.add(Reads.KERNEL)
        if any(ref in self.evidence.texts for ref in self.sight.logs()):
            found.add(Reads.LOGS)
        return frozenset(found)

    def why_missing(self, reads: Reads) -> str:
        """Why somebody did not tell, as a clause that begins with who."""
        return self._reasons[reads]

    @cached_property
    def _reasons(self) -> dict[Reads, str]:
        """Many checks miss the same."""
        return {one: self._why_missing(one) for one in Reads}

    def _why_missing(self, reads: Reads) -> str:
        why = next((self.evidence.missing[ref] for ref in self._refs(reads) if ref in self.evidence.missing), "")
        if reads is Reads.AGENT and self.agent is not None and self.agent.trouble:
            why = inert(self.agent.trouble)
        elif reads is Reads.AGENT and self.agent is not None and self.agent.gpus and not self.agent_gpus:
            why = "its reading is old"
        if reads is Reads.DCGM and self.dcgm is not None and not self.dcgm_gpus:
            why = "its measurements are old"
        if reads is Reads.DCGM and not self.exporters:
            why = why or "none runs on the node"
        return f"{reads} of {self.name}{f' ({why})' if why else ''}"

    @property
    def oddness(self) -> str:
        """What is odd about its agent's answer, or why there is none: another version, a wrong clock, rubbish."""
        return self.evidence.missing.get(NodeRef("agent", self.name), "")

    def _refs(self, reads: Reads) -> Iterator[NodeRef | MetricsRef]:
        if reads is Reads.AGENT:
            yield NodeRef("agent", self.name)
        elif reads is Reads.KERNEL:
            yield NodeRef("kernel", self.name)
        elif reads is Reads.DCGM:
            yield from (MetricsRef(pod.namespace, pod.name) for pod in self.exporters)

    # ---- GPUs ----------------------------------------------------------------------------------------------------

    @cached_property
    def gpus(self) -> tuple[GpuReading, ...]:
        """The agent's reading, its gaps filled from the exporter's. What is old says nothing of now."""
        return merged.gpus(self.agent_gpus, self.dcgm_gpus)

    @cached_property
    def agent_gpus(self) -> tuple[GpuReading, ...]:
        """As the agent reads them now; none where it has trouble or its reading is old."""
        fresh = self.agent is not None and not self.agent.trouble and self._new(self.agent, limits.AGENT_OLD_SECONDS)
        return self.agent.gpus if self.agent is not None and fresh else ()

    @cached_property
    def dcgm_gpus(self) -> tuple[GpuReading, ...]:
        """As the exporter measures them now; none where its newest measurement is old."""
        fresh = self.dcgm is not None and self._new(self.dcgm.reading, limits.EXPORTER_OLD_SECONDS)
        return self.dcgm.reading.gpus if self.dcgm is not None and fresh else ()

    def _new(self, told: NodeReading, at_most_seconds: float) -> bool:
        """A reading without a time is taken for one of now."""
        age = told.age_seconds(self.now)
        return age is None or age <= at_most_seconds

    @property
    def driver_version(self) -> str:
        """As the driver says, else the kernel, else the exporter, else the node's label."""
        return (
            (self.agent.driver_version if self.agent else "")
            or (self.kernel.loaded if self.kernel else "")
            or (self.dcgm.reading.driver_version if self.dcgm else "")
            or self.node.labels.get("nvidia.com/cuda.driver-version.full", "")
        )

    def samples(self, gpu: GpuReading) -> list[Sample]:
        """That GPU in all readings, the oldest first; the exporter's where it has more of them than the agent."""
        agent = [*self.before, *([self.agent] if self.agent is not None else [])]
        exported = list(self.dcgm.readings) if self.dcgm is not None else []
        series = max(agent, exported, key=lambda readings: sum(1 for one in readings if merged.find(one.gpus, gpu)))
        return [Sample(one.taken_at, found) for one in series if (found := merged.find(one.gpus, gpu))]

    @cached_property
    def bursts(self) -> tuple[Burst, ...]:
        """Xids of the last day by GPU, those that follow from one another together."""
        agent = self.agent.xids if self.agent is not None else ()
        exported = self.dcgm.reading.xids if self.dcgm is not None else ()
        return xid_events.bursts(self.kernel, (*agent, *exported), self.gpus, self.now)

    def subject(self, gpu: GpuReading | None = None) -> Subject:
        if gpu is None:
            return Subject(node=self.name)
        return Subject(node=self.name, gpu=gpu.index, uuid=gpu.uuid, bus_id=gpu.bus_id)

    def holders(self, gpu: GpuReading) -> tuple[str, ...] | None:
        """Pods that have that GPU, by the kubelet's word, else by its processes; None where nobody told."""
        if gpu.pods is not None:
            return gpu.pods
        told = tuple(dict.fromkeys(one.pod for one in gpu.processes or () if one.pod))
        return told or None


@dataclass(frozen=True)
class FleetScene:
    """All GPU nodes of a cluster."""

    view: View
    policy: Policy
    now: datetime
    scenes: tuple[Scene, ...]
