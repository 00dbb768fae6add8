"""Pods: kubernetes/api:core/v1/types.go. There are a hundred thousand of them, so every look-up here is counted."""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.pod_spec import pod_spec, seldom
from bot.adapters.cluster.pod_volumes import alike, claimed, volumes
from bot.adapters.cluster.shared import Shared, StateKey
from bot.adapters.cluster.template import Asked, Template
from bot.adapters.cluster.wire import ABSENT, Metadata, Wire, WireCondition
from bot.adapters.cluster.wire_spec import WireClaimRef
from bot.domain.pod import Container, Pod
from bot.domain.record import Record
from bot.scheduling.requests import effective

RESIZE = "PodResizePending"


class WireContainer(Wire):
    """A container of any sort."""

    name: str
    image: str | None = ""
    restart_policy: str | None = ""
    resources: msgspec.Raw = ABSENT
    ports: msgspec.Raw = ABSENT
    env: msgspec.Raw = ABSENT
    restart_policy_rules: msgspec.Raw = ABSENT


class WireVariable(Wire):
    """One environment variable."""

    name: str = ""
    value: str | None = ""


_env = msgspec.json.Decoder(list[WireVariable] | None)


class WireClaim(Wire):
    """A resource claim that was made for the pod."""

    name: str = ""
    resource_claim_name: str | None = ""


class WireSpec(Wire):
    """What is wanted."""

    node_name: str | None = ""
    scheduler_name: str = ""
    runtime_class_name: str | None = ""
    priority_class_name: str = ""
    priority: int | None = 0
    containers: list[WireContainer] | None = None
    init_containers: list[WireContainer] | None = None
    resources: msgspec.Raw = ABSENT
    overhead: msgspec.Raw = ABSENT
    resource_claims: list[WireClaimRef] | None = None
    volumes: msgspec.Raw = ABSENT
    node_selector: msgspec.Raw = ABSENT
    affinity: msgspec.Raw = ABSENT
    tolerations: msgspec.Raw = ABSENT
    topology_spread_constraints: msgspec.Raw = ABSENT
    scheduling_gates: msgspec.Raw = ABSENT
    preemption_policy: str | None = None
    host_network: bool | None = None
    host_users: bool | None = None


class WireDetail(Wire):
    """Why a container waits or ended."""

    reason: str | None = ""
    exit_code: int | None = None


class WireState(Wire):
    """state and lastState."""

    waiting: WireDetail | None = None
    terminated: WireDetail | None = None


class WireContainerStatus(Wire):
    """What the kubelet says of a container. The last two are there from 1.33 on (in-place resize)."""

    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: WireState | None = None
    last_state: WireState | None = None
    resources: msgspec.Raw = ABSENT  # a union of Raw and None is not decoded by msgspec
    allocated_resources: msgspec.Raw = ABSENT


class WireStatus(Wire):
    """What is so."""

    phase: str = ""
    reason: str | None = ""
    start_time: str | None = ""
    nominated_node_name: str | None = ""
    conditions: list[WireCondition] | None = None
    init_container_statuses: list[WireContainerStatus] | None = None
    container_statuses: list[WireContainerStatus] | None = None
    resource_claim_statuses: list[WireClaim] | None = None
    extended_resource_claim_status: WireClaim | None = None


class WirePod(Wire):
    """One pod."""

    metadata: Metadata
    spec: WireSpec
    status: WireStatus | None = None


def record(wire: WirePod, shared: Shared) -> tuple[str, Record]:
    meta, spec, status = wire.metadata, wire.spec, wire.status or WireStatus()
    text = shared.text
    statuses = (status.init_container_statuses or []) + (status.container_statuses or [])
    told = [one for one in status.conditions or () if one.status != "True" or one.type == RESIZE]
    template = _template(spec, statuses, any(map(_infeasible, told)) if told else False, shared)
    namespace = text[meta.namespace or "default"]
    return f"{namespace}/{meta.name}", Pod(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        namespace=namespace,
        node=text[spec.node_name or ""],
        nominated=status.nominated_node_name or "",
        phase=text[status.phase or "Pending"],
        deleted=meta.deletion_timestamp or "",
        labels=shared.labels[bytes(meta.labels)],
        owner=shared.owner[bytes(meta.owner_references)],
        priority=spec.priority or 0,
        priority_class=text[spec.priority_class_name],
        scheduler=text[spec.scheduler_name],
        runtime_class=text[spec.runtime_class_name or ""],
        gated=bool(template.spec.gates),
        spec=template.spec,
        volumes=claimed(template.volumes, meta.name) if template.some_are_ephemeral else template.volumes,
        requests=template.requests,
        containers=template.containers,
        states=shared.states[tuple([_state(one) for one in statuses])],
        conditions=tuple([shared.condition(one) for one in told if one.status != "True"]),
        claims=_claims(spec, status),
        made_claims=_made_claims(status) if status.resource_claim_statuses else (),
        started=status.start_time or "",
        preempted=bool(meta.deletion_timestamp) and _preempted(status),
        reason=status.reason or "",
    )


