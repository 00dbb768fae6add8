"""The pod that a template would become: as the API server would default it, as far as that can be told from here.

What webhooks and runtime classes add cannot be seen; where a pod of the template is there already, that one is taken
instead (like.py).
"""

from collections.abc import Iterator

from bot.domain.fields import Fields
from bot.domain.pod import Container, Pod
from bot.domain.pod_spec import PodSpec
from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling import template_terms as terms
from bot.scheduling.requests import effective
from bot.why.amounts import amounts_of


def template_pod(view: View, maker: Thing, template: Fields) -> Pod:
    """`template` has metadata and spec. The pod is called after its maker and has no node."""
    spec = template.at("spec")
    containers = tuple(_containers(view, maker.namespace, spec))
    class_name, priority = _priority(view, spec)
    return Pod(
        name=f"{maker.name}-new",
        namespace=maker.namespace,
        phase="Pending",
        labels=template.map("metadata", "labels"),
        owner=Owner(maker.kind, maker.name, maker.uid),
        priority=priority,
        priority_class=class_name,
        scheduler=spec.text("schedulerName"),
        runtime_class=spec.text("runtimeClassName"),
        gated=bool(spec.get("schedulingGates")),
        spec=_spec(spec),
        volumes=tuple(terms.volumes(spec)),
        requests=effective(
            containers,
            pod_level=amounts_of(spec.map("resources", "requests")),
            overhead=amounts_of(spec.map("overhead")),
        ),
        containers=containers,
        claims=tuple(one.claim for one in terms.device_claims(spec) if one.claim),
    )


def _spec(spec: Fields) -> PodSpec:
    return PodSpec(
        node_selector=spec.map("nodeSelector"),
        node_terms=terms.node_terms(spec),
        tolerations=terms.tolerations(spec),
        spread=terms.spread(spec),
        affinity=terms.pod_terms(spec, "podAffinity"),
        anti_affinity=terms.pod_terms(spec, "podAntiAffinity"),
        host_ports=tuple(terms.host_ports(spec)),
        claims=terms.device_claims(spec),
        gates=tuple(one.text("name") for one in spec.each("schedulingGates")),
        preemption_policy=spec.text("preemptionPolicy"),
    )


def _containers(view: View, namespace: str, spec: Fields) -> Iterator[Container]:
    limits, requests = container_defaults(view, namespace)
    defaults = limits | requests
    for init, key in ((True, "initContainers"), (False, "containers")):
        for one in spec.each(key):
            asked = {**one.map("resources", "limits"), **one.map("resources", "requests")}
            sidecar = init and one.text("restartPolicy") == "Always"
            wanted = amounts_of({**defaults, **asked})
            yield Container(one.text("name"), one.text("image"), wanted, init, sidecar)


def container_defaults(view: View, namespace: str) -> tuple[dict[str, str], dict[str, str]]:
    """Limits and requests that a LimitRange gives to containers that say nothing.

    kubernetes/kubernetes:plugin/pkg/admission/limitranger
    """
    limits: dict[str, str] = {}
    requests: dict[str, str] = {}
    for one in view.things("limitranges").values():
        if one.namespace == namespace:
            for item in one.fields.each("spec", "limits"):
                if item.text("type") == "Container":
                    limits |= item.map("default")
                    requests |= item.map("defaultRequest")
    return limits, requests


def _priority(view: View, spec: Fields) -> tuple[str, int]:
    """The class and its value; without one that of the cluster's default class."""
    name = spec.text("priorityClassName")
    if name:
        known = view.priorityclasses.get(name)
        return name, known.value if known is not None else spec.number("priority") or 0
    default = next((one for one in view.priorityclasses.values() if one.is_default), None)
    return (default.name, default.value) if default is not None else ("", spec.number("priority") or 0)
