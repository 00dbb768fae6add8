"""DynamicResources: the pod's resource claims can have their devices on the node.

`detail` is Elsewhere, a Shortfall, Unoffered, or Unknown: what could not be found out is neither yes nor no, and ends
the cycle here as an error would. kubernetes/kubernetes:pkg/scheduler/framework/plugins/dynamicresources
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.domain.dra import DeviceRequest, ResourceClaim
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import Amounts
from bot.domain.view import View
from bot.scheduling.dra import claims, extended
from bot.scheduling.dra.allocator import allocate
from bot.scheduling.dra.pools import Pool
from bot.scheduling.dra.selection import BrokenError, NotEvaluatedError
from bot.scheduling.dra.shortfall import Shortfall
from bot.scheduling.dra.world import World
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State

CANNOT = ("cannot allocate all claims",)
ELSEWHERE = ("resourceclaim not available on the node",)
INVALID = ("invalid resource pools were encountered",)
STALE = ("cannot schedule extended resource claim",)
UNOFFERED = ("cannot fit resource",)
NO_CLAIMS = "no new claims to deallocate"
GIVEN_BACK = "deallocation of ResourceClaim completed"
DELETED = "deletion of ResourceClaim completed"
STILL_NOT = "still not schedulable"
READS = ("resourceclaims", "resourceslices", "deviceclasses")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Claims whose devices cannot be reached from the node; `free` are those that nobody else needs."""

    claims: tuple[str, ...]
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unoffered:
    """Extended resources that the node has neither by itself nor by devices."""

    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """What could not be found out here, and why; the scheduler may well know."""

    why: str


@dataclass(frozen=True)
class Data:
    """The pod's claims. `stale` was made by an earlier attempt; `resources` may have to be given by devices."""

    snapshot: Snapshot
    claims: tuple[ResourceClaim, ...]
    resources: Amounts
    classes: Mapping[str, str]
    stale: ResourceClaim | None

    @cached_property
    def world(self) -> World:
        return self.snapshot.once(__name__, lambda: World(self.snapshot.view))


def preenqueue(pod: Pod, state: State) -> Failure | None:
    try:
        claims.of_pod(state.view, pod)
    except claims.MissingError as error:
        return Failure(Code.UNRESOLVABLE, (str(error),))
    return None


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    resources = extended.asked(pod)
    classes = state.extended_resources if resources else {}
    by_devices = any(name in classes for name in resources)
    if not pod.spec.claims and not by_devices:
        return SKIP
    try:
        found = claims.of_pod(state.view, pod)
    except claims.MissingError as error:
        return rejected(Code.UNRESOLVABLE, str(error))
    for claim in found:
        if not claim.is_allocated and (flaw := _flaw(claim, state.view)):
            return PreFilterResult(rejected=flaw)
    stale = claims.left_over(state.view, pod) if by_devices else None
    if not found and not by_devices:
        return SKIP
    return PreFilterResult(data=Data(state.snapshot, tuple(found), resources if by_devices else {}, classes, stale))


def _flaw(claim: ResourceClaim, view: View) -> Failure | None:
    for request in claim.requests:
        if not request.known:
            where = f"resource claim {claim.namespace}/{claim.name}, request {request.name}"
            return Failure(Code.UNRESOLVABLE, (f"{where}: unknown request type",))
        for one in request.alternatives or (request,):
            name = f"{request.name}/{one.name}" if request.alternatives else one.name
            if (flaw := _classless(name, one, view)) is not None:
                return flaw
    return None


def _classless(name: str, request: DeviceRequest, view: View) -> Failure | None:
    if not request.device_class:
        return Failure(Code.ERROR, (f"request {name}: unsupported request type",))
    if request.device_class in view.deviceclasses:
        return None
    return Failure(Code.UNRESOLVABLE, (f"request {name}: device class {request.device_class} does not exist",))


def dynamic_resources(pod: Pod, info: NodeInfo, data: Data, state: State) -> Failure | None:
    del state
    node = info.node
    to_allocate = [one for one in data.claims if not one.is_allocated]
    if data.resources:
        if data.stale is not None and data.stale.requests:
            return Failure(Code.UNRESOLVABLE, STALE)
        names = extended.by_devices(data.resources, node.allocatable, data.classes)
        if names is None:
            missing = (one for one in data.resources if one not in node.allocatable and one not in data.classes)
            return Failure(Code.UNRESOLVABLE, UNOFFERED, Unoffered(tuple(missing)))
        if names:
            to_allocate.append(extended.claim(pod, names, data.classes))
        elif not data.claims:
            return None
    if to_allocate and (failure := _allocated(node, to_allocate, data.world)) is not None:
        return failure
    away = [one for one in data.claims if one.is_allocated and not _reachable(one, node)]
    if not away:
        return None
    free = tuple(one.name for one in away if claims.holds_alone(one, pod))
    return Failure(Code.UNRESOLVABLE, ELSEWHERE, Elsewhere(tuple(one.name for one in away), free))


def _reachable(claim: ResourceClaim, node: Node) -> bool:
    return claim.node_terms is None or any(term.matches(node.name, node.labels) for term in claim.node_terms)


def _allocated(node: Node, to_allocate: list[ResourceClaim], world: World) -> Failure | None:
    pools: list[Pool] = world.slices.pools(node)
    try:
        if allocate(node, pools, to_allocate, world):
            return None
    except BrokenError as error:
        return Failure(Code.ERROR, (str(error),), Shortfall(node, pools, to_allocate, world))
    except NotEvaluatedError as error:
        return Failure(Code.ERROR, (f"not evaluated: {error}",), Unknown(str(error)))
    invalid = any(pool.invalid for pool in pools)
    return Failure(Code.UNRESOLVABLE, INVALID if invalid else CANNOT, Shortfall(node, pools, to_allocate, world))


def postfilter(pod: Pod, state: State, data: Data | None, failures: Collection[Failure]) -> str:
    """What the scheduler gives back at the end of a cycle that found no node, so that the next one may."""
    del pod, state
    if data is None:
        return NO_CLAIMS
    if any(isinstance(one.detail, Elsewhere) and one.detail.free for one in failures):
        return GIVEN_BACK
    return DELETED if data.stale is not None else STILL_NOT


FILTER = Filter(
    name="DynamicResources",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    filter=dynamic_resources,
    prefilter=prefilter,
    preenqueue=preenqueue,
    postfilter=postfilter,
)
