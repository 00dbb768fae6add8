"""The parts of a pod's spec that filters read, looked up by what stood in the JSON: one for all pods of a template.

kubernetes/api:core/v1/types.go. Defaults that an API server would have filled in are filled in for files without them:
kubernetes/kubernetes:pkg/apis/core/v1/defaults.go.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire_spec import (
    WireAffinity,
    WireClaimRef,
    WireGate,
    WireNodeAffinity,
    WirePodAffinity,
    WirePodTerm,
    WirePort,
    WireRequirement,
    WireRule,
    WireSelector,
    WireSpread,
    WireToleration,
)
from bot.domain.pod_spec import PLAIN, ClaimRef, HostPort, PodSpec, PodTerm, SpreadConstraint, Toleration
from bot.domain.record import NONE
from bot.domain.selectors import NOTHING, NodeTerm, Requirement, Selector, node_term, selector

RESTART_ALL = "RestartAllContainers"
ANYWHERE = "0.0.0.0"  # what an empty hostIP means


class Contained(Protocol):
    """What is read of a container here."""

    restart_policy: str | None
    ports: msgspec.Raw
    restart_policy_rules: msgspec.Raw


class Specified(Protocol):
    """What is read of a spec here."""

    node_selector: msgspec.Raw
    affinity: msgspec.Raw
    tolerations: msgspec.Raw
    topology_spread_constraints: msgspec.Raw
    scheduling_gates: msgspec.Raw
    preemption_policy: str | None
    host_network: bool | None
    host_users: bool | None

    @property
    def containers(self) -> "Sequence[Contained] | None": ...
    @property
    def init_containers(self) -> "Sequence[Contained] | None": ...
    @property
    def resource_claims(self) -> "Sequence[WireClaimRef] | None": ...


class SpecKey(NamedTuple):
    """What decides a PodSpec, as it stood in the JSON (`null` where it was not there)."""

    node_selector: bytes
    affinity: bytes
    tolerations: bytes
    spread: bytes
    gates: bytes
    preemption_policy: str | None
    host_network: bool | None
    host_users: bool | None
    claims: tuple[tuple[str, str, str], ...]
    ports: tuple[bytes, ...]
    rules: tuple[bytes, ...]


_labels = msgspec.json.Decoder(dict[str, str] | None)
_affinity = msgspec.json.Decoder(WireAffinity | None)
_tolerations = msgspec.json.Decoder(list[WireToleration] | None)
_spread = msgspec.json.Decoder(list[WireSpread] | None)
_ports = msgspec.json.Decoder(list[WirePort] | None)
_rules = msgspec.json.Decoder(list[WireRule] | None)
_gates = msgspec.json.Decoder(list[WireGate] | None)


def pod_spec(spec: Specified, shared: Shared) -> PodSpec:
    """Called once per template. Raises msgspec.DecodeError where a part does not have its shape."""
    containers, sidecars = [*(spec.containers or ())], [*(spec.init_containers or ())]
    key = SpecKey(
        bytes(spec.node_selector),
        bytes(spec.affinity),
        bytes(spec.tolerations),
        bytes(spec.topology_spread_constraints),
        bytes(spec.scheduling_gates),
        spec.preemption_policy,
        spec.host_network,
        spec.host_users,
        tuple(map(_claim, spec.resource_claims or ())),
        tuple(bytes(one.ports) for one in containers)
        + tuple(bytes(one.ports) for one in sidecars if one.restart_policy == "Always"),
        tuple(bytes(one.restart_policy_rules) for one in containers + sidecars),
    )
    known = shared.specs.get(key)
    return known or shared.specs.keep(key, _new(key))


def seldom(spec: Specified) -> tuple[object, ...]:
    """What decides a PodSpec and few pods have, as it stands in the JSON: part of what a template is known by."""
    claims = tuple(map(_claim, spec.resource_claims or ()))
    return bytes(spec.topology_spread_constraints), bytes(spec.scheduling_gates), claims


def _claim(wire: WireClaimRef) -> tuple[str, str, str]:
    return wire.name, wire.resource_claim_name or "", wire.resource_claim_template_name or ""


def _new(key: SpecKey) -> PodSpec:
    affinity = _affinity.decode(key.affinity) or WireAffinity()
    made = PodSpec(
        node_selector=_labels.decode(key.node_selector) or NONE,
        node_terms=_node_terms(affinity.node_affinity),
        tolerations=tuple(map(_toleration, _tolerations.decode(key.tolerations) or ())),
        spread=tuple(map(_constraint, _spread.decode(key.spread) or ())),
        affinity=_pod_terms(affinity.pod_affinity),
        anti_affinity=_pod_terms(affinity.pod_anti_affinity),
        host_ports=tuple(_host_ports(key)),
        claims=tuple(ClaimRef(*claim) for claim in key.claims),
        gates=tuple(gate.name for gate in _gates.decode(key.gates) or ()),
        preemption_policy=key.preemption_policy or "",
        features=_features(key),
    )
    return PLAIN if _is_plain(made) else made


def _is_plain(made: PodSpec) -> bool:
    return all(getattr(made, name) == getattr(PLAIN, name) for name in PodSpec.__struct_fields__)


def _node_terms(wire: WireNodeAffinity | None) -> tuple[NodeTerm, ...] | None:
    if wire is None or wire.required is None:
        return None
    return tuple(
        node_term(requirements(one.match_expressions), requirements(one.match_fields))
        for one in wire.required.node_selector_terms or ()
    )


def requirements(wires: list[WireRequirement] | None) -> tuple[Requirement, ...]:
    return tuple(Requirement(one.key, one.operator, tuple(one.values or ())) for one in wires or ())


def label_selector(wire: WireSelector | None) -> Selector:
    """No selector at all matches nothing, an empty one everything."""
    return NOTHING if wire is None else selector(wire.match_labels or NONE, requirements(wire.match_expressions))


def _pod_terms(wire: WirePodAffinity | None) -> tuple[PodTerm, ...]:
    return tuple(map(_pod_term, wire.required or ())) if wire else ()


def _pod_term(wire: WirePodTerm) -> PodTerm:
    return PodTerm(
        wire.topology_key,
        label_selector(wire.label_selector),
        frozenset(wire.namespaces or ()),
        None if wire.namespace_selector is None else label_selector(wire.namespace_selector),
    )


def _toleration(wire: WireToleration) -> Toleration:
    return Toleration(wire.key or "", wire.operator or "", wire.value or "", wire.effect or "")


def _constraint(wire: WireSpread) -> SpreadConstraint:
    return SpreadConstraint(
        key=wire.topology_key,
        max_skew=wire.max_skew,
        hard=wire.when_unsatisfiable == "DoNotSchedule",
        selector=label_selector(wire.label_selector),
        match_label_keys=tuple(wire.match_label_keys or ()),
        min_domains=1 if wire.min_domains is None else wire.min_domains,
        honors_affinity=wire.node_affinity_policy != "Ignore",
        honors_taints=wire.node_taints_policy == "Honor",
    )


def _host_ports(key: SpecKey) -> list[HostPort]:
    wires = [port for raw in key.ports for port in _ports.decode(raw) or ()]
    taken = [(one, one.host_port or (one.container_port if key.host_network else 0)) for one in wires]
    return [HostPort(port, one.protocol or "TCP", one.host_ip or ANYWHERE) for one, port in taken if port > 0]


def _features(key: SpecKey) -> frozenset[str]:
    """kubernetes/component-helpers:nodedeclaredfeatures/features: two of them are decided by a spec."""
    found = set()
    if any(rule.action == RESTART_ALL for raw in key.rules for rule in _rules.decode(raw) or ()):
        found.add("RestartAllContainersOnContainerExits")
    if key.host_network and key.host_users is False:
        found.add("UserNamespacesHostNetworkSupport")
    return frozenset(found)
