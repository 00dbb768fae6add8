"""What a pod asks for, and which containers do: people think of one container, the scheduler of the pod.

What counts is the sum of the containers, or more where an init container asks for more than that, for the pod's whole
life. kubernetes/component-helpers:resource/helpers.go (PodRequests).
"""

from collections.abc import Mapping

from bot.domain.fields import Fields
from bot.domain.node import Node
from bot.domain.pod import Container, Pod
from bot.domain.quantity import shown
from bot.domain.remembered import of_latest
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource, kind_of
from bot.gpu.owners import top_owner
from bot.why.amounts import of_template, said
from bot.why.placement.blockers import resource_name
from bot.why.placement.nodes import Survey

NAMED = 3


def asked(survey: Survey, resource: str = "") -> str:
    """`8 H200`, `1 nvidia.com/mig-1g.10gb`, `64 CPUs`: what the pod asks for, as people say it."""
    resource = resource or survey.main
    amount, whose = survey.pod.requests.get(resource, 0), origin(survey.pod, resource)
    if not is_gpu_resource(resource):
        return f"{shown(resource, amount)} {resource_name(resource)}{whose}"
    products = {_title(info.node, resource) for info in survey.possible_nodes}
    if len(products) == 1 and not (product := products.pop()).startswith("GPU without"):
        return f"{amount} {product}{whose}"
    return f"{said(resource, amount)}{whose}"


@of_latest
def _title(node: Node, resource: str) -> str:
    return kind_of(resource, node.labels).title


def origin(pod: Pod, resource: str) -> str:
    """` (`asr` 1 + `tts` 1)`, ` (its init container `compile`)`; empty where one container asks for all of it."""
    total = pod.requests.get(resource, 0)
    wants = [one for one in pod.containers if one.requests.get(resource)]
    asking = {one.name: one.requests[resource] for one in wants if not _once(one)}
    once = {one.name: one.requests[resource] for one in wants if _once(one)}
    if sum(asking.values()) == total:
        return _sum(asking, resource) if len(asking) > 1 else ""
    largest = max(once, key=lambda name: once[name], default="")
    if not largest:
        return ""
    rest = shown(resource, sum(asking.values()))
    return f" (its init container `{largest}` asks for that, the others for {rest})"


def by_default(survey: Survey, resource: str) -> tuple[str, ...]:
    """That the pod's template does not ask for it: a LimitRange has put it in when the pod was made."""
    view, pod = survey.state.view, survey.pod
    kind, name = top_owner(view, pod)
    thing = view.thing(kind, pod.namespace, name)
    template = thing.fields.at("spec", "template", "spec") if thing is not None else None
    if not template or of_template(template).get(resource):
        return ()
    ranges = [one for one in view.things("limitranges").values() if one.namespace == pod.namespace]
    sets = [f"`{one.name}`" for one in ranges if _sets(one.fields, resource)]
    if not sets:
        return ()
    return (f"Its template asks for none: LimitRange {names(sets)} of namespace {pod.namespace} sets it by default",)


def _sets(fields: Fields, resource: str) -> bool:
    limits = list(fields.each("spec", "limits"))
    return any(one.map("defaultRequest").get(resource) or one.map("default").get(resource) for one in limits)


def _once(one: Container) -> bool:
    """An init container that ends before the others begin."""
    return one.init and not one.sidecar


def _sum(asking: Mapping[str, int], resource: str) -> str:
    if len(asking) > NAMED:
        return f" ({count(len(asking), 'container')} together)"
    return f" ({' + '.join(f'`{name}` {shown(resource, value)}' for name, value in asking.items())})"
