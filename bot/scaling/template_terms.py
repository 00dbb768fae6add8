"""The parts of a pod template that the scheduler's filters read, from JSON that is not trusted.

kubernetes/api:core/v1/types.go. What a live pod shows is taken from there; this is for templates without one.
"""

from collections.abc import Iterator

from bot.domain.fields import Fields
from bot.domain.pod_spec import ClaimRef, HostPort, PodTerm, SpreadConstraint, Toleration, Volume
from bot.domain.selectors import NOTHING, NodeTerm, Requirement, Selector, node_term, selector

ANYWHERE = "0.0.0.0"


def node_terms(spec: Fields) -> tuple[NodeTerm, ...] | None:
    required = spec.at("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return None
    return tuple(
        node_term(_requirements(one, "matchExpressions"), _requirements(one, "matchFields"))
        for one in required.each("nodeSelectorTerms")
    )


def pod_terms(spec: Fields, which: str) -> tuple[PodTerm, ...]:
    """`which`: podAffinity or podAntiAffinity."""
    return tuple(
        PodTerm(
            one.text("topologyKey"),
            _selector(one, "labelSelector"),
            frozenset(one.texts("namespaces")),
            _selector(one, "namespaceSelector") if one.get("namespaceSelector") is not None else None,
        )
        for one in spec.each("affinity", which, "requiredDuringSchedulingIgnoredDuringExecution")
    )


def spread(spec: Fields) -> tuple[SpreadConstraint, ...]:
    return tuple(
        SpreadConstraint(
            key=one.text("topologyKey"),
            max_skew=one.number("maxSkew") or 1,
            hard=one.text("whenUnsatisfiable") in ("", "DoNotSchedule"),
            selector=_selector(one, "labelSelector"),
            match_label_keys=one.texts("matchLabelKeys"),
            min_domains=one.number("minDomains") or 1,
            honors_affinity=one.text("nodeAffinityPolicy") != "Ignore",
            honors_taints=one.text("nodeTaintsPolicy") == "Honor",
        )
        for one in spec.each("topologySpreadConstraints")
    )


def tolerations(spec: Fields) -> tuple[Toleration, ...]:
    return tuple(
        Toleration(one.text("key"), one.text("operator"), one.text("value"), one.text("effect"))
        for one in spec.each("tolerations")
    )


def host_ports(spec: Fields) -> Iterator[HostPort]:
    network = spec.flag("hostNetwork") is True
    for container in spec.each("containers"):
        for one in container.each("ports"):
            port = one.number("hostPort") or (one.number("containerPort") if network else None) or 0
            if port > 0:
                yield HostPort(port, one.text("protocol") or "TCP", one.text("hostIP") or ANYWHERE)


def device_claims(spec: Fields) -> tuple[ClaimRef, ...]:
    return tuple(
        ClaimRef(one.text("name"), one.text("resourceClaimName"), one.text("resourceClaimTemplateName"))
        for one in spec.each("resourceClaims")
    )


def volumes(spec: Fields) -> Iterator[Volume]:
    """Those with a claim or an inline driver; in-tree disks are so rare in templates that they are left out."""
    for one in spec.each("volumes"):
        if claim := one.text("persistentVolumeClaim", "claimName"):
            yield Volume(one.text("name"), claim=claim)
        elif one.get("ephemeral") is not None:
            yield Volume(one.text("name"), ephemeral=True)
        elif driver := one.text("csi", "driver"):
            yield Volume(one.text("name"), csi_driver=driver)


def _requirements(fields: Fields, key: str) -> tuple[Requirement, ...]:
    return tuple(Requirement(one.text("key"), one.text("operator"), one.texts("values")) for one in fields.each(key))


def _selector(fields: Fields, key: str) -> Selector:
    """No selector at all matches nothing, an empty one everything."""
    if fields.get(key) is None:
        return NOTHING
    return selector(fields.map(key, "matchLabels"), _requirements(fields.at(key), "matchExpressions"))
