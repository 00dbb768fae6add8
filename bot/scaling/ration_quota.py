"""What a ResourceQuota leaves for more replicas: pods, requests, limits, and the claims of a StatefulSet's pods.

A quota counts every pod that is not finished. One that bounds CPU or memory refuses pods with a container that does not
say how much, unless a LimitRange says it for them.
kubernetes/apiserver:pkg/admission/plugin/resourcequota; kubernetes/kubernetes:pkg/quota/v1/evaluator/core (pods.go,
persistent_volume_claims.go)
"""

from collections.abc import Iterator, Mapping, Sequence

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.scaling.ration import Ration
from bot.scaling.standing import Standing
from bot.scaling.template_pod import container_defaults
from bot.why.amounts import added, amount_of, amounts_of, hard_of, number, said
from bot.why.shell import kubectl

_PODS = ("pods", "count/pods")
_CLAIMS = ("persistentvolumeclaims", "count/persistentvolumeclaims")
_STORAGE = "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"
_TO_BE_SAID = ("cpu", "memory")  # of which a quota wants every container to say how much


def of_quotas(now: Standing, pods: Sequence[Pod]) -> Iterator[Ration]:
    """`pods`: those of one replica."""
    for quota in now.case.view.things("resourcequotas").values():
        if quota.namespace == now.thing.namespace and _covers(quota.fields, pods[0]):
            hard = hard_of(quota.fields)
            yield from _unsaid(now, quota, hard)
            yield from _room(now, quota, hard, pods)


def _room(now: Standing, quota: Thing, hard: Mapping[str, str], pods: Sequence[Pod]) -> Iterator[Ration]:
    """The resource of which the fewest replicas can have their part."""
    used = quota.fields.map("status", "used")
    asked = {name: amount for name in hard if (amount := _asked(now, name, pods))}
    limits = {name: amount_of(_plain(name), hard[name]) for name in asked}
    left = {name: max(0, limits[name] - amount_of(_plain(name), used.get(name, "0"))) for name in asked}
    if not asked:
        return
    tightest = min(asked, key=lambda name: (left[name] // asked[name], name))
    resource = _plain(tightest)
    named = f" of its `{tightest}`" if tightest != resource and resource in (*_TO_BE_SAID, "storage") else ""
    yield Ration(
        left[tightest] // asked[tightest],
        f"quota `{quota.name}` of namespace {quota.namespace} has {number(resource, left[tightest])} of "
        f"{said(resource, limits[tightest])} left{named} and each replica asks for "
        f"{number(resource, asked[tightest])}",
        "quota",
        _look(quota),
    )


def _asked(now: Standing, name: str, pods: Sequence[Pod]) -> int:
    """What one replica adds to what the quota counts under that name; 0 for what is not known here."""
    if name in _PODS:
        return len(pods)
    if name in _CLAIMS or name == _STORAGE or _OF_CLASS in name:
        return _claimed(now, name)
    if name.startswith("limits."):
        return sum(_limits(now, spec).get(_plain(name), 0) for spec in now.template_specs)
    return added(pod.requests for pod in pods).get(_plain(name), 0)


def _plain(name: str) -> str:
    if name in _PODS:
        return "pods"
    if name.endswith(_CLAIMS[0]):
        return _CLAIMS[0]
    if name.endswith(_STORAGE):
        return "storage"
    return name.removeprefix("requests.").removeprefix("limits.")


def _limits(now: Standing, spec: Fields) -> dict[str, int]:
    defaults, _ = container_defaults(now.case.view, now.thing.namespace)
    return added(amounts_of({**defaults, **one.map("resources", "limits")}) for one in spec.each("containers"))


def _claimed(now: Standing, name: str) -> int:
    """Claims that are made with each new pod; those of an earlier pod of the number are there and counted already."""
    one_class, _, _ = name.partition(_OF_CLASS) if _OF_CLASS in name else ("", "", "")
    total = 0
    for template in now.thing.fields.each("spec", "volumeClaimTemplates"):
        key = f"{now.thing.namespace}/{template.text('metadata', 'name')}-{now.thing.name}-{now.next_number}"
        own_class = template.text("spec", "storageClassName")
        if key in now.case.view.persistentvolumeclaims or one_class not in ("", own_class):
            continue
        size = amounts_of(template.map("spec", "resources", "requests")).get("storage", 0)
        total += 1 if name.endswith(_CLAIMS[0]) else size
    return total


# ---- what is not said ------------------------------------------------------------------------------------------------


def _unsaid(now: Standing, quota: Thing, hard: Mapping[str, str]) -> Iterator[Ration]:
    for name in sorted(hard):
        resource = _plain(name)
        if resource not in _TO_BE_SAID:
            continue
        for spec in now.template_specs:
            silent = next((one for one in _containers(spec) if not _says(now, one, name, resource)), None)
            if silent is not None and not _of_whole_pod(spec, resource):
                yield Ration(
                    0,
                    f"quota `{quota.name}` of namespace {quota.namespace} wants every container to say `{name}`, and "
                    f"`{silent.text('name')}` says none",
                    "quota",
                    _look(quota),
                )
                return


def _containers(spec: Fields) -> Iterator[Fields]:
    yield from spec.each("initContainers")
    yield from spec.each("containers")


def _says(now: Standing, container: Fields, name: str, resource: str) -> bool:
    limits, requests = container_defaults(now.case.view, now.thing.namespace)
    said_limits = {**limits, **container.map("resources", "limits")}
    if name.startswith("limits."):
        return resource in said_limits
    return resource in {**said_limits, **requests, **container.map("resources", "requests")}


def _of_whole_pod(spec: Fields, resource: str) -> bool:
    return resource in {**spec.map("resources", "requests"), **spec.map("resources", "limits")}


# ---- which quotas ----------------------------------------------------------------------------------------------------


def _covers(quota: Fields, pod: Pod) -> bool:
    """Whether it counts this pod. kubernetes:pkg/quota/v1/evaluator/core/pods.go (podMatchesScopeFunc)"""
    if not all(_in_scope(one, "Exists", (), pod) for one in quota.texts("spec", "scopes")):
        return False
    return all(
        _in_scope(one.text("scopeName"), one.text("operator"), one.texts("values"), pod)
        for one in quota.each("spec", "scopeSelector", "matchExpressions")
    )


def _in_scope(scope: str, operator: str, values: Sequence[str], pod: Pod) -> bool:
    """Unknown scopes are left to the dry run by the API server. Pods of what can be scaled have no deadline."""
    if scope == "PriorityClass" and operator in ("In", "NotIn"):
        return (pod.priority_class in values) == (operator == "In")
    plain = {
        "PriorityClass": bool(pod.priority_class),
        "Terminating": False,
        "NotTerminating": True,
        "BestEffort": not pod.requests,
        "NotBestEffort": bool(pod.requests),
    }
    return scope in plain and operator in ("Exists", "DoesNotExist") and plain[scope] == (operator == "Exists")


def _look(quota: Thing) -> str:
    return kubectl("describe", "resourcequota", quota.name, namespace=quota.namespace)
