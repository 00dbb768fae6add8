"""The JSON of selectors, affinity, tolerations and ports as filters read it: kubernetes/api:core/v1/types.go."""

import msgspec

from bot.adapters.cluster.wire import Wire

REQUIRED = {"required": "requiredDuringSchedulingIgnoredDuringExecution"}


class WireRequirement(Wire):
    """A requirement of any selector."""

    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class WireSelector(Wire):
    """LabelSelector."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[WireRequirement] | None = None


class WireNodeTerm(Wire):
    """NodeSelectorTerm."""

    match_expressions: list[WireRequirement] | None = None
    match_fields: list[WireRequirement] | None = None


class WireNodeSelector(Wire):
    """NodeSelector."""

    node_selector_terms: list[WireNodeTerm] | None = None


class WirePodTerm(Wire):
    """PodAffinityTerm."""

    topology_key: str = ""
    label_selector: WireSelector | None = None
    namespaces: list[str] | None = None
    namespace_selector: WireSelector | None = None


class WireNodeAffinity(msgspec.Struct, rename=REQUIRED):
    """NodeAffinity, as far as it can keep a pod away."""

    required: WireNodeSelector | None = None


class WirePodAffinity(msgspec.Struct, rename=REQUIRED):
    """PodAffinity and PodAntiAffinity, as far as they can keep a pod away."""

    required: list[WirePodTerm] | None = None


class WireAffinity(Wire):
    """Affinity."""

    node_affinity: WireNodeAffinity | None = None
    pod_affinity: WirePodAffinity | None = None
    pod_anti_affinity: WirePodAffinity | None = None


class WireToleration(Wire):
    """Toleration."""

    key: str | None = ""
    operator: str | None = ""
    value: str | None = ""
    effect: str | None = ""


class WireSpread(Wire):
    """TopologySpreadConstraint."""

    topology_key: str = ""
    max_skew: int = 1
    when_unsatisfiable: str = "DoNotSchedule"
    label_selector: WireSelector | None = None
    match_label_keys: list[str] | None = None
    min_domains: int | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None


class WirePort(Wire):
    """ContainerPort."""

    container_port: int = 0
    host_port: int | None = None
    protocol: str | None = "TCP"
    host_ip: str | None = msgspec.field(name="hostIP", default="")


class WireRule(Wire):
    """One of restartPolicyRules."""

    action: str = ""


class WireGate(Wire):
    """A scheduling gate."""

    name: str = ""


class WireClaimRef(Wire):
    """One entry of spec.resourceClaims."""

    name: str = ""
    resource_claim_name: str | None = ""
    resource_claim_template_name: str | None = ""
