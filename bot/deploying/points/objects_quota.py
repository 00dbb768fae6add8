"""Whether quotas leave room for the objects besides pods: the volume's size, claims, Services, Jobs, ConfigMaps.

kubernetes/kubernetes:pkg/quota/v1/evaluator/core (persistent_volume_claims.go, services.go) and generic/evaluator.go
(`count/RESOURCE.GROUP`).
"""

from collections.abc import Iterator, Mapping

from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.thing import plural
from bot.why.amounts import amount_of, amounts_of, hard_of, number
from bot.why.shell import kubectl

_STORAGE = "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"
_SHORT = ("configmaps", "persistentvolumeclaims", "services")


def judge(ground: Ground) -> Told | None:
    quotas = [one for one in ground.view.things("resourcequotas").values() if one.namespace == ground.namespace]
    if not quotas:
        return None  # whether they were read is told by the point of pods
    asked = _asked(ground)
    for quota in quotas:
        hard = hard_of(quota.fields)
        for name, needs, left in _short(asked, hard, quota.fields.map("status", "used")):
            look = kubectl("describe", "resourcequota", quota.name, namespace=quota.namespace)
            says = f"quota `{quota.name}` has {_said(name, left)} of `{name}` left, and {_said(name, needs)} is needed"
            return Told(False, says, f"see `{look}`, and ask for more or use another namespace")
    return Told(True, "quotas leave room for its volume and its other objects")


def _asked(ground: Ground) -> dict[str, int]:
    """By the names that quotas have for it; what is there already is counted already."""
    total: dict[str, int] = {}
    for made in ground.candidate.rendering.objects:
        kind = plural(made["kind"])
        if f"{ground.namespace}/{made['metadata']['name']}" in ground.view.tables.get(kind, {}):
            continue
        for name in _names(kind, made["apiVersion"]):
            total[name] = total.get(name, 0) + 1
        if kind == "persistentvolumeclaims":
            size = amounts_of(made["spec"]["resources"]["requests"])["storage"]
            one_class = made["spec"].get("storageClassName", "")
            total |= {_STORAGE: size, f"{one_class}{_OF_CLASS}{_STORAGE}": size}
            total[f"{one_class}{_OF_CLASS}persistentvolumeclaims"] = 1
    return total


def _names(kind: str, api_version: str) -> Iterator[str]:
    group = api_version.rpartition("/")[0]
    yield f"count/{kind}.{group}" if group else f"count/{kind}"
    if kind in _SHORT:
        yield kind


def _short(
    asked: Mapping[str, int], hard: Mapping[str, str], used: Mapping[str, str]
) -> Iterator[tuple[str, int, int]]:
    for name, needs in asked.items():
        if name not in hard:
            continue
        left = amount_of(_plain(name), hard[name]) - amount_of(_plain(name), used.get(name, "0"))
        if needs > left:
            yield name, needs, max(0, left)


def _said(name: str, value: int) -> str:
    return number(_plain(name), value)


def _plain(name: str) -> str:
    return "storage" if name.endswith(_STORAGE) else "pods"  # whole numbers


POINT = Asked(52, "objects", "Quota on other objects", judge, page=__doc__ or "")
