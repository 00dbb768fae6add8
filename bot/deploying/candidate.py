"""What the planner says: ways to serve a model here, the best first, and what does not go, with the reason."""

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.domain.thing import Thing
from bot.domain.version import Version
from bot.scaling.preview import Preview
from bot.serving.model import Model, Support, Variant

if TYPE_CHECKING:
    from bot.deploying.manifests.manifest import Ground


class Room(enum.IntEnum):
    """When the GPUs are there, the soonest first."""

    NOW = 0  # free, in one piece per replica
    AFTER_ENDING = 1  # once what may be ended for it has been ended
    AUTOSCALER = 2  # once an autoscaler has added nodes
    WAITS = 3  # nothing here makes room by itself
    REFUSED = 4  # it would not even be made


@dataclass(frozen=True, slots=True)
class Sizing:
    """Memory of one GPU, in GiB, and what its key-value cache holds.

    total: the GPU's; requested: what the engine takes (utilisation × total). kv_tokens: of one replica's cache.
    why_not: empty where it fits.
    """

    total_gib: float
    requested_gib: float
    weights_gib: float
    overhead_gib: float
    kv_gib: float
    kv_bytes_per_token: int
    kv_tokens: int
    why_not: str = ""

    @property
    def fits(self) -> bool:
        return not self.why_not


@dataclass(frozen=True, slots=True)
class Pool:
    """Whole GPUs of one product. name: of the node pool, where one was asked for. gpus_per_node: what a pod can have.

    labels: values of `label` that its nodes carry. taints: keys that ordinary GPU pods tolerate there. free: GPUs of
    each of `nodes`; drivers: of each too, None where it does not tell; driver: the oldest. driver_label: by which
    pods are kept to drivers of a major version above `driver_above`, where some nodes are left out. cpu_millis and
    memory_bytes: what its largest node offers.
    """

    product: str
    name: str
    memory_mib: int
    capability: tuple[int, int]
    gpus_per_node: int
    nodes: tuple[str, ...]
    label: str
    labels: tuple[str, ...]
    pool_label: str = ""  # by which pods are kept to the pool `name`
    nvlink: bool | None = None
    free: tuple[int, ...] = ()
    drivers: tuple[Version | None, ...] = ()
    driver: Version | None = None
    driver_label: str = ""  # empty where not all of its nodes have one
    driver_above: int | None = None
    resource: str = "nvidia.com/gpu"
    rdma_resource: str = ""  # an extended resource that pods ask for
    rdma_label: bool | None = None  # what node feature discovery says; None: it says nothing
    taints: tuple[str, ...] = ()
    cpu_millis: int = 0
    memory_bytes: int = 0

    @property
    def title(self) -> str:
        return f"{self.product} of pool {self.name}" if self.name else self.product

    def on_driver(self, driver: Version | None) -> tuple[str, ...]:
        """Its nodes with that driver, or that do not tell theirs."""
        return tuple(name for name, one in zip(self.nodes, self.drivers, strict=True) if one == driver)

    def newer(self) -> "Pool | None":
        """Without the nodes whose driver has the oldest major version; None where no label could keep pods off them."""
        oldest = self.driver
        if oldest is None or not self.driver_label:
            return None
        each = zip(self.nodes, self.free, self.drivers, strict=True)
        kept = [(name, free, one) for name, free, one in each if one is not None and one.major > oldest.major]
        if not kept:
            return None
        names, free, drivers = zip(*kept, strict=True)
        return replace(self, nodes=names, free=free, drivers=drivers, driver=min(drivers), driver_above=oldest.major)


@dataclass(frozen=True, slots=True)
class Draft:
    """One way by arithmetic alone: it fits into the GPUs' memory, and its engine starts on their driver.

    concurrency: requests of `context_tokens` at once in one replica. warnings: what a person should know before yes.
    """

    model: Model
    variant: Variant
    support: Support
    engine_version: Version
    image: str
    image_cuda: Version | None
    pool: Pool
    tensor_parallel: int
    pipeline_parallel: int
    kv_dtype: str
    speculative_tokens: int
    utilisation: float
    sizing: Sizing
    context_tokens: int
    warnings: tuple[str, ...] = ()

    @property
    def nodes_per_replica(self) -> int:
        return self.pipeline_parallel

    @property
    def gpus(self) -> int:
        """Of one replica."""
        return self.tensor_parallel * self.pipeline_parallel

    @property
    def concurrency(self) -> float:
        return self.sizing.kv_tokens / self.context_tokens

    @property
    def title(self) -> str:
        """`GLM-5.2 fp8 on 8 H200`."""
        nodes = f" over {self.nodes_per_replica} nodes" if self.nodes_per_replica > 1 else ""
        return f"{self.model.title} {self.variant.id} on {self.gpus} {self.pool.title}{nodes}"


@dataclass(frozen=True, slots=True)
class Rendering:
    """Manifests in the order in which they are created. notes: what was chosen and why, in sentences."""

    objects: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()

    def of(self, kind: str) -> dict[str, Any] | None:
        return next((one for one in self.objects if one["kind"] == kind), None)

    @property
    def workload(self) -> dict[str, Any]:
        """What makes its pods."""
        return next(one for one in self.objects if one["kind"] in ("Deployment", "LeaderWorkerSet"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft with its manifests, and what the cluster would make of them: the preview of scaling them up from none."""

    draft: Draft
    ground: "Ground"
    rendering: Rendering
    preview: Preview
    room: Room
    why: str = ""
    replaces: Thing | None = None  # gpubot's own of that name, whose pods give their GPUs to the new ones

    @property
    def starts(self) -> int:
        """Replicas that get their GPUs at once."""
        return self.preview.up.starts if self.preview.up is not None else 0


@dataclass(frozen=True, slots=True)
class Rejected:
    """What does not go: a variant on a pool (or everywhere), the reason, and what would make it go (may be empty)."""

    what: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """All that the planner found. `candidates` has the best first; `spare` are drafts that were not tried on the nodes.

    fallbacks: other models that would start here now, the nearest first. unknown: what could not be read, in sentences.
    """

    candidates: tuple[Candidate, ...]
    spare: tuple[Draft, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    fallbacks: tuple[Candidate, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None
