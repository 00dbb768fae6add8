"""What the planner says: ways to serve a model here, the best first, and what does not go, with the reason."""

import enum
from dataclasses import dataclass, field

from bot.domain.version import Version
from bot.serving.model import Model, Support, Variant


class Room(enum.IntEnum):
    """When the GPUs are there, the soonest first."""

    NOW = 0  # free, in one piece per replica
    AFTER_ENDING = 1  # once what may be ended for it has been ended
    AUTOSCALER = 2  # once an autoscaler has added nodes
    NEVER = 3  # nothing here makes room by itself


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
    """GPUs of one product in one pool, as candidates use them: `gpus_per_node` that a pod can have at most."""

    product: str
    name: str
    memory_mib: int
    capability: tuple[int, int]
    gpus_per_node: int
    nodes: tuple[str, ...]
    nvlink: bool | None  # None: not known
    rdma: bool | None
    driver: str  # the oldest of its nodes; empty: not known
    resource: str = "nvidia.com/gpu"
    rdma_resource: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way. `nodes` are where the scheduler would put each replica's pods now, empty where there is no room yet.

    concurrency: requests of `context_tokens` at once in one replica. evicts: names of pods that would be ended.
    start_seconds: (soonest, latest) until the first token, expected. why: why this one, or what speaks against it
    compared with the ones before. warnings: what a person should know before saying yes.
    """

    model: Model
    variant: Variant
    support: Support
    image: str
    image_cuda: Version | None
    engine_version: Version
    pool: Pool
    tensor_parallel: int
    pipeline_parallel: int
    nodes_per_replica: int
    kv_dtype: str
    speculative_tokens: int
    utilisation: float
    sizing: Sizing
    context_tokens: int
    concurrency: float
    room: Room
    replicas: int
    replicas_now: int  # how many start at once
    nodes: tuple[tuple[str, ...], ...] = ()
    evicts: tuple[str, ...] = ()
    waits_for: str = ""  # why the next replica would wait, in words
    start_seconds: tuple[int, int] = (0, 0)
    why: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def gpus_per_replica(self) -> int:
        return self.tensor_parallel * self.pipeline_parallel


@dataclass(frozen=True, slots=True)
class Rejected:
    """What does not go: a variant on a pool (or everywhere), the reason, and what would make it go (may be empty)."""

    what: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """All that the planner found. `candidates` has the best first. fallbacks: other models that would fit, best first.

    unknown: what could not be read, in sentences.
    """

    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...] = ()
    fallbacks: tuple[Candidate, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None


@dataclass(frozen=True, slots=True)
class Point:
    """One question before anything is created. ok: None where it could not be told. fix: what to do, for a no."""

    id: str
    title: str
    ok: bool | None
    says: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """Manifests in the order in which they are created. notes: what was chosen and why, in sentences."""

    objects: tuple[dict[str, object], ...]
    notes: tuple[str, ...] = field(default=())