def _template(spec: WireSpec, statuses: list[WireContainerStatus], infeasible: bool, shared: Shared) -> Template:
    """One for all pods whose containers stand in the JSON as this one's do.

    The key is flat because that is cheap; a number before each part keeps different parts from looking alike.
    """
    key: list[object] = [infeasible, spec.preemption_policy, spec.host_network, spec.host_users]
    for one in spec.containers or ():
        key += (0, one.name, one.image, bytes(one.resources), bytes(one.env))
        if one.ports is not ABSENT:
            key.append(bytes(one.ports))
        if one.restart_policy_rules is not ABSENT:
            key += (9, bytes(one.restart_policy_rules))
    for one in spec.init_containers or ():
        key += (1, one.name, one.image, one.restart_policy, bytes(one.resources), bytes(one.ports))
        key.append(bytes(one.restart_policy_rules))
    for ran in statuses:
        if ran.resources is not ABSENT:
            key += (2, ran.name, bytes(ran.resources), bytes(ran.allocated_resources))
    if spec.resources is not ABSENT or spec.overhead is not ABSENT:
        key += (3, bytes(spec.resources), bytes(spec.overhead))
    if spec.node_selector is not ABSENT:
        key += (4, bytes(spec.node_selector))
    if spec.affinity is not ABSENT:
        key += (5, bytes(spec.affinity))
    if spec.tolerations is not ABSENT:
        key += (6, bytes(spec.tolerations))
    if spec.volumes is not ABSENT:
        key += alike(spec.volumes)
    if spec.topology_spread_constraints is not ABSENT or spec.scheduling_gates is not ABSENT or spec.resource_claims:
        key += (8, *seldom(spec))
    sealed = tuple(key)
    known = shared.templates.get(sealed)
    return known or shared.templates.keep(sealed, _new_template(spec, statuses, infeasible, shared))


def _new_template(spec: WireSpec, statuses: list[WireContainerStatus], infeasible: bool, shared: Shared) -> Template:
    """kubernetes/component-helpers:resource/helpers.go: of init containers only sidecars can be resized."""
    resized = {one.name: one for one in statuses if one.resources is not ABSENT}
    containers: list[Container] = []
    for init, wires in ((True, spec.init_containers), (False, spec.containers)):
        for wire in wires or ():
            sidecar = init and wire.restart_policy == "Always"
            ran = resized.get(wire.name) if sidecar or not init else None
            containers.append(_container(wire, ran, init, sidecar, infeasible, shared))
    pod_level = shared.requests[Asked(bytes(spec.resources))]
    overhead = shared.amounts[bytes(spec.overhead)]
    requests = effective(containers, pod_level=pod_level, overhead=overhead)
    attached = volumes(spec.volumes)
    ephemeral = any(one.ephemeral for one in attached)
    return Template(tuple(containers), requests, pod_spec(spec, shared), attached, ephemeral)


def _container(
    wire: WireContainer, ran: WireContainerStatus | None, init: bool, sidecar: bool, infeasible: bool, shared: Shared
) -> Container:
    asked = Asked(bytes(wire.resources))
    if ran is not None:
        asked = Asked(asked.resources, bytes(ran.resources), bytes(ran.allocated_resources), infeasible)
    return Container(wire.name, wire.image or "", shared.requests[asked], init, sidecar, _visible(wire.env))


def _visible(raw: msgspec.Raw) -> str:
    """The value of NVIDIA_VISIBLE_DEVICES. An env that is no list of objects tells nothing, and costs nothing else."""
    if b"NVIDIA_VISIBLE_DEVICES" not in bytes(raw):
        return ""
    try:
        variables = _env.decode(bytes(raw)) or ()
    except msgspec.DecodeError:
        return ""
    return next((one.value or "" for one in variables if one.name == "NVIDIA_VISIBLE_DEVICES"), "")


def _infeasible(condition: WireCondition) -> bool:
    """Whether a resize was refused for good: then the kubelet's word alone counts."""
    return condition.type == RESIZE and condition.reason == "Infeasible"


def _preempted(status: WireStatus) -> bool:
    """Whether the scheduler evicts it for another pod (podTerminatingByPreemption in default_preemption.go)."""
    found = next((one for one in status.conditions or () if one.type == "DisruptionTarget"), None)
    return found is not None and found.status == "True" and found.reason == "PreemptionByScheduler"


def _state(wire: WireContainerStatus) -> StateKey:
    """A container that waits (for its back-off, mostly) also tells how its last run ended."""
    state = wire.state
    if state is None or (state.waiting is None and state.terminated is None):
        return wire.name, wire.ready, wire.restart_count, "", "", None
    waiting, ended = state.waiting, state.terminated
    if ended is None and wire.last_state is not None:
        ended = wire.last_state.terminated
    return (
        wire.name,
        wire.ready,
        wire.restart_count,
        (waiting.reason or "") if waiting else "",
        (ended.reason or "") if ended else "",
        ended.exit_code if ended else None,
    )


def _claims(spec: WireSpec, status: WireStatus) -> tuple[str, ...]:
    """Named in the spec, made from a template, or made for an extended resource."""
    if not (spec.resource_claims or status.resource_claim_statuses or status.extended_resource_claim_status):
        return ()
    named: list[WireClaim | WireClaimRef] = [*(spec.resource_claims or ()), *(status.resource_claim_statuses or ())]
    if status.extended_resource_claim_status:
        named.append(status.extended_resource_claim_status)
    return tuple(dict.fromkeys(one.resource_claim_name for one in named if one.resource_claim_name))


def _made_claims(status: WireStatus) -> tuple[tuple[str, str], ...]:
    return tuple([(one.name, one.resource_claim_name or "") for one in status.resource_claim_statuses or ()])


KIND = Kind(
    name="pods",
    object_kind="Pod",
    versions=("v1",),
    namespaced=True,
    wire=WirePod,
    record=record,
)
